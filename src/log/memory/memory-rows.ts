/** A session as the store in memory keeps it. */

import type { Event, Recorded } from '../../model/event.ts'
import type { EventId, TurnId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'
import type { Checkpoint, OpenTurn, Planned, Standing } from '../ports.ts'
import { EMPTY_STANDING } from '../standing.ts'

export type Row = {
  session: Session
  standing: Standing
  events: Event[]
  /** Running totals, one beside each event. */
  messages: number[]
  tokens: number[]
  keys: Map<string, { first: number; last: number }>
  /** The seqs of facts whose writers gave them an id. */
  ids: Map<EventId, number>
  /** The highest fence of its appends. */
  fence: number
  /** Each with the seq that first needed it. */
  texts: Map<string, { readonly text: string; readonly since: number }>
  checkpoints: Map<TurnId, Checkpoint>
}

export const emptyRow = (session: Session): Row => ({
  session,
  standing: EMPTY_STANDING,
  events: [],
  messages: [],
  tokens: [],
  keys: new Map(),
  ids: new Map(),
  fence: 0,
  texts: new Map(),
  checkpoints: new Map(),
})

/** A session as callers see it. */
export const shownSession = (row: Row): Session => ({ ...row.session, messages: row.standing.messages })

export const eventsOfTurn = ({ events }: Row, turn: TurnId): readonly Event[] =>
  events.filter(event => 'turn' in event && event.turn === turn)

/** Its requests, newest first. */
export const plannedIn = (events: readonly Event[]): readonly Planned[] =>
  events.filter((event): event is Planned => event.type === 'context.planned').toReversed()

/** Its turns without an end. */
export function openTurnsOf({ session, events }: Row): readonly OpenTurn[] {
  const ended = new Set(events.flatMap((event: Recorded) => (event.type === 'turn.ended' ? [event.turn] : [])))
  return events.flatMap(event =>
    event.type === 'turn.started' && !ended.has(event.turn)
      ? [{ session: session.id, turn: event.turn, voice: event.voice, started: event.seq }]
      : [],
  )
}
