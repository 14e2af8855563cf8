/** Keeps a session from being removed until the transaction ends, so that nothing is written beside a session that is gone. */

import type { SessionId } from '../../../model/ids.ts'
import type { Query } from '../database.ts'

/** Whether the session is there, and from now on cannot be removed before this transaction ends. Appends go on meanwhile. */
export async function staysHere(query: Query, id: SessionId): Promise<boolean> {
  const found = await query(
    'select 1 from sessions where id = $1 and exists (select 1 from findable where findable.id = $1) for key share of sessions',
    [id],
  )
  return found.length > 0
}
