// How long a lease lasts is said once for sessions and channels, and a value that makes no sense is refused.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runOnOneNode } from '../../src/gateway/run-on-one-node.ts'
import { serve } from '../../src/gateway/serve.ts'
import { enterWorkspace } from '../../src/gateway/workspace/enter-workspace.ts'
import type { Leases } from '../../src/log/open-store.ts'
import { readAddress } from '../../src/log/postgres/connection.ts'
import { ok } from '../../src/model/result.ts'
import { FAKE_CHAT, startFakeTelegram } from '../../src/testing/telegram/fake-telegram.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../support/postgres.ts'
import { piped } from './cli/in-process.ts'
import { temporary } from './http/child.ts'

const REFUSED = ['499', '600001', '15s', '15000ms', '1e4', '15000.5', '-15000', '0', ' 15000', '1_500', '99999999999']

test('a time for leases that is none, or too short or long, is refused with what is allowed', async t => {
  const entered = (given?: string) =>
    enterWorkspace(
      { TURNWISE_HOME: temporary(t), ...(given === undefined ? {} : { TURNWISE_LEASE_MS: given }) },
      { create: false },
    )
  for (const given of ['500', '1500', '15000', '600000', '', undefined]) {
    const { ok } = await entered(given)
    assert.ok(ok, given ?? 'none')
  }
  for (const given of REFUSED) {
    const opened = await entered(given)
    assert.ok(!opened.ok, given)
    assert.deepEqual(
      [opened.fault.kind, opened.fault.message],
      ['invalid', `TURNWISE_LEASE_MS: "${given}" is not a time for a lease; use whole milliseconds from 500 to 600000`],
    )
  }
})

test('a short lease of a job is renewed as often as a long one before it ends', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const asked: string[] = []
  const leases: Leases = {
    take: async (_, node, ms) => {
      asked.push(`take ${ms}`)
      return ok({ node, fence: 1 })
    },
    renew: async (_, ours, ms) => {
      asked.push(`renew ${ms}`)
      return ok(ours.map(({ key }) => key))
    },
    giveBack: async () => ok(null),
    orphans: async () => ok([]),
  }
  const job = { start: () => ({ stop: async () => {} }), onBug: assert.ifError }
  const runner = runOnOneNode(job, { leases, key: 'channel:telegram', leaseMs: 1500 })
  for (let passed = 0; passed < 1500; passed += 500) {
    for (let waits = 0; waits < 20; waits += 1) await Promise.resolve()
    mock.timers.tick(500)
  }
  assert.deepEqual(asked, ['take 1500', 'renew 1500', 'renew 1500', 'renew 1500'])
  await runner.stop()
})

test('a program that is given such a time says so in one line and does not start', async t => {
  const { code, stderr } = await piped(['sessions'], { home: temporary(t), env: { TURNWISE_LEASE_MS: '15s' } })
  assert.equal(code, 1)
  assert.match(stderr, /^turnwise: TURNWISE_LEASE_MS: "15s" is not a time for a lease; .*\n$/)
})

test('sessions and Telegram are leased for as long as the environment says', {
  skip: (await whyNoPostgres()) ?? false,
}, async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const [home, url] = [join(temporary(t), 'home'), await postgresUrl(t)]
  mkdirSync(home, { mode: 0o700 })
  const telegram = { botToken: '$TELEGRAM_BOT_TOKEN', apiRoot: fake.root, chats: [FAKE_CHAT] }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ channels: { telegram } }), { mode: 0o600 })
  const environment = {
    ...{ TURNWISE_HOME: home, TURNWISE_PORT: '0', TURNWISE_STORE: url, TURNWISE_LEASE_MS: '600000' },
    ...{ TELEGRAM_BOT_TOKEN: fake.token, OLLAMA_HOST: '127.0.0.1:9', TURNWISE_DEMO_DELAY_MS: '10', PATH: '' },
  }
  const workspace = await enterWorkspace(environment, { create: true })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const serving = await serve({ workspace: workspace.value, environment, onBug: assert.ifError, onTrouble: () => {} })
  assert.ok(serving.ok, serving.ok ? '' : serving.fault.message)
  t.after(serving.value.stop)
  const { url: server, schema } = readAddress(url)
  const leased = async (): Promise<readonly { readonly key: string; readonly isLong: boolean }[]> =>
    (await onServer(
      server,
      `select left(key, 4) as key, until > clock_timestamp() + interval '5 minutes' as "isLong"
       from ${schema}.leases where until > clock_timestamp() order by key`,
    )) as { key: string; isLong: boolean }[]
  fake.writes({ text: 'say 40 words' })
  let now = await leased()
  while (now.length < 2) {
    await pause(10, undefined, { signal: t.signal })
    now = await leased()
  }
  assert.deepEqual(now, [
    { key: 'chan', isLong: true },
    { key: 'ses_', isLong: true },
  ])
})
