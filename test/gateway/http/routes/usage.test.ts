// What was used and what it cost, by day and model, over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sinceOf } from '../../../../src/gateway/since.ts'
import type { Delta } from '../../../../src/model/message/delta.ts'
import { says, scriptedProvider } from '../../../../src/testing/index.ts'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf, type Json } from '../client.ts'

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0, requests: 0 }

const counted = (input: number, output: number): readonly Delta[] => [
  { type: 'usage', usage: { input, output, cacheRead: 1, cacheWrite: 2 } },
  ...says('Done.'),
]

test('usage is by day and model, of a session or of all, since a day or a time, with its total', async t => {
  let now = Date.UTC(2026, 0, 1, 12)
  const provider = scriptedProvider([counted(10, 1), counted(20, 2), counted(30, 3)])
  const { url } = await startGateway(t, { provider, clock: () => now, models: { demo: { price: { input: 1e6, output: 0 } } } })
  const client = clientOf(url)
  const usage = (query = ''): Promise<Json> => client.json(200, 'GET', `/api/usage${query}`)
  assert.deepEqual(await usage(), { items: [], total: NOTHING })
  const [one, other] = [await client.open(), await client.open()]
  const idOf = (session: string): string => session.split('/').at(-1) ?? ''
  await client.talk(one, 'Hello')
  await client.talk(other, 'Hello')
  now = Date.UTC(2026, 0, 2, 12)
  await client.talk(one, 'Hello')

  const row = (day: string, input: number, output: number, requests: number): Json => ({
    day,
    model: 'demo',
    input,
    output,
    cacheRead: requests,
    cacheWrite: 2 * requests,
    costUsd: input + 3 * requests,
    requests,
  })
  const { day: _day, model: _model, ...total } = row('', 60, 6, 3)
  const [first, second] = [row('2026-01-01', 30, 3, 2), row('2026-01-02', 30, 3, 1)]
  assert.deepEqual(await usage(), { items: [first, second], total })
  assert.deepEqual((await usage(`?session=${idOf(one)}`)).items, [row('2026-01-01', 10, 1, 1), second])
  for (const since of ['2026-01-02', '2026-01-02T11:59:59Z', '2026-01-02T12:00:00.000Z', '2026-01-02T13:00:00%2B01:00'])
    assert.deepEqual((await usage(`?since=${since}`)).items, [second], since)
  assert.deepEqual(await usage('?since=2026-01-02T12:00:00.001Z'), { items: [], total: NOTHING })
  assert.deepEqual((await usage(`?session=${idOf(other)}&since=2026-01-02`)).items, [])

  await client.ask('DELETE', one)
  assert.deepEqual(await usage(), { items: [first, second], total }, 'a deleted session has still cost what it did')
  for (const id of [idOf(one), 'ses_none', 'nonsense', ''])
    await client.problem(404, 'not-found', 'GET', `/api/usage?session=${id}`)
})

test('a total of which a part has no price has none', async t => {
  const provider = scriptedProvider([counted(10, 1)])
  const { url, engine } = await startGateway(t, { provider })
  const client = clientOf(url)
  await client.talk(await client.open(), 'Hello')
  assert.equal((await client.json(200, 'GET', '/api/usage')).total.costUsd, 0, 'the demo model costs nothing')
  const { url: other } = await startGateway(t, {
    instead: own => ({
      ...own,
      usage: async query => {
        const rows = await engine.usage(query)
        return rows.ok
          ? { ok: true, value: [...rows.value, { ...NOTHING, day: '2026-01-01', model: 'x', costUsd: null, requests: 2 }] }
          : rows
      },
    }),
  })
  const { total } = await clientOf(other).json(200, 'GET', '/api/usage')
  assert.deepEqual([total.costUsd, total.requests], [null, 3])
})

test('a time that is none is refused, and one without a zone is UTC', async t => {
  const { url } = await startGateway(t)
  const client = clientOf(url)
  for (const since of [
    'yesterday',
    '1',
    '2026',
    '2026-1-1',
    '2026-13-01',
    '2026-02-30',
    '2026-01-01T25:00Z',
    '2026-01-01Z',
    '',
    '2026-01-01 12:00',
    '%00',
  ]) {
    const { detail } = await client.problem(400, 'invalid', 'GET', `/api/usage?since=${since}`)
    assert.equal(detail, 'since: must be a date as in 2026-01-31, or a time as in 2026-01-31T12:00:00Z', since)
  }
  for (const [given, moment] of [
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:30:15.25', '2026-01-31T12:30:15.250Z'],
    ['2026-01-31T00:30:00+01:00', '2026-01-30T23:30:00.000Z'],
  ] as const)
    assert.equal(sinceOf(given), moment)
})
