/** A house with everything that a store keeps, built through the ports of a log, and looked at through them. */
import type { Log } from '../../../src/log/ports.ts'
import type { Fact, Mark } from '../../../src/model/event.ts'
import type { EventId, SessionId } from '../../../src/model/ids.ts'
import {
  broken,
  ended,
  exchange,
  factsOf,
  finished,
  heard,
  importedFact,
  must,
  planned,
  receiptId,
  session,
  sessionOf,
  started,
  text,
  turn,
} from '../facts.ts'

export const RAIN: SessionId = session('rain')
export const FORK: SessionId = session('a1fork')
export const SECOND_FORK: SessionId = session('a0fork')
const OPEN = session('open')
const OLD = session('old')
const EMPTY = session('empty')
const GONE = session('gone')
const LONG = session('long')

const marked = (target: number, mark: Mark | null, reach?: 'everywhere'): Fact => ({
  ...{ type: 'message.marked', target, mark },
  ...(reach === undefined ? {} : { reach }),
})
const folded = (from: number, to: number, given: object = {}): Fact => ({
  ...{ type: 'history.folded', from, to, text: 'They met.', by: 'extract' },
  ...given,
})
const used = (fact: Fact): Fact =>
  ({ ...fact, model: 'demo/m', usage: { input: 10, output: 2.5, cacheRead: 1, cacheWrite: 0, costUsd: 0.001 } }) as Fact

/** Texts that databases find hard to keep. */
const HARD = ['\u0000 and \ud800', '"quoted"', 'ünïcode 🌧']

/** `long` events more than the rest has. */
export async function buildHouse(log: Log, long = 0): Promise<void> {
  must(await log.open(sessionOf(RAIN, { title: HARD[0] ?? '', project: '"home' })))
  const said = exchange(1, turn('1'), 'Rain?', HARD[0] ?? '')
  const ids = said.map((_, index) => `evt_${index}` as EventId)
  must(
    await log.append(RAIN, said, {
      key: 'first "key"',
      ids,
      texts: HARD.map((each, n) => ({ hash: `h${n}`, text: each })),
      fence: 7,
    }),
  )
  const shown = receiptId('shown')
  const second = turn('2')
  must(
    await log.append(
      RAIN,
      [
        heard('Still?'),
        started(second, 6),
        planned(second, 7, { id: shown, voice: 'assistant' }),
        used(finished(second, 1, text('No.'))),
        ended(second),
      ],
      { texts: [{ hash: 'h9', text: 'later' }] },
    ),
  )
  must(await log.append(RAIN, [marked(1, 'pin', 'everywhere'), marked(6, 'exclude'), marked(9, 'pin'), marked(9, null)]))
  must(await log.append(RAIN, [folded(1, 5), folded(1, 10, { voice: 'ada' }), folded(1, 10)]))
  // The ids of forks sort before their parent's.
  must(await log.fork(RAIN, 11, sessionOf(FORK, { parent: { session: RAIN, at: 11 }, family: RAIN }), () => []))
  must(await log.append(FORK, [heard('And there?')]))
  must(
    await log.fork(
      FORK,
      12,
      sessionOf(SECOND_FORK, { parent: { session: FORK, at: 12 }, family: RAIN, archived: true }),
      () => [],
    ),
  )
  must(await log.open(sessionOf(OPEN, { council: 'board', agent: null, private: true })))
  const running = turn('run')
  must(
    await log.append(OPEN, [
      { ...heard('Well?'), voices: ['ada', '"bo'] } as Fact,
      { ...started(running, 1), voice: '"bo' } as Fact,
    ]),
  )
  must(await log.checkpoint(OPEN, { turn: running, step: 2, parts: [text('So far')] }))
  const cut = turn('cut')
  must(await log.append(OPEN, [started(cut, 1), used(broken(cut, 1, text('Half a'))), ended(cut, 'cancelled')]))
  const bringing = must(await log.startImport())
  must(
    await bringing.add({
      session: sessionOf(OLD, { origin: 'chatgpt', archived: true }),
      facts: exchange(1, turn('3'), 'Once?', 'Upon a time.').map(fact => importedFact(fact)),
      texts: [{ hash: 'h9', text: 'later' }],
    }),
  )
  must(await bringing.publish(() => []))
  must(await log.open(sessionOf(EMPTY, { title: 'Nothing yet' })))
  must(await log.open(sessionOf(GONE)))
  must(await log.append(GONE, [heard('Forget me'), started(turn('4'), 1), used(finished(turn('4'), 1, text('x')))]))
  must(await log.remove(GONE))
  const stateless = planned(turn('5'), 0, { id: receiptId('alone') })
  if (stateless.type === 'context.planned')
    must(
      await log.account(stateless.receipt, used(finished(turn('5'), 1, text('y'))) as Extract<Fact, { type: 'reply.finished' }>),
    )
  must(await log.learn('demo/m', 1.0625))
  must(await log.remember('telegram', 'offset', '12'))
  must(await log.remember('telegram', 'chat:1', RAIN))
  must(await log.grants.add({ tool: 'taken', binding: 'b0', session: null, facts: {} }))
  must(await log.grants.add({ tool: '"notes', binding: 'b1', session: RAIN, facts: {} }))
  for (const { id, tool } of must(await log.grants.list())) if (tool === 'taken') must(await log.grants.remove(id))
  if (long === 0) return
  must(await log.open(sessionOf(LONG)))
  for (let at = 0; at < long; at += 500)
    must(
      await log.append(
        LONG,
        Array.from({ length: Math.min(500, long - at) }, (_, n) => heard(`line ${at + n}`)),
      ),
    )
}

