/** Fills the full-text index behind the writes, and forgets the words of removed events. */

import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { EVENT, type EventRow, eventOf } from '../../rows.ts'
import { searchable } from '../../snippet.ts'
import type { Tables } from './rows.ts'

/** `chores.indexed` is the last row that was indexed. `unread` has ranges of rows to skip until their import is published. */
export type SqliteWords = {
  /** Indexes a batch and gives how many rows it looked at; as many as allowed means that there may be more. */
  readonly indexWords: (most: number) => Result<number, Fault>
  /** Forgets the words of events that are about to go. */
  readonly unindex: (gone: readonly { readonly id: number; readonly event: Recorded }[]) => void
  /** Whether a row was indexed. */
  readonly isIndexed: (id: number) => boolean
  /** Drops the ranges of abandoned imports once the last of their rows is gone. */
  readonly forgetUnread: () => void
}

type Stretch = { readonly first: number; readonly last: number }

export function sqliteWords({ rows, row, run }: Tables): SqliteWords {
  return {
    indexWords: most => {
      const looked = indexNew(most)
      return ok(looked < most ? looked + indexPassedOver(most - looked) : looked)
    },
    unindex,
    isIndexed,
    forgetUnread: () => run('delete from unread where bringing is null and not exists (select 1 from deleting)'),
  }

  /** Indexes up to the last row; a range to skip costs one step. */
  function indexNew(most: number): number {
    for (let looked = 0; ; ) {
      const through = indexedThrough()
      const ahead = row<Stretch>('select first, last from unread where last > ? order by first limit 1', through)
      const fresh = indexRows(through + 1, (ahead?.first ?? Number.MAX_SAFE_INTEGER) - 1, most - looked)
      looked += fresh.looked
      if (fresh.last !== undefined) run('update chores set indexed = ?', fresh.last)
      if (ahead === undefined || looked >= most) return looked
      run('update chores set indexed = ?', ahead.last)
      looked += 1
    }
  }

  function indexPassedOver(most: number): number {
    for (let looked = 0; ; ) {
      const stretch = row<Stretch>(
        `select first, last from unread where last <= ? and bringing is not null and bringing not in (select id from bringings)
         order by first limit 1`,
        indexedThrough(),
      )
      if (stretch === undefined) return looked
      const { first, last } = stretch
      const found = indexRows(first, last, most - looked)
      looked += found.looked
      if (looked < most || found.last === last) run('delete from unread where first = ?', first)
      else if (found.last !== undefined) run('update unread set first = ? where first = ?', found.last + 1, first)
      if (looked >= most) return looked
    }
  }

  function indexRows(first: number, last: number, most: number): { readonly looked: number; readonly last: number | undefined } {
    const found = rows<EventRow & { id: number; session: SessionId }>(
      `select id, session, ${EVENT} from events where id between ? and ? order by id limit ?`,
      ...[first, last, most],
    )
    for (const each of found) {
      const text = searchable(eventOf(each.session, each))
      if (text !== '') run('insert into words (rowid, text) values (?, ?)', each.id, text)
    }
    return { looked: found.length, last: found.at(-1)?.id }
  }

  /** The index keeps no text, so it needs the very words to forget; where a damaged row no longer has them, it begins anew. */
  function unindex(gone: readonly { readonly id: number; readonly event: Recorded }[]): void {
    const known = gone.filter(({ id }) => isIndexed(id))
    if (known.some(({ event }) => event.type === 'damaged')) {
      run("insert into words (words) values ('delete-all')")
      run('update chores set indexed = 0')
      return
    }
    for (const { id, event } of known) {
      const text = searchable(event)
      if (text !== '') run("insert into words (words, rowid, text) values ('delete', ?, ?)", id, text)
    }
  }

  function indexedThrough(): number {
    return row<{ indexed: number }>('select indexed from chores')?.indexed ?? 0
  }

  function isIndexed(id: number): boolean {
    if (id > indexedThrough()) return false
    const near = row<Stretch>('select first, last from unread where first <= ? order by first desc limit 1', id)
    return near === undefined || id > near.last
  }
}
