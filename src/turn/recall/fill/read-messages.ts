/** Finds the messages in a stretch of a log: what people said, and each answer when its turn has ended. */
import type { Event, Recorded } from '../../../model/event.ts'
import type { TurnId } from '../../../model/ids.ts'
import { isReply } from '../../../model/message/spoken.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'

/** A message that is complete, with the events it is made of. */
export type CompleteMessage = {
  readonly events: readonly Recorded[]
  /** The seq with which it was complete. */
  readonly completed: number
  /** When it was said. */
  readonly at: string
  /** The voice that said it; empty for a person. */
  readonly voice: string
  /** The voices that may hear it; empty if all may. */
  readonly to: readonly string[]
}

/** What a stretch of the log has for the index. */
export type ReadMessages = {
  readonly messages: readonly CompleteMessage[]
  /** First seqs of answers that no longer count, and since when. */
  readonly replaced: readonly (readonly [seq: number, since: number])[]
}

/** Gives all events of a turn up to a seq: for turns that began before the stretch. */
export type EventsOfTurn = (turn: TurnId, through: number) => Promise<readonly Recorded[]>

/** Turns of this end are answers; of others nothing is quoted. */
const ANSWERED: ReadonlySet<string> = new Set(['done', 'limit', 'cancelled'])

/** The messages that are complete within these events, in the order in which they were. */
export async function readMessages(events: readonly Recorded[], eventsOfTurn: EventsOfTurn): Promise<ReadMessages> {
  const messages: CompleteMessage[] = []
  const replaced: [number, number][] = []
  const here = Map.groupBy(events, event => ('turn' in event ? event.turn : undefined))
  const wholeTurn: EventsOfTurn = async (turn, through) => {
    const own = here.get(turn) ?? []
    if (!own.some(event => event.type === 'turn.started')) return eventsOfTurn(turn, through)
    return own.filter(({ seq }) => seq <= through)
  }
  for (const event of events) {
    if (event.type === 'message.received') {
      if (event.from === 'council') continue
      messages.push({ events: [event], completed: event.seq, at: event.at, voice: '', to: event.to ?? [] })
    }
    if (event.type === 'turn.started' && event.resumes !== undefined && event.continues !== true) {
      // Its message begins with the first of the turns whose text it went on with.
      const { answer } = await answerOf({ turn: event.resumes, seq: event.seq }, wholeTurn)
      const [first] = answer
      if (first !== undefined) replaced.push([first.seq, event.seq])
    }
    if (event.type !== 'turn.ended' || isHouseVoice(event.voice) || !ANSWERED.has(event.reason)) continue
    const { answer, continued } = await answerOf(event, wholeTurn)
    replaced.push(...continued.map((seq): [number, number] => [seq, event.seq]))
    const [first] = answer
    if (first !== undefined) messages.push({ events: answer, completed: event.seq, at: first.at, voice: event.voice, to: [] })
  }
  return { messages, replaced }
}

/** The replies and results of a turn, and of the turns whose text it goes on with. */
async function answerOf(
  { turn, seq }: Pick<Extract<Event, { type: 'turn.ended' }>, 'turn' | 'seq'>,
  eventsOfTurn: EventsOfTurn,
): Promise<{ readonly answer: readonly Recorded[]; readonly continued: readonly number[] }> {
  const answer: Recorded[] = []
  const continued: number[] = []
  const known = new Set<TurnId>()
  for (let next: TurnId | undefined = turn; next !== undefined && !known.has(next); ) {
    known.add(next)
    const own: readonly Recorded[] = await eventsOfTurn(next, seq)
    const first = next === turn ? undefined : firstReply(own)
    if (first !== undefined) continued.push(first)
    answer.unshift(...own.filter(isQuotable))
    const started = own.find(event => event.type === 'turn.started')
    next = started?.type === 'turn.started' && started.continues === true ? started.resumes : undefined
  }
  return { answer, continued }
}

/** A reply that was cut and not gone on with has words all the same; thinking and calls are left out later. */
const isQuotable = (event: Recorded): boolean =>
  (isReply(event) && event.internal !== true && event.parts.length > 0) || event.type === 'tool.settled'

const firstReply = (events: readonly Recorded[]): number | undefined => events.find(isQuotable)?.seq
