/** Removes a session for good: first it cannot be found any more, then its events and its recall index go, a few at a time. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import { EVENT, type EventRow, eventOf } from '../../rows.ts'
import { forgetKept } from './kept.ts'
import { detachRecall, dropDetachedRecall } from './recall.ts'
import type { Tables } from './rows.ts'
import { dropTexts } from './texts.ts'
import type { SqliteWords } from './words.ts'

export type SqliteRemoval = {
  /** The first call hides the session; each call deletes some of its rows. `more` asks to be called again. */
  readonly remove: (id: SessionId) => Result<{ readonly more: boolean }, Fault>
  /**
   * Goes on with abandoned imports, cleared recall indexes and removals that a crash interrupted, `first` before the others;
   * null when nothing is left to remove.
   */
  readonly removeRest: (first?: SessionId) => Result<{ readonly more: boolean } | null, Fault>
}

/** Takes some tens of milliseconds, during which other writers wait. The index needs about one to forget a message. */
const MOST_EFFORT = 512
const FORGETTING = 8
const NO_ID = '' as SessionId

export function sqliteRemoval(tables: Tables, words: SqliteWords): SqliteRemoval {
  const { sql, row, run, sessionRow } = tables
  const remove: SqliteRemoval['remove'] = id => {
    if (sessionRow(id) !== undefined) hide(id)
    else if (row('select 1 from deleting where session = ?', id) === undefined) return err(NO_SESSION)
    return ok({ more: takeSome(id, MOST_EFFORT).more })
  }
  return {
    remove,
    removeRest: (first = NO_ID) => {
      for (let left = MOST_EFFORT, begun = false; left > 0; begun = true) {
        const next = row<{ session: SessionId }>('select session from deleting order by session = ? desc limit 1', first)
        if (next === undefined) {
          const { more, effort } = dropDetachedRecall(tables, left)
          return ok(begun || effort > 0 ? { more } : null)
        }
        const { more, effort } = takeSome(next.session, left)
        if (more) break
        left -= effort + 1
      }
      return ok({ more: true })
    },
  }

  /** Deletes as many rows of a session as the effort allows; an event that was never indexed costs least. */
  function takeSome(id: SessionId, allowed: number): { readonly more: boolean; readonly effort: number } {
    detachRecall(tables, id)
    forgetKept(tables, id)
    const gone: (EventRow & { readonly id: number })[] = []
    let effort = 0
    for (const each of sql(`select id, ${EVENT} from events where session = ? order by seq`).iterate(id) as Iterable<
      (typeof gone)[0]
    >) {
      if (effort >= allowed) break
      gone.push(each)
      effort += words.isIndexed(each.id) ? FORGETTING : 1
    }
    words.unindex(gone.map(each => ({ id: each.id, event: eventOf(id, each) })))
    for (const each of gone) run('delete from events where id = ?', each.id)
    // There are no more of these than events.
    run(
      `delete from message_numbers where session = ?1 and (speaker, seq) in (
         select speaker, seq from message_numbers where session = ?1 limit ?2)`,
      ...[id, MOST_EFFORT],
    )
    // If these were the last ones, the next call finds nothing more.
    if (effort >= allowed) return { more: true, effort }
    const recall = dropDetachedRecall(tables, allowed - effort)
    effort += recall.effort
    if (recall.more) return { more: true, effort }
    run('delete from late_turns where session = ?', id)
    // A session of an abandoned import still has its texts.
    dropTexts(tables, id)
    run('delete from deleting where session = ?', id)
    words.forgetUnread()
    return { more: false, effort }
  }

  /** Hides the session; its events go piece by piece, and after a crash the rest goes later. */
  function hide(id: SessionId): void {
    run('insert into deleting values (?)', id)
    for (const table of ['keys', 'open_turns', 'inflight', 'grants']) run(`delete from ${table} where session = ?`, id)
    dropTexts(tables, id)
    run("update usage set session = '' where session = ?", id)
    run('delete from sessions where id = ?', id)
    run('update chores set sweep = 1')
  }
}
