/** Forks a session: copies its beginning piece by piece under an id that cannot be found, and shows the fork when it is complete. */

import type { Event, Fact, Recorded } from '../../../model/event.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Clock, OpenTurn, SessionStore, Standing, Weigh } from '../../ports.ts'
import {
  advance,
  beyondEnd,
  dueIn,
  EMPTY_STANDING,
  forkedSession,
  inOrder,
  STANDING_TYPES,
  sessionAfter,
  standingAfter,
} from '../../standing.ts'
import type { Database, Query } from '../database.ts'
import { decodeName, encodeName } from '../encode-name.ts'
import { eventsIn } from '../events/events.ts'
import { type IndexedFact, indexFacts } from '../events/index-facts.ts'
import { eventWrites, factRowWrites, insertSession, sessionWrites } from '../events/write-rows.ts'
import { trackKept } from '../recall/kept.ts'
import { receiptWrites } from '../receipts.ts'
import {
  EVENT,
  type EventRow,
  eventOf,
  type IndexState,
  indexStateOf,
  NO_INDEX,
  type OpenTurnState,
  sessionOfRow,
  sessionRow,
} from '../rows.ts'
import { writeTogether } from '../write-together.ts'
import { beginImport, endImport, keepAlive } from './import.ts'
import { freeId, giveUp, TAKEN } from './sessions.ts'
import { staysHere } from './stays-here.ts'

const MOST_COPIED_AT_ONCE = 5000
const STANDING = `type in (${STANDING_TYPES.map(type => `'${type}'`).join(', ')})`

