// A limit for the day is one limit, however many nodes spend it at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { startHeldProvider } from './held-provider.ts'
import { startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

/** A reply costs at most $0.10. */
const MODEL = { window: 20_000, output: 1000, price: { input: 0, output: 100 } }
const LIMIT_USD = 0.35

test('ten requests on three nodes at once do not overspend the budget of the day', { skip }, async t => {
  // Each answer is as long as it may be.
  const provider = await startHeldProvider(t, ({ max_tokens, max_completion_tokens }) => {
    const output = max_completion_tokens ?? max_tokens
    const usage = { input: 10, output, cost: (output * MODEL.price.output) / 1e6 }
    return { says: [{ type: 'text', text: 'As you wish.' }], usage }
  })
  const nodes = await startThree(t, {
    providers: { held: { baseURL: provider.url } },
    models: { 'compatible/held/model': MODEL },
    model: 'compatible/held/model',
    limits: { budgetUsdPerDay: LIMIT_USD },
  })
  const [{ client: first }] = nodes
  const clients = Array.from({ length: 10 }, (_, index) => nodes[index % nodes.length]?.client ?? first)
  const talks = clients.map(async client => {
    const session = await client.open()
    const reader = await client.say(session, 'Go on.')
    return { session, frames: await reader.rest() }
  })
  // Nothing is answered before every request is sent or refused.
  const isDecided = async (): Promise<boolean> => {
    const { items } = await first.json(200, 'GET', '/api/sessions')
    const events = await Promise.all(items.map(({ id }: Json) => first.events(`/api/sessions/${id}`)))
    const refused = events.flat().filter(({ type }) => type === 'turn.ended').length
    return items.length === 10 && refused + provider.requests.length === 10
  }
  while (!(await isDecided()));
  provider.letGo()
  const ends = (await Promise.all(talks)).map(({ frames }) => frames.at(-1)?.data)
  const failed = ends.filter(({ reason }) => reason === 'failed')
  assert.ok(failed.every(({ fault }) => fault.kind === 'budget'))
  assert.equal(ends.length - failed.length, provider.requests.length)
  assert.ok(provider.requests.length >= 3)
  for (const { client } of nodes) {
    const { total } = await client.json(200, 'GET', '/api/usage')
    assert.equal(total.requests, provider.requests.length)
    assert.ok(total.costUsd <= LIMIT_USD && total.costUsd > LIMIT_USD - 0.1, `spent $${total.costUsd}`)
  }
})
