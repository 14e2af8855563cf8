/** Keeps what people allowed, in a table beside the events. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_GRANT, NO_SESSION } from '../../faults.ts'
import type { Grant, KeptGrant } from '../../ports.ts'
import { parsedJson } from '../../rows.ts'
import { grantFacts } from '../../stored-bodies.ts'
import type { Tables } from './rows.ts'

export type SqliteGrants = {
  readonly addGrant: (grant: Grant, at: string) => Result<null, Fault>
  readonly hasGrant: (tool: string, binding: string, session: SessionId | null) => Result<boolean, Fault>
  readonly grants: () => Result<readonly KeptGrant[], Fault>
  readonly removeGrant: (id: string) => Result<null, Fault>
}

/** Means every session, where a row has to name one: SQLite takes two nulls for different things. */
const EVERYWHERE = ''

type GrantRow = Pick<KeptGrant, 'tool' | 'binding' | 'at'> & {
  readonly id: number
  readonly session: SessionId | typeof EVERYWHERE
  readonly facts: string
}

export function sqliteGrants({ rows, row, run, sessionRow }: Tables): SqliteGrants {
  return {
    addGrant: ({ tool, binding, session, facts }, at) => {
      if (session !== null && sessionRow(session) === undefined) return err(NO_SESSION)
      run(
        'insert into grants (tool, binding, session, facts, at) values (?, ?, ?, ?, ?) on conflict do nothing',
        ...[tool, binding, session ?? EVERYWHERE, JSON.stringify(facts), at],
      )
      return ok(null)
    },
    hasGrant: (tool, binding, session) =>
      ok(
        row(
          'select 1 from grants where tool = ? and binding = ? and session in (?, ?)',
          tool,
          binding,
          EVERYWHERE,
          session ?? EVERYWHERE,
        ) !== undefined,
      ),
    grants: () => ok(rows<GrantRow>('select id, tool, binding, session, facts, at from grants order by id').map(keptGrant)),
    removeGrant: id => {
      if (row('select 1 from grants where id = ?', id) === undefined) return err(NO_GRANT)
      run('delete from grants where id = ?', id)
      return ok(null)
    },
  }
}

const keptGrant = ({ id, tool, binding, session, facts, at }: GrantRow): KeptGrant => ({
  ...{ id: String(id), tool, binding, at },
  session: session === EVERYWHERE ? null : session,
  facts: grantFacts(parsedJson(facts)),
})
