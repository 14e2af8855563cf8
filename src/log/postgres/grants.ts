/** Keeps what people allowed, in a table beside the events. */

import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import { NO_GRANT, NO_SESSION } from '../faults.ts'
import type { Clock, Grants, KeptGrant } from '../ports.ts'
import { grantFacts } from '../stored-bodies.ts'
import type { Database, Query } from './database.ts'
import { decodeName, encodeName } from './encode-name.ts'
import { parsedJson } from './rows.ts'
import { staysHere } from './sessions/stays-here.ts'

/** Means every session, where a row has to name one: two nulls are different things to a unique index. */
const EVERYWHERE = ''

type GrantRow = Pick<KeptGrant, 'tool' | 'binding' | 'at'> & {
  readonly id: number
  readonly session: SessionId | typeof EVERYWHERE
  readonly facts: string
}

export function postgresGrants(db: Database, clock: Clock): Grants {
  return {
    add: ({ tool, binding, session, facts }) => {
      const values = [encodeName(tool), binding, session ?? EVERYWHERE, JSON.stringify(facts), new Date(clock()).toISOString()]
      return db.transaction(async query => {
        if (session !== null && !(await staysHere(query, session))) return err(NO_SESSION)
        await query(
          'insert into grants (tool, binding, session, facts, at) values ($1, $2, $3, $4, $5) on conflict do nothing',
          values,
        )
        return ok(null)
      })
    },
    has: (tool, binding, session) =>
      db.attempt(async query => {
        const found = await query('select 1 from grants where tool = $1 and binding = $2 and session in ($3, $4) limit 1', [
          ...[encodeName(tool), binding, EVERYWHERE, session ?? EVERYWHERE],
        ])
        return ok(found.length > 0)
      }),
    list: () =>
      db.attempt(async query => {
        const found = await query<GrantRow>('select id, tool, binding, session, facts, at from grants order by id')
        return ok(found.map(keptGrant))
      }),
    remove: async id => {
      if (!/^\d{1,15}$/.test(id)) return err(NO_GRANT)
      return db.attempt(async query => {
        const gone = await query('delete from grants where id = $1 returning id', [id])
        return gone.length === 0 ? err(NO_GRANT) : ok(null)
      })
    },
  }
}

const keptGrant = ({ id, tool, binding, session, facts, at }: GrantRow): KeptGrant => ({
  ...{ id: String(id), tool: decodeName(tool), binding, at },
  session: session === EVERYWHERE ? null : session,
  facts: grantFacts(parsedJson(facts)),
})

export async function forgetGrants(query: Query, id: SessionId): Promise<void> {
  await query('delete from grants where session = $1', [id])
}
