/** Writes copied events, and the rows that follow from them: numbers of messages, late turns, counts of voices, receipts, pins and folds. */

import { type Event, type Fact, parseFact } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { HouseEvent } from '../../copy/house.ts'
import type { Standing } from '../../ports.ts'
import { advance, EMPTY_STANDING } from '../../standing.ts'
import type { Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { columnsOf, type FactRows, indexFacts } from '../events/index-facts.ts'
import { trackKept } from '../recall/kept.ts'
import { type IndexState, NO_INDEX } from '../rows.ts'

type Followed = { readonly index: IndexState; readonly standing: Standing }
type OfSession<Rows> = Rows & { readonly session: SessionId }

export type FactCopier = {
  /** A page of events, each session's in order. */
  readonly add: (events: readonly HouseEvent[]) => Promise<void>
  /** What is known of a session after all its events. */
  readonly indexOf: (id: SessionId) => IndexState
}

export function createFactCopier(query: Query): FactCopier {
  const followed = new Map<SessionId, Followed>()
  return {
    indexOf: id => followed.get(id)?.index ?? NO_INDEX,
    add: async events => {
      const read = events.map(event => ({ event, fact: factOf(event) }))
      await insertEvents(query, read)
      const rows = { numbers: [], late: [], counts: [] } as {
        numbers: OfSession<FactRows['numbers'][number]>[]
        late: OfSession<FactRows['late'][number]>[]
        counts: OfSession<FactRows['counts'][number]>[]
      }
      for (const [session, own] of Map.groupBy(read, ({ event }) => event.session)) {
        const derived = follow(session, own)
        for (const each of derived.numbers) rows.numbers.push({ session, ...each })
        for (const each of derived.late) rows.late.push({ session, ...each })
        for (const each of derived.counts) rows.counts.push({ session, ...each })
        const kept = own.flatMap(({ event, fact }) => (isKept(fact) ? [recordedOf(event, fact)] : []))
        if (kept.length > 0) await trackKept(query, session, kept)
      }
      await insertRows(query, rows)
      await insertPlaces(query, read)
    },
  }

  function follow(session: SessionId, own: readonly Read[]): FactRows {
    let { index, standing } = followed.get(session) ?? { index: NO_INDEX, standing: EMPTY_STANDING }
    const placed = own.flatMap(({ event, fact }) => {
      const { seq, tokens, begins: messages } = event
      const said = fact ?? wordsOf(event)
      if (said === undefined) return []
      standing = { ...advance({ ...standing, head: seq - 1 }, said, { tokens, messages }), due: [] }
      return [{ fact: said, seq, messages, voices: standing.voices }]
    })
    const derived = indexFacts(index, placed)
    index = derived.state
    followed.set(session, { index, standing })
    return derived
  }
}

/** An event with its fact, if that can be read. */
type Read = { readonly event: HouseEvent; readonly fact: Fact | undefined }

function factOf({ type, body }: HouseEvent): Fact | undefined {
  const fact = parseFact(type, body)
  return 'why' in fact ? undefined : fact
}

/** A damaged message keeps its number among the others. */
function wordsOf({ type, turn }: HouseEvent): Fact | undefined {
  if (type === 'message.received') return { type, text: '', from: '' }
  if (type === 'reply.finished' && turn !== null) return { type, turn, step: 0, parts: [] } as unknown as Fact
  return undefined
}

const isKept = (fact: Fact | undefined): fact is Fact => fact?.type === 'message.marked' || fact?.type === 'history.folded'

const recordedOf = ({ session, seq, at, tokens }: HouseEvent, fact: Fact): Event =>
  ({ ...fact, session, seq, at, tokens }) as Event

/** What begins a message and cannot be read may not begin one. */
const MAY_BEGIN: readonly string[] = ['message.received', 'turn.started', 'reply.finished']

async function insertEvents(query: Query, read: readonly Read[]): Promise<void> {
  const events = read.map(({ event }) => event)
  const derived = read.map(({ event, fact }) =>
    fact === undefined ? { voice: null, resumes: null, step: null, isOdd: MAY_BEGIN.includes(event.type) } : columnsOf(fact),
  )
  await query(
    `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id, voice, resumes, step, is_odd)
     select session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id, voice, resumes, step, is_odd
     from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::smallint[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::boolean[]) with ordinality
       as copied (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, event_id, voice, resumes, step, is_odd, place)
     order by place`,
    [
      ...(['session', 'seq', 'at', 'type'] as const).map(name => events.map(event => event[name])),
      events.map(({ turn }) => (turn === null ? null : encodeName(turn))),
      ...(['body', 'tokens', 'totalTokens', 'totalMessages', 'begins', 'id'] as const).map(name =>
        events.map(event => event[name]),
      ),
      ...(['voice', 'resumes', 'step', 'isOdd'] as const).map(name => derived.map(each => each[name])),
    ],
  )
}

async function insertRows(
  query: Query,
  {
    numbers,
    late,
    counts,
  }: {
    readonly numbers: readonly OfSession<FactRows['numbers'][number]>[]
    readonly late: readonly OfSession<FactRows['late'][number]>[]
    readonly counts: readonly OfSession<FactRows['counts'][number]>[]
  },
): Promise<void> {
  const of = <Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): readonly (readonly unknown[])[] =>
    names.map(name => rows.map(row => row[name]))
  if (numbers.length > 0)
    await query(
      `insert into message_numbers (session, speaker, seq, number)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])`,
      of(numbers, 'session', 'speaker', 'seq', 'number'),
    )
  if (late.length > 0)
    await query(
      'insert into late_turns (session, seq, turn) select * from unnest($1::text[], $2::bigint[], $3::text[])',
      of(late, 'session', 'seq', 'turn'),
    )
  if (counts.length > 0)
    await query(
      `insert into voice_counts (session, voice, seq, turns, answers)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])`,
      of(counts, 'session', 'voice', 'seq', 'turns', 'answers'),
    )
}

/** In the order of the events: of two equal receipts the first is the one that was sent. */
async function insertPlaces(query: Query, read: readonly Read[]): Promise<void> {
  const placed = read.flatMap(({ event: { session, seq }, fact }) =>
    fact?.type === 'context.planned' && typeof fact.receipt.id === 'string' ? [{ id: fact.receipt.id, session, seq }] : [],
  )
  if (placed.length === 0) return
  await query(
    `insert into receipt_places (receipt, session, seq)
     select receipt, session, seq from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as placed (receipt, session, seq, place)
     order by place`,
    [placed.map(({ id }) => id), placed.map(({ session }) => session), placed.map(({ seq }) => seq)],
  )
}
