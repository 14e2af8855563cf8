/** Answers the questions of the session index from the arrays of a session in memory. */

import type { Event, FactType } from '../../model/event.ts'
import { hearableIn } from '../hearable.ts'
import { unreplacedOr } from '../memory-rules.ts'
import type { Folded, Weigh } from '../ports.ts'
import { ASIDE_TYPES, countWithin, type EventTrace, isUsableRequest, type SessionIndex } from '../session-index.ts'
import { eventsOfTurn, plannedIn, type Row, seqsBetween } from './memory-rows.ts'

export function indexOf(row: Row, weigh: Weigh): SessionIndex {
  const { events, messages, tokens, ids, standing } = row
  const begins = (index: number): boolean => (messages[index] ?? 0) > (messages[index - 1] ?? 0)
  const seqAt = (index: number): number | undefined => (index === -1 ? undefined : index + 1)
  const traceOf = (event: Event): EventTrace => ({
    seq: event.seq,
    type: event.type,
    turn: 'turn' in event ? event.turn : null,
    tokens: event.tokens,
    begins: begins(event.seq - 1) ? 1 : 0,
    voice: event.type === 'turn.started' ? event.voice : null,
  })
  const ofType = (type: FactType, through: number): readonly Event[] =>
    seqsBetween(row.places.ofType.get(type), 0, through + 1).flatMap(seq => events[seq - 1] ?? [])
  return {
    head: standing.head,
    totals: async seq => ({ messages: messages[seq - 1] ?? 0, tokens: tokens[seq - 1] ?? 0 }),
    beginOf: async message => seqAt(messages.indexOf(message)),
    beginAfterTokens: async total => seqAt(tokens.findIndex((each, index) => each > total && begins(index))),
    lastRequest: async ({ voice, policy, before }) =>
      plannedIn(row, Number.POSITIVE_INFINITY, { voice, before }).find(planned => isUsableRequest(planned, voice, policy)),
    marks: async through => ofType('message.marked', through),
    folds: async (through, since) => unreplacedOr(ofType('history.folded', through) as readonly Folded[], since),
    range: async (after, through) =>
      events.slice(Math.max(0, after), Math.max(0, through)).filter(event => !ASIDE_TYPES.includes(event.type)),
    startsBefore: async (first, through) => {
      const near = new Set(events.slice(first - 1, Math.max(0, through)).flatMap(event => ('turn' in event ? [event.turn] : [])))
      return events.slice(0, first - 1).filter(event => event.type === 'turn.started' && near.has(event.turn))
    },
    backwards: async (through, most) => {
      const end = Math.max(0, Math.min(through, events.length))
      return events
        .slice(Math.max(0, end - most), end)
        .toReversed()
        .map(traceOf)
    },
    ofTurn: async turn => eventsOfTurn(row, turn),
    endOfTurns: async through => {
      const turns = new Set(events.slice(0, through).flatMap(event => ('turn' in event ? [event.turn] : [])))
      return events.findLast(event => 'turn' in event && turns.has(event.turn))?.seq ?? 0
    },
    seqOf: async id => ids.get(id),
    begins: async event => event.type !== 'damaged' && weigh(event).messages > 0,
    hearable: async (ranges, hearer, through) => {
      const begun = hearableIn(events.slice(0, through), hearer).map(each => each.begins)
      return ranges.map(range => countWithin(range, begun))
    },
    deciding: async (_, through) => events.slice(0, through),
  }
}