export function postgresFork(
  db: Database,
  { clock, weigh }: { readonly clock: Clock; readonly weigh: Weigh },
): SessionStore['fork'] {
  return async (from, at, session, close, keep) => {
    const source = await db.attempt(async query => {
      const row = await sessionRow(query, from)
      return row === undefined ? err(NO_SESSION) : ok(row.head)
    })
    if (!source.ok) return source
    if (at > source.value) return err(beyondEnd(at, source.value))
    // Until it is complete it is part of an import of its own: not found, and swept if this process dies.
    const begun = await beginImport(db)
    if (!begun.ok) return begun
    const number = begun.value
    const claimed = await db.transaction(async query => {
      const free = await freeId(query, session.id)
      if (!free.ok) return free
      const isClaimed = await insertSession(query, { session, standing: EMPTY_STANDING, index: NO_INDEX }, number)
      return isClaimed ? ok(null) : err(TAKEN)
    })
    const forked = claimed.ok ? await copied() : claimed
    if (forked.ok) return forked
    // Where only the answer to the last step was lost, the fork is there.
    const there = await db.attempt(async query => ok(await sessionRow(query, session.id)))
    if (claimed.ok && there.ok && there.value !== undefined) return ok(sessionOfRow(there.value))
    await giveUp(db, session.id, number)
    await endImport(db, number)
    return forked

    async function copied(): Promise<Result<Session, Fault>> {
      for (let after = 0; after < at; after += MOST_COPIED_AT_ONCE) {
        const through = Math.min(at, after + MOST_COPIED_AT_ONCE)
        const piece = await db.transaction(query => copyPiece(query, number, { from, to: session.id, after, through }))
        if (!piece.ok) return piece
      }
      return db.transaction(async query => {
        const ready = await bothStay(query, number, from)
        if (!ready.ok) return ready
        const standing = await standingAt(query, from, at)
        const index = await indexAt(query, from, at, ready.value)
        const own = await openTurns(query, index)
        if (!own.ok) return own
        return publish(query, standing, index, own.value)
      })
    }

    /** The turns that are open where the fork begins: the events it keeps, and the facts that end turns still open after those. */
    async function openTurns(
      query: Query,
      index: IndexState,
    ): Promise<Result<{ readonly kept: readonly Event[]; readonly endings: readonly Fact[] }, Fault>> {
      const kept: (readonly Event[])[] = []
      const endings: Fact[] = []
      for (const [turn, { voice, started }] of Object.entries(index.turns).sort((a, b) => a[1].started - b[1].started)) {
        const open = { session: session.id, turn, voice, started } as OpenTurn
        const own = await eventsIn(query, from, { turn: open.turn, ...(keep === undefined ? { through: at } : {}) })
        if (!own.ok) return own
        const later = keep?.(open, own.value) ?? []
        kept.push(later)
        if (later.some(({ type }) => type === 'turn.ended')) continue
        endings.push(...close(open, [...own.value.filter(({ seq }) => seq <= at), ...later]))
      }
      return ok({ kept: inOrder(kept), endings })
    }

    async function publish(
      query: Query,
      start: Standing,
      index: IndexState,
      { kept, endings }: { readonly kept: readonly Event[]; readonly endings: readonly Fact[] },
    ): Promise<Result<Session, Fault>> {
      const now = new Date(clock()).toISOString()
      let standing: Standing = { ...start, due: dueIn(session, start.due) }
      const added: (IndexedFact & { readonly at: string; readonly tokens: number; readonly standing: Standing })[] = []
      const add = (fact: Fact, when: string, tokens: number, messages: number): void => {
        standing = advance(standing, fact, { tokens, messages })
        added.push({ fact, at: when, tokens, messages, seq: standing.head, voices: standing.voices, standing })
      }
      for (const { session: _, seq: __, at: when, tokens, ...fact } of kept)
        add(fact as Fact, when, tokens, weigh(fact as Fact).messages)
      const opened = forkedSession(session, standing, kept.length)
      let shown = opened
      for (const fact of endings) {
        const { tokens, messages } = weigh(fact)
        add(fact, now, tokens, messages)
        shown = sessionAfter(shown, fact, now)
      }
      const derived = indexFacts(index, added)
      const events = added.map(({ fact, seq, at: when, tokens, messages, standing: after }) => ({
        ...{ session: session.id, seq, at: when, fact, tokens, begins: messages },
        ...{ totalTokens: after.tokens, totalMessages: after.messages },
      }))
      await writeTogether(query, [...eventWrites(events), ...factRowWrites([{ session: session.id, rows: derived }])])
      await copyTexts(query, from, session.id, at, kept)
      const marked = await markedEvents(query, session.id)
      const recorded = added.map(
        ({ fact, seq, at: when, tokens }) => ({ ...fact, session: session.id, seq, at: when, tokens }) as Event,
      )
      await trackKept(query, session.id, [...marked, ...recorded.filter(({ seq }) => !marked.some(each => each.seq === seq))])
      const saved = { session: shown, standing, index: derived.state, fence: 0 }
      await writeTogether(query, [...receiptWrites(recorded), ...sessionWrites([saved])])
      await query('update sessions set import = null where id = $1', [session.id])
      await query('delete from imports where id = $1', [number])
      return ok({ ...shown, messages: standing.messages })
    }
  }
}

/** Keeps the copy from being swept and the session that is copied from being removed, and gives the index of that as it is now. */
async function bothStay(query: Query, number: number, from: SessionId): Promise<Result<IndexState, Fault>> {
  const alive = await keepAlive(query, number)
  if (!alive.ok) return err(SWEPT)
  const row = (await staysHere(query, from)) ? await sessionRow(query, from) : undefined
  return row === undefined ? err(NO_SESSION) : ok(indexStateOf(row))
}

const SWEPT: Fault = fault('store', 'the copy took too long, and was cleared away')

async function copyPiece(
  query: Query,
  number: number,
  {
    from,
    to,
    after,
    through,
  }: { readonly [Side in 'from' | 'to']: SessionId } & { readonly [Seq in 'after' | 'through']: number },
): Promise<Result<null, Fault>> {
  const ready = await bothStay(query, number, from)
  if (!ready.ok) return ready
  const columns = 'seq, at, type, turn, body, tokens, total_tokens, total_messages, begins, voice, resumes, step, is_odd'
  const copied = await query(
    `insert into events (session, ${columns}) select $2, ${columns} from events where session = $1 and seq > $3 and seq <= $4
     order by seq returning 1`,
    [from, to, after, through],
  )
  if (copied.length !== through - after) return err(fault('store', 'the session changed while it was copied'))
  for (const [table, rest] of [
    ['message_numbers', 'speaker, seq, number'],
    ['late_turns', 'seq, turn'],
    ['voice_counts', 'voice, seq, turns, answers'],
    ['receipt_places', 'receipt, seq'],
  ] as const)
    await query(
      `insert into ${table} (session, ${rest}) select $2, ${rest} from ${table} where session = $1 and seq > $3 and seq <= $4`,
      [from, to, after, through],
    )
  return ok(null)
}

