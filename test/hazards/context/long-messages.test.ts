// Many messages at the size limit must not keep everyone waiting, whatever is done with their session.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { openSession } from '../../support/engine.ts'
import { startGateway } from '../../support/gateway.ts'
import { longestStall, MOST_STALL_MS, STALL_TRIES } from '../../support/thread-time.ts'

const LONGEST = 1 << 20
const POLICIES = ['steady', 'full', 'recent', 'head-tail', 'transcript', 'council']
const WORDS = 'so much to say, and so little of it new. '
const BLANKS = ' '
const ESCAPED_BY_JSON = 'é"\n'

/** Questions and answers as long as they may be, straight into the log. */
async function fill(log: Log, session: SessionId, messages: number, unit: string): Promise<void> {
  const text = unit.repeat(LONGEST / unit.length)
  for (let number = 1; number <= messages / 2; number += 1) {
    const turn = `trn_${String(number).padStart(26, '0')}` as TurnId
    const facts: Fact[] = [
      { type: 'message.received', text, from: 'person' },
      { type: 'turn.started', turn, voice: 'assistant', cause: 4 * number - 3 },
      {
        type: 'reply.finished',
        turn,
        step: 1,
        parts: [{ type: 'text', text }],
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
      },
      { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' },
    ]
    assert.ok((await log.append(session, facts)).ok)
  }
}

for (const { window, messages, units } of [
  { window: 32_000, messages: 24, units: [WORDS, ESCAPED_BY_JSON] },
  { window: 1_000_000, messages: 12, units: [BLANKS, ESCAPED_BY_JSON] },
])
  describe(`${messages} messages at the size limit, and a model that holds ${window} tokens`, () => {
    for (const unit of units)
      test(`of nothing but ${JSON.stringify(unit)}`, async t => {
        const logs: Log[] = []
        const provider = scriptedProvider(Array.from({ length: STALL_TRIES * POLICIES.length }, () => says('yes')))
        const storing = (log: Log): Log => {
          logs.push(log)
          return log
        }
        const { engine, url } = await startGateway(t, { provider, storing, models: { demo: { window } } })
        const session = await openSession(engine)
        await fill(logs[0] ?? assert.fail(), session, messages, unit)
        const asked = async (path: string, method = 'GET', body?: object, accept = 'application/json'): Promise<void> => {
          const headers = { accept, 'content-type': 'application/json' }
          const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
          const response = await fetch(`${url}/api${path}`, init)
          for await (const _ of response.body ?? []);
        }
        const followed = async (): Promise<void> => {
          const leaving = new AbortController()
          const init = { headers: { accept: 'text/event-stream' }, signal: leaving.signal }
          const response = await fetch(`${url}/api/sessions/${session}/events`, init)
          let bytes = 0
          for await (const piece of response.body ?? []) {
            bytes += piece.length
            if (bytes > messages * LONGEST) break
          }
          leaving.abort()
        }
        const roads: Record<string, () => Promise<void>> = {
          ...Object.fromEntries(
            ['json', 'port42', 'html'].map(each => [each, () => asked(`/sessions/${session}/export?format=${each}`)]),
          ),
          events: () => asked(`/sessions/${session}/events?limit=1000`),
          followed,
          'AI SDK': () => asked(`/chat/${session}`),
        }
        for (const policy of POLICIES) {
          roads[`dry run, ${policy}`] = () => asked(`/sessions/${session}/context`, 'POST', { text: 'and now?', policy })
          roads[`turn, ${policy}`] = async () => {
            await asked(`/sessions/${session}`, 'PATCH', { policy })
            await asked(`/sessions/${session}/messages`, 'POST', { text: 'and now?' }, 'text/event-stream')
          }
        }
        for (const [road, go] of Object.entries(roads)) {
          const ms = await longestStall(go)
          assert.ok(ms < MOST_STALL_MS, `${road}: ${Math.round(ms)} ms`)
        }
      })
  })
