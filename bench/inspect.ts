// What looking costs: proving a recorded request, asking what else could have been sent, where a message is, how a session went.
import { weigh } from '../src/context/text/tokens.ts'
import { createEngine, type Engine, sqliteLog } from '../src/index.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import { demoProvider } from '../src/provider/demo/demo.ts'
import { copyOf, fixture, MODEL, type Sized } from './fixture.ts'
import { type Case, measure, report, scaleOf, sure, timed } from './measure.ts'

const LARGE = 100_000
const PAGE = 50

const given = scaleOf(process.argv)
const scale = { ...given, large: Math.min(given.large, LARGE), rounds: Math.min(given.rounds, 10) }
using database = copyOf(fixture(scale.small, scale.large))
const log = sure(await sqliteLog({ file: database.file, clock: Date.now, weigh }))
const engine = createEngine({
  log,
  provider: demoProvider({ delayMs: 0 }),
  // A window as large as in a true session, and answered at once.
  models: { demo: { window: MODEL.window } },
  limits: { historyMs: 10_000 },
})

/** A last turn that was really sent, so that there is something to prove: the others only look like it. */
async function lastTurn(session: SessionId): Promise<{ readonly turn: TurnId; readonly cause: number }> {
  sure(await engine.change(session, { policy: 'steady' }))
  const { seq, turns } = sure(await engine.say({ session, text: 'And what about the boats?', from: 'person' }))
  const abort = new AbortController()
  for await (const signal of engine.follow(session, seq, abort.signal))
    if (signal.type === 'event' && signal.event.type === 'turn.ended') break
  abort.abort()
  const [turn] = turns
  if (turn === undefined) throw new Error('nobody answered')
  return { turn, cause: seq }
}

async function proved(looking: Engine, session: SessionId, turn: TurnId): Promise<void> {
  const { verified, receipt } = sure(await looking.asSent(session, turn, 1, { items: true }))
  if (verified !== true || receipt.degraded !== null) throw new Error('the request does not prove itself')
}

async function asked(looking: Engine, session: SessionId, cause: number, policy: string): Promise<void> {
  const { receipt } = sure(await looking.wouldSend(session, { at: cause, policy, items: true }))
  if (receipt.degraded !== null) throw new Error(receipt.degraded.reason)
}

const looking = async ({ session, messages }: Sized): Promise<Case> => {
  const { turn, cause } = await lastTurn(session)
  return {
    messages,
    goes: Math.ceil(scale.goes / 4),
    once: async () => ({
      'verify, one request': await timed(() => proved(engine, session, turn)),
      'what-if, as it was': await timed(() => asked(engine, session, cause, 'steady')),
      'what-if, another policy': await timed(() => asked(engine, session, cause, 'head-tail')),
      'presence, first page': await timed(async () => sure(await engine.presence(session, 1, { limit: PAGE }))),
      'timeline, first page': await timed(async () => sure(await engine.timeline(session, { limit: PAGE }))),
    }),
  }
}

await report('inspect', scale, async () => measure([await looking(database.small), await looking(database.large)], scale))
await engine.close()