/** The standing of a session at a seq, from the events that change it. */
async function standingAt(query: Query, id: SessionId, through: number): Promise<Standing> {
  let standing: Standing = EMPTY_STANDING
  for (let after = 0; ; ) {
    const page = await query<EventRow>(
      `select ${EVENT} from events where session = $1 and seq > $2 and seq <= $3 and ${STANDING} order by seq limit 1000`,
      [id, after, through],
    )
    for (const each of page) {
      // When nothing is due a request changes nothing, and requests are most of the bytes.
      if (each.type === 'context.planned' && standing.due.length === 0) continue
      standing = standingAfter(standing, eventOf(id, each))
    }
    after = page.at(-1)?.seq ?? through
    if (page.length < 1000) break
  }
  const [totals] = await query<{ messages: number; tokens: number }>(
    'select total_messages as messages, total_tokens as tokens from events where session = $1 and seq = $2',
    [id, through],
  )
  return { ...standing, messages: totals?.messages ?? 0, tokens: totals?.tokens ?? 0, head: through }
}

/** The running numbers and open turns of a session at a seq. */
async function indexAt(query: Query, id: SessionId, through: number, now: IndexState): Promise<IndexState> {
  const [speakers, open] = await Promise.all([
    query<{ speaker: string; number: number }>(
      'select speaker, max(number) as number from message_numbers where session = $1 and seq <= $2 group by speaker order by min(seq)',
      [id, through],
    ),
    query<EventRow & { readonly numbered: boolean }>(
      `select ${EVENT}, exists (
         select 1 from events as said where said.session = $1 and said.turn = begun.turn and said.seq <= $2
           and said.begins = 1 and said.type = 'reply.finished') as numbered
       from events as begun where session = $1 and seq <= $2 and type = 'turn.started' and not exists (
         select 1 from events as ended where ended.session = $1 and ended.turn = begun.turn and ended.seq <= $2
           and ended.type = 'turn.ended')
       order by seq`,
      [id, through],
    ),
  ])
  const turns = open.flatMap(({ numbered, ...row }): [string, OpenTurnState][] => {
    const start = eventOf(id, row)
    if (start.type !== 'turn.started') return []
    return [[start.turn, { voice: start.voice, started: start.seq, isNumbered: numbered }]]
  })
  // The session itself has the whole names of all who have spoken until now.
  const names = new Map(Object.keys(now.speakers).map(name => [encodeName(name), name]))
  return {
    turns: Object.fromEntries(turns),
    speakers: Object.fromEntries(speakers.map(({ speaker, number }) => [names.get(speaker) ?? decodeName(speaker), number])),
  }
}

async function markedEvents(query: Query, id: SessionId): Promise<readonly Recorded[]> {
  const found = await query<EventRow>(
    `select ${EVENT} from events where session = $1 and type in ('message.marked', 'history.folded') order by seq`,
    [id],
  )
  return found.map(each => eventOf(id, each))
}

/** The texts that what a fork shares can need, and those of the events it kept beyond that. */
async function copyTexts(query: Query, from: SessionId, to: SessionId, shared: number, kept: readonly Event[]): Promise<void> {
  await query(
    `insert into text_uses (session, hash, since)
     select $2, hash, case when since <= $3 then since else $3 end from text_uses
     where session = $1 and (since <= $3 or since = any($4::bigint[])) on conflict do nothing`,
    [from, to, shared, kept.map(({ seq }) => seq)],
  )
}
