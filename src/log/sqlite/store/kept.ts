/** Finds what is remembered beyond one session: the rows that follow its marks and folds, and the sessions that others may be quoted from. */

import type { SQLInputValue } from 'node:sqlite'
import type { Mark } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { NO_SESSION } from '../../faults.ts'
import { countingPins, memoryPage, newestMemoryFirst, type ReachingPin, readMemoryCursor, sourceOf } from '../../memory-rules.ts'
import type { KeptFold, KeptPin, MemoryStore, SourceSession } from '../../ports.ts'
import { SESSION, type SessionRow, sessionOfRow } from '../../rows.ts'
import type { Tables } from './rows.ts'

type Query<Verb extends keyof MemoryStore> = Parameters<MemoryStore[Verb]>

export type SqliteKept = {
  readonly memories: (
    ...query: Query<'list'>
  ) => Result<{ readonly items: readonly (KeptPin | KeptFold)[]; readonly next: string | null }, Fault>
  readonly pinsFor: (...query: Query<'pinsFor'>) => Result<readonly KeptPin[], Fault>
  readonly sources: (...query: Query<'sources'>) => Result<readonly SourceSession[], Fault>
}

/** The order of `newestMemoryFirst`, from a place on. */
const NEXT = `at <= ?1 and (at < ?1 or session > ?2 or session = ?2 and seq < ?3)
  and exists (select 1 from findable where findable.id = kept.session) order by at desc, session, seq desc limit ?4`
const FIRST_PLACE = { at: '9999', session: '', seq: 0 }

export function sqliteKept({ row, rows, sessionRow }: Tables): SqliteKept {
  const parentOf = (id: SessionId): Session['parent'] => {
    const found = sessionRow(id)
    return found === undefined ? undefined : sessionOfRow(found).parent
  }
  return {
    memories: ({ cursor, limit }) => {
      const start = cursor === undefined ? ok(FIRST_PLACE) : readMemoryCursor(cursor)
      if (!start.ok) return start
      const { at, session, seq } = start.value
      const place = [at, session, seq, limit + 1]
      const pins = rows<Omit<KeptPin, 'kind'>>(
        `select session, seq, target, reach, at from kept_pins as kept where ${NEXT}`,
        ...place,
      )
      const folds = rows<Omit<KeptFold, 'kind'>>(
        `select session, seq, at from kept_folds as kept where replaced is null and has_text = 1 and ${NEXT}`,
        ...place,
      )
      const both = [
        ...pins.map((pin): KeptPin => ({ kind: 'pin', ...pin })),
        ...folds.map((fold): KeptFold => ({ kind: 'fold', ...fold })),
      ]
      return ok(memoryPage(both.sort(newestMemoryFirst), limit))
    },
    pinsFor: (id, limit) => {
      const asking = sessionRow(id)
      if (asking === undefined) return err(NO_SESSION)
      const reaching = rows<Omit<ReachingPin, 'kind'>>(
        `select pin.session, pin.seq, pin.target, pin.reach, pin.at, case when json_valid(source.body) then source.body ->> '$.createdAt' end as createdAt
         from kept_pins as pin indexed by kept_pins_by_reach join findable as source on source.id = pin.session
         where pin.reach <> 'session' and source.is_source = 1 and pin.session <> ?1
           and (pin.reach = 'everywhere' or pin.reach = 'project' and source.project = ?2)`,
        ...[id, asking.project],
      )
      const markOf = (target: number): Mark | null | undefined =>
        row<{ mark: Mark | null }>(
          `select body ->> '$.mark' as mark from events
           where session = ? and type = 'message.marked' and case when json_valid(body) then body ->> '$.target' = ? end
           order by seq desc limit 1`,
          ...[id, target],
        )?.mark
      const pins = reaching.map((pin): ReachingPin => ({ kind: 'pin', ...pin }))
      return ok(countingPins(pins, id, { parentOf, markOf }, limit))
    },
    sources: (id, from, limit) => {
      const asking = sessionRow(id)
      if (asking === undefined) return err(NO_SESSION)
      const [where, values]: [string, SQLInputValue[]] = from === 'everywhere' ? ['', []] : ['and project = ?', [asking.project]]
      const found = rows<SessionRow>(
        `select ${SESSION} from findable where is_source = 1 and id <> ? ${where} order by updated_at desc, id limit ?`,
        ...[id, ...values, limit],
      )
      return ok(found.map(each => sourceOf(sessionOfRow(each))))
    },
  }
}

/** Forgets the rows that follow a session's marks and folds. */
export function forgetKept({ run }: Tables, id: SessionId): void {
  run('delete from kept_pins where session = ?', id)
  run('delete from kept_folds where session = ?', id)
}
