/** Documents of the workspace as rows. Revisions grow over all of them, and become visible in their order. */

import { fault } from '../../../model/fault.ts'
import { err, ok } from '../../../model/result.ts'
import type { Documents, KeptDocument } from '../../node-ports.ts'
import type { Database } from '../database.ts'
import { decodeName, encodeName } from '../encode-name.ts'

export function postgresDocuments(db: Database): Documents {
  return {
    changed: after =>
      db.attempt(async query => {
        const found = await query<{ name: string; text: string | null; revision: number }>(
          'select name, text, revision from documents where revision > $1 order by revision',
          [after],
        )
        return ok(
          found.map(
            ({ name, text, revision }): KeptDocument => ({
              name: decodeName(name),
              text: text === null ? null : (JSON.parse(text) as string),
              revision,
            }),
          ),
        )
      }),
    write: (name, text, expect) =>
      db.transaction(async query => {
        // Locked until the commit, so that a reader never finds a lower revision after a higher one.
        const [counter] = await query<{ value: number }>(
          `update counters set value = value + 1 where name = 'documents' returning value`,
        )
        const [before] = await query<{ revision: number }>('select revision from documents where name = $1', [encodeName(name)])
        if (expect !== undefined && expect !== (before?.revision ?? 0))
          return err(fault('conflict', `${name}: it was changed on another node; try again`))
        const revision = counter?.value ?? 0
        await query(
          `insert into documents (name, text, revision) values ($1, $2, $3)
           on conflict (name) do update set text = excluded.text, revision = excluded.revision`,
          // As JSON, every text survives.
          [encodeName(name), text === null ? null : JSON.stringify(text), revision],
        )
        return ok(revision)
      }),
  }
}
