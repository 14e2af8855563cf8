/** Opens the store that the settings name: a SQLite file, or a PostgreSQL database that several nodes share. */
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import { isPostgres } from '../model/settings/store-address.ts'
import type { Clock, Log, Weigh } from './ports.ts'
import type { SharedStore } from './postgres/shared-store.ts'
import { sqliteLog } from './sqlite/sqlite-log.ts'

export type { Documents, KeptDocument, Leases } from './node-ports.ts'
export type { SharedStore } from './postgres/shared-store.ts'

export type StoreOptions = {
  readonly clock: Clock
  readonly weigh: Weigh
  /** For those who only look: a file is not written, and among nodes this is none, so that no session is taken up. */
  readonly readOnly?: boolean
  /** Reads what a copy reads or writes, also half a house. Read-only, too. */
  readonly isForCopy?: boolean
}

/** `database` is the path of a file, or the address of a PostgreSQL database. */
export async function openStore(
  database: string,
  { clock, weigh, readOnly = false, isForCopy = false }: StoreOptions,
): Promise<Result<Log, Fault>> {
  if (!isPostgres(database)) return sqliteLog({ file: database, clock, weigh, readOnly: readOnly || isForCopy, isForCopy })
  // Its driver is loaded only where it is needed.
  const { postgresLog } = await import('./postgres/postgres-log.ts')
  const log = await postgresLog({ url: database, clock, weigh, isForCopy })
  if (!log.ok || !(readOnly || isForCopy)) return log
  const { nodes: _, ...alone } = log.value
  return ok(alone)
}

export async function openSharedStore(url: string): Promise<Result<SharedStore, Fault>> {
  const { openPostgresShared } = await import('./postgres/shared-store.ts')
  return openPostgresShared(url)
}
