/** Keeps the texts that shaped requests, each once for all sessions that use it. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import type { KeptText } from '../../ports.ts'
import { parsedJson } from '../../rows.ts'
import type { Tables } from './rows.ts'

export type SqliteTexts = {
  readonly texts: (hashes: readonly string[]) => Result<Map<string, string>, Fault>
  readonly textsOf: (id: SessionId, after: string, limit: number) => Result<readonly KeptText[], Fault>
}

export function sqliteTexts({ rows, sessionRow }: Tables): SqliteTexts {
  return {
    texts: hashes => {
      const found = hashes.flatMap(hash => rows<KeptText>('select hash, text from texts where hash = ?', hash))
      return ok(new Map(found.flatMap(legible).map(({ hash, text }) => [hash, text])))
    },
    textsOf: (id, after, limit) => {
      if (sessionRow(id) === undefined) return err(NO_SESSION)
      const found = rows<KeptText>(
        `select hash, text from text_uses join texts using (hash) where session = ? and hash > ? order by hash limit ?`,
        ...[id, after, limit],
      )
      return ok(found.flatMap(legible))
    },
  }
}

/** Kept as JSON, which every text survives; a damaged one counts as none. */
function legible({ hash, text }: KeptText): KeptText[] {
  const words = parsedJson(text)
  return typeof words === 'string' ? [{ hash, text: words }] : []
}

/** Keeps texts for a session that needs them from a seq on. */
export function keepTexts({ run }: Pick<Tables, 'run'>, id: SessionId, texts: readonly KeptText[], since: number): void {
  for (const { hash, text } of texts) {
    run('insert or ignore into texts values (?, ?)', hash, JSON.stringify(text))
    run('insert or ignore into text_uses (session, hash, since) values (?, ?, ?)', id, hash, since)
  }
}

/** Drops the texts that no other session uses. */
export function dropTexts({ rows, run }: Pick<Tables, 'rows' | 'run'>, id: SessionId): void {
  const used = rows<{ hash: string }>('select hash from text_uses where session = ?', id)
  run('delete from text_uses where session = ?', id)
  for (const { hash } of used) {
    run('delete from texts where hash = ? and not exists (select 1 from text_uses where hash = ?)', hash, hash)
  }
}
