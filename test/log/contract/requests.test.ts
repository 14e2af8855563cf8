// The requests of a voice, and how often it had spoken by a seq, are what a walk through all events would find.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CloseTurn, Log, RequestRange, VoiceCounts } from '../../../src/log/ports.ts'
import type { Fact, Recorded } from '../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import { tries } from '../../support/tries.ts'
import { eventsOf, heard, must, pieceOf, planned, seqsOf, session, sessionOf, started, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const COPY = session('copy')
const ELSEWHERE = session('elsewhere')
const VOICES = ['ada', 'ben', '']

const interrupted: CloseTurn = ({ turn: id, voice }) => [{ type: 'turn.ended', turn: id, voice, reason: 'interrupted' }]

/** Turns of several voices, side by side, some with requests of several steps, some without an end. */
const talk: fc.Arbitrary<readonly Fact[]> = fc
  .array(
    fc.record({
      voice: fc.constantFrom(...VOICES),
      requests: fc.nat(3),
      reason: fc.constantFrom('done' as const, 'failed' as const, undefined),
      isLate: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  .map(turns => {
    const late: Fact[] = []
    const facts = turns.flatMap(({ voice, requests, reason, isLate }, index): Fact[] => {
      const id = turn(`${index}`)
      const end: Fact[] = reason === undefined ? [] : [{ type: 'turn.ended', turn: id, voice, reason }]
      if (isLate) late.push(...end)
      return [
        heard(`${index}`),
        { ...started(id, 1), voice } as Fact,
        ...Array.from({ length: requests }, (_, step) => requestOf(id, step + 1, voice)),
        ...(isLate ? [] : end),
      ]
    })
    return [...facts, ...late]
  })

const requestOf = (id: TurnId, step: number, voice: string): Fact => ({ ...planned(id, 1, { voice }), step }) as Fact

/** What there is to find, by a walk through all events. */
function walked(
  events: readonly Recorded[],
  most: number,
  { voice, after = 0, before = 1e9, oldestFirst }: RequestRange,
): readonly number[] {
  const found = events.filter(
    event =>
      event.type === 'context.planned' &&
      event.seq > after &&
      event.seq < before &&
      (voice === undefined || event.receipt.voice === voice),
  )
  return seqsOf(oldestFirst === true ? found : found.toReversed()).slice(0, most)
}

function counted(events: readonly Recorded[], voice: string, through: number): VoiceCounts {
  const own = events.filter(event => event.seq <= through && 'voice' in event && event.voice === voice)
  return {
    turns: own.filter(({ type }) => type === 'turn.started').length,
    answers: own.filter(event => event.type === 'turn.ended' && event.reason === 'done').length,
  }
}

async function check(
  log: Log,
  id: SessionId,
  given: RequestRange & { readonly most: number; readonly through: number },
): Promise<void> {
  const { most, through, ...range } = given
  const events = await eventsOf(log, id)
  assert.deepEqual(seqsOf(must(await log.planned(id, most, range))), walked(events, most, range))
  for (const voice of [...VOICES, 'nobody'])
    assert.deepEqual(must(await log.voiceAt(id, voice, through)), counted(events, voice, through), `${voice} through ${through}`)
  const { voices, head } = must(await log.standing(id))
  for (const [voice, counts] of Object.entries(voices)) assert.deepEqual(must(await log.voiceAt(id, voice, head)), counts)
}

const asked = fc.record(
  {
    most: fc.integer({ min: 1, max: 4 }),
    through: fc.nat(40),
    voice: fc.constantFrom(...VOICES, 'nobody'),
    after: fc.nat(30),
    before: fc.nat(40),
    oldestFirst: fc.boolean(),
  },
  { requiredKeys: ['most', 'through'], noNullPrototype: true },
)

onEveryStore('requests of EventLog', (_, opened) => {
  test('appended, forked and imported sessions answer alike', async t => {
    await fc.assert(
      fc.asyncProperty(talk, asked, fc.nat(30), async (facts, question, at) => {
        const { log } = await opened(t, RAIN)
        try {
          for (const fact of facts) must(await log.append(RAIN, [fact]))
          await check(log, RAIN, question)
          const shared = Math.min(at, facts.length)
          must(
            await log.fork(RAIN, shared, sessionOf(COPY, { parent: { session: RAIN, at: shared }, family: RAIN }), interrupted),
          )
          await check(log, COPY, question)
          const bringing = must(await log.startImport())
          must(await bringing.add(pieceOf(ELSEWHERE, facts)))
          must(await bringing.publish(interrupted))
          await check(log, ELSEWHERE, question)
          // A new session under the id of a removed one begins with nothing.
          must(await log.remove(COPY))
          must(await log.open(sessionOf(COPY)))
          await check(log, COPY, question)
        } finally {
          await log.close()
        }
      }),
      tries(15),
    )
  })
})
