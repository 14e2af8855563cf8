// Safety row 30: no JSON that comes in can reach the prototypes everything else is made of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '../../../../src/gateway/workspace/settings.ts'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf } from '../client.ts'
import { DOORS } from '../doors.ts'

const KEYS = ['__proto__', 'constructor', 'prototype'] as const
const LOADS = ['{"polluted":true}', '{"prototype":{"polluted":true}}', '"polluted"', 'null']

const EVERYTHING: readonly object[] = [{}, [], () => undefined, new Map(), '' as unknown as object]

function assertClean(why: string): void {
  for (const each of EVERYTHING) assert.equal((each as { polluted?: unknown }).polluted, undefined, why)
  assert.equal(Object.keys(Object.prototype).length, 0, why)
}

/** The key in the outermost object, and in one inside every field that the good body has. */
function poisoned(good: Readonly<Record<string, unknown>>, key: string, load: string): string[] {
  const fields = Object.entries(good).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const poison = `${JSON.stringify(key)}:${load}`
  const inside = Object.keys(good).flatMap(name =>
    [`{${poison}}`, `[{${poison}}]`, `{"a":{"b":[{${poison}}]}}`].map(value => `{${JSON.stringify(name)}:${value}}`),
  )
  return [`{${[...fields, poison].join(',')}}`, `{${[poison, ...fields].join(',')}}`, `{${poison}}`, ...inside]
}

test('no body pollutes a prototype: it is refused, never an error of ours', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  for (const { method, path, good, status } of DOORS) {
    for (const body of KEYS.flatMap(key => LOADS.flatMap(load => poisoned(good, key, load)))) {
      await client.problem(400, 'invalid', method, path(session), { body })
      assertClean(body)
    }
    await client.json(status, method, path(session), { body: good })
  }
})

test('no query and no id pollutes a prototype', async t => {
  const client = clientOf((await startGateway(t)).url)
  for (const key of KEYS) {
    assert.deepEqual(await client.json(200, 'GET', `/api/sessions?${key}=polluted&${key}[polluted]=true`), {
      items: [],
      next: null,
    })
    await client.problem(404, 'not-found', 'GET', `/api/sessions/${key}`)
    await client.problem(404, 'not-found', 'GET', `/${key}`)
    await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { policy: key } })
    await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { agent: key } })
    assertClean(key)
  }
})

test('no settings pollute a prototype: they are refused by name or leave nothing behind', () => {
  const untouched = parseSettings('{}', {})
  assert.ok(untouched.ok)
  const good: Readonly<Record<string, unknown>> = { gateway: { port: 1 }, limits: { steps: 1 }, policy: 'full' }
  for (const key of KEYS) {
    for (const load of LOADS) {
      for (const text of poisoned(good, key, load)) {
        const parsed = parseSettings(text, {})
        assertClean(text)
        if (!parsed.ok) assert.equal(parsed.fault.kind, 'invalid')
        else assert.deepEqual(Object.keys(parsed.value), Object.keys(untouched.value))
      }
      const inGateway = parseSettings(`{"gateway":{${JSON.stringify(key)}:${load}}}`, {})
      assertClean(key)
      assert.match(inGateway.ok ? '' : inGateway.fault.message, new RegExp(`^gateway\\.${key}: there is no such setting`))
    }
  }
})

test('a prototype that is polluted would be noticed', () => {
  Object.assign(Object.prototype, { polluted: true })
  try {
    assert.throws(() => assertClean('control'))
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
  assertClean('control')
})
