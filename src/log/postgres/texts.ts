/** Keeps the texts that shaped requests, each once for all sessions that use it. */

import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { NO_SESSION } from '../faults.ts'
import type { KeptText, Texts } from '../ports.ts'
import { parsedJson } from '../rows.ts'
import type { Database, Query } from './database.ts'
import { hasSession } from './rows.ts'

export function postgresTexts(db: Database): Texts {
  return {
    texts: hashes =>
      db.attempt(async query => {
        if (hashes.length === 0) return ok(new Map())
        const found = await query<KeptText>('select hash, text from texts where hash = any($1::text[])', [[...new Set(hashes)]])
        return ok(new Map(found.flatMap(legible).map(({ hash, text }) => [hash, text])))
      }),
    textsOf: (id, after, limit) =>
      db.attempt(async query => {
        if (!(await hasSession(query, id))) return err(NO_SESSION)
        const found = await query<KeptText>(
          'select hash, text from text_uses join texts using (hash) where session = $1 and hash > $2 order by hash limit $3',
          [id, after, limit],
        )
        return ok(found.flatMap(legible))
      }),
  }
}

/** Kept as JSON, which every text survives; a damaged one counts as none. */
function legible({ hash, text }: KeptText): KeptText[] {
  const words = parsedJson(text)
  return typeof words === 'string' ? [{ hash, text: words }] : []
}

/** Texts that a session needs from a seq on. */
export type NeededTexts = { readonly session: SessionId; readonly texts: readonly KeptText[]; readonly since: number }

/** Keeps texts that sessions need. Most are kept already: a request has much in common with the one before. */
export async function writeTexts(query: Query, needed: readonly NeededTexts[]): Promise<void> {
  const uses = new Map<string, { readonly session: SessionId; readonly since: number } & KeptText>()
  for (const { session, texts, since } of needed)
    for (const text of texts) {
      const key = `${session} ${text.hash}`
      if (!uses.has(key)) uses.set(key, { session, since, ...text })
    }
  if (uses.size === 0) return
  const wanted = [...uses.values()]
  const known = await query<{ session: SessionId; hash: string }>(
    `select session, hash from text_uses
     where session = any($1::text[]) and (session, hash) in (select * from unnest($1::text[], $2::text[]))`,
    [wanted.map(({ session }) => session), wanted.map(({ hash }) => hash)],
  )
  for (const { session, hash } of known) uses.delete(`${session} ${hash}`)
  if (uses.size === 0) return
  const fresh = [...uses.values()]
  const distinct = new Map(fresh.map(({ hash, text }) => [hash, text]))
  // In the order of their hashes, so that no two writers wait for each other.
  const hashes = [...distinct.keys()].sort()
  const bodies = hashes.map(hash => JSON.stringify(distinct.get(hash)))
  const insert = 'insert into texts (hash, text) select * from unnest($1::text[], $2::text[]) on conflict do nothing'
  await Promise.all([
    query(insert, [hashes, bodies]),
    // A session that is removed in this moment may take one of them along; from here on it cannot.
    query('select 1 from texts where hash = any($1::text[]) order by hash for key share', [hashes]),
    query(insert, [hashes, bodies]),
    query('insert into text_uses (session, hash, since) select * from unnest($1::text[], $2::text[], $3::bigint[])', [
      fresh.map(({ session }) => session),
      fresh.map(({ hash }) => hash),
      fresh.map(({ since }) => since),
    ]),
  ])
}

/** Drops the texts that no other session uses. */
export async function dropUnusedTexts(query: Query, id: SessionId): Promise<void> {
  const used = await query<{ hash: string }>('delete from text_uses where session = $1 returning hash', [id])
  if (used.length === 0) return
  const hashes = used.map(({ hash }) => hash).sort()
  await query('select 1 from texts where hash = any($1::text[]) order by hash for update', [hashes])
  await query(
    'delete from texts where hash = any($1::text[]) and not exists (select 1 from text_uses where text_uses.hash = texts.hash)',
    [hashes],
  )
}