export const EVERY_SESSION: readonly SessionId[] = [RAIN, FORK, SECOND_FORK, OPEN, OLD, EMPTY]

/** Everything that the ports of a log say of the house. */
export async function seenOf(log: Log): Promise<unknown> {
  const each = async (id: SessionId): Promise<unknown> => [
    must(await log.session(id)),
    must(await log.standing(id)),
    must(await log.read(id)),
    must(await log.planned(id, 9, { voice: 'assistant' })),
    must(await log.past(id, { from: { messages: 1, before: 99 }, voice: 'assistant', folds: true })),
    must(await log.voiceAt(id, 'assistant', 99)),
    must(await log.textsOf(id, '', 99)),
    must(await log.checkpoints(id)),
    must(await log.openTurns(id)),
    must(await log.usage({ session: id })),
    must(await log.memory.pinsFor(id, 9)),
  ]
  const sessions: unknown[] = []
  for (const id of EVERY_SESSION) sessions.push(await each(id))
  const listed = must(await log.sessions({ limit: 99 })).items
  return {
    sessions,
    listed,
    family: must(await log.sessions({ family: RAIN, limit: 9 })).items.map(({ id }) => id),
    project: must(await log.sessions({ project: '"home', limit: 9 })).items.map(({ id }) => id),
    found: must(await log.sessions({ query: 'upon', limit: 9 })).items,
    titled: must(await log.sessions({ query: 'nothing', limit: 9 })).items.map(({ id }) => id),
    waiting: must(await log.waiting()).toSorted(),
    remembered: must(await log.memory.list({ limit: 99 })),
    usage: must(await log.usage({})),
    factors: [...must(await log.factors())],
    channel: [...must(await log.remembered('telegram', ''))],
    grants: must(await log.grants.list()),
    // The parent's, as it was sent, not that of a fork.
    receipt: must(await log.receipt(receiptId('shown'))),
    stateless: must(await log.receipt(receiptId('alone'))),
    behind: must(await log.recall.behind({ version: 1, vectors: null }, 99)).toSorted(),
  }
}

/** A message that is sent again with its key, and a write with ids that are known. */
export async function sentAgain(log: Log): Promise<unknown> {
  const said = exchange(1, turn('1'), 'Rain?', HARD[0] ?? '')
  const byKey = must(await log.append(RAIN, [heard('anything')], { key: 'first "key"' }))
  const byIds = must(await log.append(RAIN, said, { ids: said.map((_, index) => `evt_${index}` as EventId) }))
  const stale = await log.append(RAIN, [heard('late')], { fence: 6 })
  return [byKey.again, factsOf(byKey.events).length, byIds.again, byIds.events.length, stale.ok ? 'taken' : stale.fault.kind]
}
