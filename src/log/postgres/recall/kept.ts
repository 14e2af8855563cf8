/** Finds what is remembered beyond one session: the rows that follow its marks and folds, and the sessions that others may be quoted from. */

import type { Mark, Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { NO_SESSION } from '../../faults.ts'
import { countingPins, memoryPage, newestMemoryFirst, type ReachingPin, readMemoryCursor, sourceOf } from '../../memory-rules.ts'
import type { KeptFold, KeptPin, MemoryStore } from '../../ports.ts'
import type { Database, Query } from '../database.ts'
import { encodeName, NO_NAME } from '../encode-name.ts'
import { EVENT, type EventRow, eventOf, SESSION_FIELDS, type StoredSession, sessionOfRow, sessionRow } from '../rows.ts'

/** The order of `newestMemoryFirst`, from a place on. */
const NEXT = `at <= $1 and (at < $1 or session > $2 or session = $2 and seq < $3)
  and exists (select 1 from findable where findable.id = kept.session) order by at desc, session, seq desc limit $4`
const FIRST_PLACE = { at: '9999', session: '', seq: 0 }

export function postgresKept(db: Database): MemoryStore {
  return {
    list: async ({ cursor, limit }) => {
      const start = cursor === undefined ? ok(FIRST_PLACE) : readMemoryCursor(cursor)
      if (!start.ok) return start
      const { at, session, seq } = start.value
      const place = [at, session, seq, limit + 1]
      return db.attempt(async query => {
        const [pins, folds] = await Promise.all([
          query<Omit<KeptPin, 'kind'>>(`select session, seq, target, reach, at from kept_pins as kept where ${NEXT}`, place),
          query<Omit<KeptFold, 'kind'>>(
            `select session, seq, at from kept_folds as kept where replaced is null and has_text and ${NEXT}`,
            place,
          ),
        ])
        const both = [
          ...pins.map((pin): KeptPin => ({ kind: 'pin', ...pin })),
          ...folds.map((fold): KeptFold => ({ kind: 'fold', ...fold })),
        ]
        return ok(memoryPage(both.sort(newestMemoryFirst), limit))
      })
    },
    pinsFor: (id, limit) =>
      db.attempt(async query => {
        const asking = await sessionRow(query, id)
        if (asking === undefined) return err(NO_SESSION)
        const pins = await query<Omit<KeptPin, 'kind'>>(
          `select pin.session, pin.seq, pin.target, pin.reach, pin.at
           from kept_pins as pin join findable as source on source.id = pin.session
           where pin.reach <> 'session' and source.is_source and pin.session <> $1
             and (pin.reach = 'everywhere' or pin.reach = 'project' and source.project = $2)`,
          // Without a value the statement would be planned anew each time.
          [id, asking.project ?? NO_NAME],
        )
        if (pins.length === 0) return ok([])
        const [known, marks] = await Promise.all([
          withAncestors(query, [id, ...pins.map(({ session }) => session)]),
          lastMarks(query, id),
        ])
        const reaching = pins.map(
          (pin): ReachingPin => ({ kind: 'pin', ...pin, createdAt: known.get(pin.session)?.createdAt ?? '' }),
        )
        const parentOf = (session: SessionId): Session['parent'] => known.get(session)?.parent
        return ok(countingPins(reaching, id, { parentOf, markOf: target => marks.get(target) }, limit))
      }),
    sources: (id, from, limit) =>
      db.attempt(async query => {
        const [asking] = await query<StoredSession>(`select ${SESSION_FIELDS} from findable where id = $1`, [id])
        if (asking === undefined) return err(NO_SESSION)
        const values = from === 'everywhere' ? [] : [asking.project]
        const found = await query<StoredSession>(
          `select ${SESSION_FIELDS} from findable where is_source and id <> $1 ${from === 'everywhere' ? '' : 'and project = $3'}
           order by updated_at desc, id limit $2`,
          [id, limit, ...values],
        )
        return ok(found.map(each => sourceOf(sessionOfRow(each))))
      }),
  }
}

/** Some sessions, and all that they were forked from. */
async function withAncestors(query: Query, ids: readonly SessionId[]): Promise<ReadonlyMap<SessionId, Session>> {
  const found = await query<StoredSession>(
    `with recursive line (id) as (
       select unnest($1::text[]) collate "C"
       union select findable.parent collate "C" from findable join line on findable.id = line.id where findable.parent is not null)
     select ${SESSION_FIELDS} from findable where id in (select id from line)`,
    [[...new Set(ids)]],
  )
  return new Map(found.map(row => [row.id, sessionOfRow(row)]))
}

async function lastMarks(query: Query, id: SessionId): Promise<ReadonlyMap<number, Mark | null>> {
  const found = await query<EventRow>(`select ${EVENT} from events where session = $1 and type = 'message.marked' order by seq`, [
    id,
  ])
  const events = found.map(row => eventOf(id, row))
  return new Map(events.flatMap(event => (event.type === 'message.marked' ? [[event.target, event.mark]] : [])))
}

type Marked = Extract<Recorded, { type: 'message.marked' }>
type FoldEvent = Extract<Recorded, { type: 'history.folded' }>

/** Follows new events of a session, in their order: marks change its pins, and folds replace earlier ones. */
export async function trackKept(query: Query, session: SessionId, events: readonly Recorded[]): Promise<void> {
  const marks = events.filter((event): event is Marked => event.type === 'message.marked' && areSeqs(event.target))
  const folds = events.filter(
    (event): event is FoldEvent =>
      event.type === 'history.folded' &&
      areSeqs(event.from, event.to) &&
      (event.replaces === undefined || areSeqs(event.replaces)),
  )
  if (marks.length > 0) await trackMarks(query, session, [...new Map(marks.map(event => [event.target, event])).values()])
  if (folds.length > 0) await trackFolds(query, session, folds)
}

const areSeqs = (...numbers: readonly number[]): boolean => numbers.every(Number.isSafeInteger)

async function trackMarks(query: Query, session: SessionId, last: readonly Marked[]): Promise<void> {
  const pins = last.filter(({ mark }) => mark === 'pin')
  const others = last.filter(({ mark }) => mark !== 'pin')
  if (others.length > 0)
    await query('delete from kept_pins where session = $1 and target = any($2::bigint[])', [
      session,
      others.map(({ target }) => target),
    ])
  if (pins.length > 0)
    await query(
      `insert into kept_pins (session, target, seq, at, reach)
       select $1, target, seq, at, reach from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) as pin (target, seq, at, reach)
       on conflict (session, target) do update set seq = excluded.seq, at = excluded.at, reach = excluded.reach`,
      [
        session,
        pins.map(({ target }) => target),
        pins.map(({ seq }) => seq),
        pins.map(({ at }) => at),
        pins.map(({ reach = 'session' }) => reach),
      ],
    )
}

async function trackFolds(query: Query, session: SessionId, folds: readonly FoldEvent[]): Promise<void> {
  await query(
    `insert into kept_folds (session, seq, at, first, last, voice, replaces, has_text)
     select $1, seq, at, first, last, voice, replaces, has_text
     from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::boolean[])
       as fold (seq, at, first, last, voice, replaces, has_text)`,
    [
      session,
      folds.map(({ seq }) => seq),
      folds.map(({ at }) => at),
      folds.map(({ from }) => from),
      folds.map(({ to }) => to),
      folds.map(({ voice }) => (voice === undefined ? null : encodeName(voice))),
      folds.map(({ replaces = null }) => replaces),
      folds.map(({ text }) => text.trim() !== ''),
    ],
  )
  await query(
    `update kept_folds as earlier set replaced = replacement.seq from (
       select old.seq as old, min(later.seq) as seq from kept_folds as old join kept_folds as later
         on later.session = $1 and later.seq >= $2 and later.seq > old.seq and later.voice is not distinct from old.voice
         and (later.replaces = old.seq or later.first <= old.first and later.last >= old.last)
       where old.session = $1 and old.replaced is null group by old.seq) as replacement
     where earlier.session = $1 and earlier.seq = replacement.old`,
    [session, Math.min(...folds.map(({ seq }) => seq))],
  )
}

/** Forgets the rows that follow a session's marks and folds. */
export async function forgetKeptRows(query: Query, id: SessionId): Promise<void> {
  await query('delete from kept_pins where session = $1', [id])
  await query('delete from kept_folds where session = $1', [id])
}
