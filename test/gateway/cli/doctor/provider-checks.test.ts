// Whether each provider answers, as `turnwise doctor` says it beside a gateway: what counts is what the gateway has.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFake } from '../../../../src/testing/index.ts'
import { piped } from '../in-process.ts'
import { serve, tempHome } from '../turnwise.ts'

const KEY = 'sk-canary-0123456789'

test('beside a gateway its own keys and addresses count: ready, bad key, no key and unreachable', async t => {
  await using good = await startFake({ wire: 'anthropic', keys: [KEY], models: [{ name: 'claude-decoy-9' }] })
  await using strict = await startFake({ wire: 'openai', keys: [`other-${KEY}`] })
  const home = tempHome(t)
  mkdirSync(home)
  const providers = { near: { baseURL: 'http://127.0.0.1:9/v1' } }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ model: 'compatible/near/x', providers }))
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: good.url,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: strict.url,
    TURNWISE_MODEL: 'anthropic/claude-decoy-9',
  }
  const gateway = await serve(t, { home, env })
  const { stdout } = await piped(['doctor'], { home })
  for (const line of [
    /^ {2}ok {4}model +anthropic\/claude-decoy-9 is ready$/m,
    /^ {2}ok {4}anthropic +http:\/\/127\.0\.0\.1:\d+, ready, 1 model, key from ANTHROPIC_API_KEY$/m,
    /^ {2}warn {2}openai +.*openai refused the key \(401\).*key from OPENAI_API_KEY\n +→ set OPENAI_API_KEY to a key that is valid$/m,
    /^ {2}ok {4}openrouter +https:\/\/openrouter\.ai\/api\/v1, no key: OPENROUTER_API_KEY is not set$/m,
    /^ {2}ok {4}near +http:\/\/127\.0\.0\.1:9\/v1, not running$/m,
  ])
    assert.match(stdout, line)
  assert.ok(!stdout.includes(KEY))
  await gateway.stop()
  const alone = await piped(['doctor'], { home, env: { TURNWISE_PORT: '0' } })
  assert.match(alone.stdout, /^ {2}warn {2}model +compatible\/near\/x cannot be asked now\n +→ see near below$/m)
  assert.match(alone.stdout, /^ {2}ok {4}anthropic .*no key: ANTHROPIC_API_KEY is not set$/m)
  assert.match(
    alone.stdout,
    /^ {2}warn {2}near +near could not be reached at http:\/\/127\.0\.0\.1:9\/v1: .*\n +→ check the network/m,
  )
})
