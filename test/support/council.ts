import type { Engine, EngineOptions } from '../../src/engine.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Provider } from '../../src/model/provider.ts'
import type { Advisor, Council } from '../../src/model/settings/council.ts'
import { type DemoRequest, demoWire } from '../../src/provider/demo/wire.ts'
import { says } from '../../src/testing/scripted.ts'
import { engineWith, eventsOf } from './engine.ts'

export const advisor = (id: string, more: Partial<Advisor> = {}): Advisor => ({
  id,
  name: id.charAt(0).toUpperCase() + id.slice(1),
  description: `You look at everything as ${id} would.`,
  color: '#0072b2',
  active: true,
  ...more,
})

export const councilOf = (advisors: readonly Advisor[], more: Partial<Council> = {}): Council => ({
  key: 'board',
  name: 'Board',
  advisors,
  references: 'last-round',
  early: { turns: 0 },
  ...more,
})

type Reply = readonly Delta[] | AsyncIterable<Delta>

/** Answers every voice by a function, at the same time, and remembers what each was asked. */
export type Stand = Provider & { readonly requests: readonly DemoRequest[] }

export function stand(
  reply: (request: DemoRequest, signal: AbortSignal) => Reply = ({ voice, turn }) => says(`${voice} says ${turn}.`),
): Stand {
  const requests: DemoRequest[] = []
  async function* speak({ body }: { readonly body: string }, signal: AbortSignal): AsyncGenerator<Delta> {
    const request = JSON.parse(body) as DemoRequest
    requests.push(request)
    yield* reply(request, signal)
  }
  return { wire: demoWire, requests, speak }
}

export type Board = { readonly engine: Engine; readonly session: SessionId; readonly seats: { council: Council } }

/** A session of a council that can be changed while it goes on. */
export async function boardOf(council: Council, options: Partial<EngineOptions> = {}): Promise<Board> {
  const seats = { council }
  const engine = engineWith({ councils: () => [seats.council], ...options })
  const session = await engine.open({ council: council.key })
  if (!session.ok) throw new Error(session.fault.message)
  return { engine, session: session.value.id, seats }
}

/** Waits until every turn that has started has ended, and nothing is due any more; gives back every event. */
export async function settled(
  { engine, session }: Pick<Board, 'engine' | 'session'>,
  enough: (events: readonly Recorded[]) => boolean,
): Promise<readonly Recorded[]> {
  const abort = new AbortController()
  try {
    for await (const signal of engine.follow(session, 0, abort.signal)) {
      if (signal.type !== 'event' || (signal.event.type !== 'turn.ended' && signal.event.type !== 'message.received')) continue
      const events = await eventsOf(engine, session)
      // The log has an end a little before it is told; a turn tells of its end when nothing of it is left to do.
      const isTold = events.every(({ type, seq }) => type !== 'turn.ended' || seq <= signal.event.seq)
      if (isTold && enough(events) && openIn(events).length === 0) return events
    }
  } finally {
    abort.abort()
  }
  throw new Error('the session was let go')
}

export const openIn = (events: readonly Recorded[]): readonly TurnId[] => {
  const ended = new Set(events.flatMap(event => (event.type === 'turn.ended' ? [event.turn] : [])))
  return events.flatMap(event => (event.type === 'turn.started' && !ended.has(event.turn) ? [event.turn] : []))
}

/** Says something to the council and waits until all who were asked have ended. */
export async function round(
  board: Board,
  text: string,
  more: { readonly to?: readonly string[] } = {},
): Promise<readonly Recorded[]> {
  const said = await board.engine.say({ session: board.session, text, from: 'person', ...more })
  if (!said.ok) throw new Error(said.fault.message)
  const { seq } = said.value
  return settled(board, events => {
    const message = events.find(event => event.seq === seq)
    const asked = message?.type === 'message.received' ? (message.voices ?? []) : []
    return asked.every(voice =>
      events.some(event => event.type === 'turn.started' && event.voice === voice && event.cause >= seq),
    )
  })
}

/** What a request holds, a line for each message: its role and its text. */
export const linesOf = ({ messages }: DemoRequest): readonly string[] =>
  messages.map(({ role, blocks }) => `${role}: ${blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('|')}`)

export const withoutStamps = (line: string): string => line.replace(/\[\d{4}-\d\d-\d\dT\d\d:\d\d\] /, '')
