/** What a gateway needs of a PostgreSQL store before and beside its engine: the documents and leases that nodes share. */
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Documents, Leases } from '../node-ports.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrations/migrate.ts'
import { postgresDocuments } from './nodes/documents.ts'
import { postgresLeases } from './nodes/leases.ts'

export type SharedStore = {
  readonly documents: Documents
  readonly leases: Leases
  readonly close: () => Promise<void>
}

/** Has few connections of its own, so that it answers however busy the engine is. */
const CONNECTIONS = 2

export async function openPostgresShared(url: string): Promise<Result<SharedStore, Fault>> {
  const db = openDatabase({ url, connections: CONNECTIONS })
  const migrated = await migrate(db)
  if (migrated.ok) return ok({ documents: postgresDocuments(db), leases: postgresLeases(db), close: db.close })
  await db.close()
  return migrated
}
