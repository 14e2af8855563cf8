/** What programs that Turnwise starts never see of a shared store: its address, its password, and the secret of the nodes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childEnvironment } from '../../src/gateway/child-environment.ts'
import { parseSettings } from '../../src/gateway/workspace/settings.ts'

const PASSWORD = 'a pass/word'
const URL_OF_STORE = `postgres://me:${encodeURIComponent(PASSWORD)}@db.test/x`
const SECRET = 'correct horse battery staple'

const seen = (text: string, environment: Readonly<Record<string, string>>): readonly string[] => {
  const settings = parseSettings(text, environment)
  assert.ok(settings.ok, settings.ok ? '' : settings.fault.message)
  return Object.keys(childEnvironment(settings.value, environment)).sort()
}

test('the address of the store, its password and the secret are kept back under every name', () => {
  const environment = {
    HOME: '/home/me',
    TURNWISE_STORE: '$DATABASE_URL',
    TURNWISE_SECRET: SECRET,
    DATABASE_URL: URL_OF_STORE,
    COPY_OF_URL: URL_OF_STORE,
    COPY_OF_PASSWORD: PASSWORD,
    COPY_OF_SECRET: `secret: ${SECRET}`,
    PGPASSWORD: 'whatever',
    PGHOST: 'db.test',
  }
  assert.deepEqual(seen('{}', environment), ['HOME', 'PGHOST'])
  const { TURNWISE_STORE: _, ...rest } = environment
  assert.deepEqual(seen('{ "store": "$DATABASE_URL" }', rest), ['HOME', 'PGHOST'])
})

test('without such a store, variables of PostgreSQL are none of our business', () => {
  assert.deepEqual(seen('{}', { PGPASSWORD: 'theirs', DATABASE_URL: URL_OF_STORE }), ['DATABASE_URL', 'PGPASSWORD'])
})

test('a tool cannot be given them by the settings', () => {
  const environment = { TURNWISE_STORE: URL_OF_STORE, TURNWISE_SECRET: SECRET, PGPASSWORD: 'x', MINE: PASSWORD }
  for (const name of Object.keys(environment)) {
    const settings = parseSettings(JSON.stringify({ tools: { env: { it: [name] } } }), environment)
    assert.ok(!settings.ok && settings.fault.message.startsWith('tools.env.it.0: '), name)
    assert.ok(!settings.fault.message.includes(PASSWORD) && !settings.fault.message.includes(SECRET))
  }
})
