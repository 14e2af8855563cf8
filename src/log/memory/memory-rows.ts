/** A session as the store in memory keeps it. */

import type { Event, Recorded } from '../../model/event.ts'
import type { EventId, TurnId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import type {
  Checkpoint,
  OpenTurn,
  Planned,
  PostingRow,
  RecallBlock,
  RecallState,
  RequestRange,
  Standing,
  VoiceCounts,
} from '../ports.ts'
import { EMPTY_STANDING } from '../standing.ts'

export type Row = {
  session: Session
  standing: Standing
  events: Event[]
  /** Running totals, one beside each event. */
  messages: number[]
  tokens: number[]
  places: Places
  keys: Map<string, { first: number; last: number }>
  /** The seqs of facts whose writers gave them an id. */
  ids: Map<EventId, number>
  /** The highest fence of its appends. */
  fence: number
  /** Each with the seq that first needed it. */
  texts: Map<string, { readonly text: string; readonly since: number }>
  checkpoints: Map<TurnId, Checkpoint>
  /** Undefined if nothing was indexed yet. */
  recall: RecallRows | undefined
}

/** The recall index of a session: postings by term and segment, blocks by kind and number. */
export type RecallRows = {
  readonly state: RecallState
  readonly postings: Map<string, Map<number, PostingRow>>
  readonly blocks: Map<string, RecallBlock>
}

/** Where events are, so that nothing is looked for by walking through a session. */
export type Places = {
  /** The seqs of each turn's events, and of the types that are read by themselves. */
  readonly ofTurn: Map<TurnId, number[]>
  readonly ofType: Map<string, number[]>
  /** The seqs of each voice's requests. */
  readonly requestsOf: Map<VoiceId, number[]>
  /** How often each voice had spoken, after every event that changed it. */
  readonly counts: Map<VoiceId, (VoiceCounts & { readonly seq: number })[]>
}

const noPlaces = (): Places => ({ ofTurn: new Map(), ofType: new Map(), requestsOf: new Map(), counts: new Map() })

/** Adds the next event of a session, with the totals up to it. */
export function pushEvent(row: Row, event: Event, totals: Pick<Standing, 'messages' | 'tokens' | 'voices'>): void {
  row.events.push(event)
  row.messages.push(totals.messages)
  row.tokens.push(totals.tokens)
  const { ofTurn, ofType, requestsOf, counts } = row.places
  const { seq } = event
  addTo(ofType, event.type, seq)
  if ('turn' in event) addTo(ofTurn, event.turn, seq)
  if (event.type === 'context.planned') addTo(requestsOf, event.receipt.voice, seq)
  if (event.type === 'turn.started' || event.type === 'turn.ended')
    addTo(counts, event.voice, { ...(totals.voices[event.voice] ?? NEVER_SPOKE), seq })
}

function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [value])
  else known.push(value)
}

export const NEVER_SPOKE: VoiceCounts = { turns: 0, answers: 0 }

/** How many items of a list in order come before the first one that is not `wanted`: all before it are. */
export function countWhile<Item>(items: readonly Item[], wanted: (item: Item) => boolean): number {
  let low = 0
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >> 1
    if (wanted(items[middle] as Item)) low = middle + 1
    else high = middle
  }
  return low
}

/** The seqs of a list in order that are after one seq and before another. */
export const seqsBetween = (seqs: readonly number[] | undefined, after: number, before: number): readonly number[] =>
  seqs?.slice(
    countWhile(seqs, seq => seq <= after),
    countWhile(seqs, seq => seq < before),
  ) ?? []

export const emptyRow = (session: Session): Row => ({
  session,
  standing: EMPTY_STANDING,
  events: [],
  messages: [],
  tokens: [],
  places: noPlaces(),
  keys: new Map(),
  ids: new Map(),
  fence: 0,
  texts: new Map(),
  checkpoints: new Map(),
  recall: undefined,
})

/** A session as callers see it. */
export const shownSession = (row: Row): Session => ({ ...row.session, messages: row.standing.messages })

export const eventsOfTurn = ({ events, places }: Row, turn: TurnId): readonly Event[] =>
  (places.ofTurn.get(turn) ?? []).flatMap(seq => events[seq - 1] ?? [])

/** Its requests, newest first unless the range says otherwise. */
export function plannedIn(
  { events, places }: Row,
  most: number,
  { voice, after = 0, before = Number.POSITIVE_INFINITY, oldestFirst = false }: RequestRange = {},
): readonly Planned[] {
  const all = voice === undefined ? places.ofType.get('context.planned') : places.requestsOf.get(voice)
  const seqs = seqsBetween(all, after, before)
  const wanted = oldestFirst ? seqs.slice(0, most) : seqs.slice(Math.max(0, seqs.length - most)).toReversed()
  return wanted.map(seq => events[seq - 1] as Planned)
}

/** Its turns without an end. */
export function openTurnsOf({ session, events }: Row): readonly OpenTurn[] {
  const ended = new Set(events.flatMap((event: Recorded) => (event.type === 'turn.ended' ? [event.turn] : [])))
  return events.flatMap(event =>
    event.type === 'turn.started' && !ended.has(event.turn)
      ? [{ session: session.id, turn: event.turn, voice: event.voice, started: event.seq }]
      : [],
  )
}
