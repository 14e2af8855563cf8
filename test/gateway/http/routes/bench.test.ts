// Policies compared over HTTP: chosen sessions, one comparison at a time, and none that nobody waits for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'
import { readFrames } from '../frames.ts'

const STREAM = { accept: 'text/event-stream' }
const idOf = (session: string): string => session.split('/').at(-1) ?? ''

async function talked(client: Client, count: number): Promise<string> {
  const session = await client.open()
  await client.talk(session, ...Array.from({ length: count }, (_, index) => `say ${index + 2} words`))
  return session
}

test('chosen policies are compared over chosen sessions, with progress where it is wanted', async t => {
  const client = clientOf((await startGateway(t)).url)
  const [one, two] = [await talked(client, 4), await talked(client, 2)]
  const body = { sessions: [idOf(one)], policies: ['steady', 'recent'], budget: 1000 }
  const report = await client.json(200, 'POST', '/api/policies/bench', { body })
  assert.deepEqual(
    [report.sessions, report.rows.map(({ policy, budget, requests }: Json) => [policy, budget, requests])],
    [
      1,
      [
        ['steady', 1000, 4],
        ['recent', 1000, 4],
      ],
    ],
  )
  const all = await client.json(200, 'POST', '/api/policies/bench', { body: { policies: ['full'] } })
  assert.deepEqual([all.sessions, all.rows[0].requests], [2, 6])
  const pairs = [{ session: idOf(two), question: 'How many words?', evidence: [1] }]
  const given = await client.json(200, 'POST', '/api/policies/bench', { body: { policies: ['full'], pairs } })
  assert.deepEqual([given.sessions, given.questions, given.isMade, given.rows[0].recall], [1, 1, false, 1])
  const frames = await readFrames(await client.ask('POST', '/api/policies/bench', { body, headers: STREAM })).rest()
  assert.equal(frames.at(-1)?.event, 'done')
  assert.deepEqual(frames.at(-1)?.data, report)
  assert.ok(frames.slice(0, -1).every(({ event, data }) => event === 'progress' && data.session === idOf(one)))
})

test('what cannot be compared is refused', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = idOf(await talked(client, 1))
  const refused = (body: object, status = 400, fault = 'invalid'): Promise<Json> =>
    client.problem(status, fault, 'POST', '/api/policies/bench', { body })
  await refused({ sessions: [] })
  await refused({ sessions: Array.from({ length: 51 }, () => session) })
  await refused({ policies: [] })
  await refused({ budget: 0 })
  await refused({ more: 1 })
  await refused({ pairs: [{ session, question: ' ', evidence: [1] }] })
  await refused({ pairs: [{ session, question: 'x', evidence: [] }] })
  assert.match((await refused({ policies: ['stedy'] })).detail, /there is no policy "stedy"/)
  await refused({ sessions: ['ses_unknown'] }, 404, 'not-found')
  await refused({ pairs: [{ session: 'ses_unknown', question: 'x', evidence: [1] }] }, 404, 'not-found')
  await client.json(200, 'POST', '/api/policies/bench', { body: { policies: ['full'] } })
})

test('one comparison runs at a time, and stops when its reader hangs up', async t => {
  let stopped: Promise<Json> | undefined
  const client = clientOf(
    (
      await startGateway(t, {
        instead: engine => ({
          ...engine,
          // The first comparison goes on and on, until it is stopped.
          bench: (wish, progress) => {
            if (stopped !== undefined) return engine.bench(wish, progress)
            const ended = new Promise(resolve => wish.abort?.addEventListener('abort', resolve))
            const tick = setInterval(
              () => progress?.({ session: wish.sessions[0] as never, policy: 'full', budget: null, requests: 1 }),
              5,
            )
            const result = ended.then(() => {
              clearInterval(tick)
              return engine.bench(wish, progress)
            })
            stopped = result
            return result
          },
        }),
      })
    ).url,
  )
  await talked(client, 2)
  const body = { policies: ['full'] }
  const first = readFrames(await client.ask('POST', '/api/policies/bench', { body, headers: STREAM }))
  await first.until(({ event }) => event === 'progress')
  const { detail } = await client.problem(409, 'conflict', 'POST', '/api/policies/bench', { body })
  assert.equal(detail, 'another comparison is running; wait until it is done')
  await first.hangUp()
  const result = await stopped
  assert.deepEqual([result.ok, result.fault.kind], [false, 'cancelled'])
  await client.untilStreams(0)
  await client.json(200, 'POST', '/api/policies/bench', { body })
})
