/** Reads from the log what a round of a council has come to, and what is due after it. */
import type { Due, EventLog, Standing } from '../../log/ports.ts'
import type { EndReason, Exchange, Recorded, TurnStarted } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, mapResult, ok, type Result } from '../../model/result.ts'
import { type Session, sharedThrough } from '../../model/session.ts'
import { isAfterRound, isHouseVoice, SYNTHESIS, type SynthesisMode } from '../../model/settings/council.ts'
import type { Activity } from '../schedule/running-turns.ts'
import type { TurnRequest } from '../schedule/start-turn.ts'
import { isAnswer, turnsOf } from './round-members.ts'

type Reading = Pick<EventLog, 'read'>

/** How many turns, counted back from the newest, are searched for a round. */
const LOOK_BACK = 200
/** The most events of a round that are read. */
const MOST_EVENTS = 5000

export type Started = Recorded & TurnStarted

/** What follows a round by itself: a turn of the house, or the next round of an exchange. */
export type AfterRound =
  | { readonly is: 'synthesis'; readonly request: TurnRequest }
  | { readonly is: 'exchange'; readonly exchange: Exchange; readonly after: number }

/** Whether every voice that was asked has answered or failed. */
export const isRoundOver = ({ due }: Standing, round: number, { isBeginning, turns }: Activity): boolean =>
  !isBeginning &&
  !due.some(each => each.seq === round && !isAfterRound(each.voice)) &&
  !turns.some(({ cause, voice }) => cause === round && !isHouseVoice(voice))

/** What is due after a round that is over; nothing where a person stopped it, or where no advisor answered in this session. */
export async function afterRound(
  log: Reading,
  session: Session,
  { voice, seq: round }: Due,
): Promise<Result<AfterRound | undefined, Fault>> {
  const events = await eventsOf(log, session.id, round)
  if (!events.ok) return events
  const [message] = events.value
  const ends = endingsOf(events.value, round)
  if (ends.some(({ reason }) => reason === 'cancelled')) return ok(undefined)
  if (voice === SYNTHESIS) {
    // A round that was answered before its session was forked has its synthesis in the parent.
    if (ends.some(({ reason }) => isAnswer(reason)) && !isAnsweredHere(session, ends)) return ok(undefined)
    const mode = (message?.type === 'message.received' ? message.synthesis : undefined) ?? 'brief'
    return mapResult(synthesisOf(ends, round, mode), request => ({ is: 'synthesis', request }))
  }
  if (message?.type !== 'message.received' || message.exchange === undefined || !isAnsweredHere(session, ends))
    return ok(undefined)
  const { round: number, of } = message.exchange
  return ok({ is: 'exchange', exchange: { round: number + 1, of }, after: round })
}

/** The turn that makes a synthesis of a round. */
export async function synthesisRequest(
  log: Reading,
  id: SessionId,
  round: number,
  mode: SynthesisMode,
): Promise<Result<TurnRequest, Fault>> {
  const events = await eventsOf(log, id, round)
  return events.ok ? synthesisOf(endingsOf(events.value, round), round, mode) : events
}

function synthesisOf(ends: readonly Ending[], round: number, mode: SynthesisMode): Result<TurnRequest, Fault> {
  if (!ends.some(({ reason }) => isAnswer(reason)))
    return err(fault('conflict', 'no advisor has answered in this round, so there is nothing to bring together'))
  const at = ends.reduce((most, { seq }) => Math.max(most, seq), round)
  return ok({ voice: SYNTHESIS, cause: round, mode, at })
}

/** The newest turn of each voice. */
export async function latestTurns(log: Reading, id: SessionId): Promise<Result<readonly Started[], Fault>> {
  return mapResult(await newestTurns(log, id), turns => [...new Map(turns.map(event => [event.voice, event])).values()])
}

/** The seq of the last message to the whole council, or 0; messages to some of its advisors are no rounds. */
export async function lastRoundSeq(log: Reading, id: SessionId): Promise<Result<number, Fault>> {
  const turns = await newestTurns(log, id)
  if (!turns.ok) return turns
  const causes = new Set(turns.value.flatMap(({ voice, cause }) => (isHouseVoice(voice) ? [] : [cause])))
  for (const cause of [...causes].sort((a, b) => b - a)) {
    const message = await log.read(id, { after: cause - 1, through: cause })
    if (!message.ok) return message
    const [event] = message.value
    if (event?.type === 'message.received' && event.to === undefined) return ok(cause)
  }
  return ok(0)
}

const newestTurns = async (log: Reading, id: SessionId): Promise<Result<readonly Started[], Fault>> =>
  mapResult(await log.read(id, { only: 'turn.started', newest: true, limit: LOOK_BACK }), events =>
    events.filter((event): event is Started => event.type === 'turn.started'),
  )

const eventsOf = (log: Reading, id: SessionId, round: number): Promise<Result<readonly Recorded[], Fault>> =>
  log.read(id, { after: round - 1, limit: MOST_EVENTS })

type Ending = { readonly reason: EndReason; readonly seq: number }

const endingsOf = (events: readonly Recorded[], round: number): readonly Ending[] => {
  const turns = new Set(turnsOf(events, round).map(({ turn }) => turn))
  return events.flatMap(event =>
    event.type === 'turn.ended' && turns.has(event.turn) ? [{ reason: event.reason, seq: event.seq }] : [],
  )
}

const isAnsweredHere = (session: Session, ends: readonly Ending[]): boolean =>
  ends.some(({ reason, seq }) => isAnswer(reason) && seq > sharedThrough(session))
