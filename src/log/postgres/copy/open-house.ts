/** Opens a PostgreSQL database to copy a house from it or into it. */

import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { HouseSource, HouseTarget } from '../../copy/house.ts'
import { type Database, openDatabase } from '../database.ts'
import { HALF, migrate, SCHEMA_VERSION, schemaState, whyNewer } from '../migrations/migrate.ts'
import { askingOf, postgresHouse } from './read-house.ts'
import { postgresTarget } from './write-house.ts'

const CONNECTIONS = 4
/** A page of a big house takes longer than what a turn may ask for. */
const PATIENCE_MS = 60_000

/** Reads only, and changes nothing, not even to bring its tables up to date. */
export async function openPostgresHouse(url: string, title: string): Promise<Result<HouseSource, Fault>> {
  return opened(url, async db => {
    const known = await schemaState(db)
    if (!known.ok) return known
    const { version, isHalf } = known.value
    if (isHalf) return err(HALF)
    if (version === 0) return err(fault('not-found', 'there is no house in it yet; start a gateway on it once'))
    const newer = whyNewer(known.value)
    if (newer !== undefined) return err(newer)
    if (version < SCHEMA_VERSION)
      return err(
        fault('invalid', 'it was written by an older Turnwise; start a gateway on it once, and it is brought up to date'),
      )
    const identity = await identityOf(db)
    return identity.ok ? ok(postgresHouse(db, title, identity.value)) : identity
  })
}

/** Makes the tables if there are none. */
export async function openPostgresTarget(url: string, title: string): Promise<Result<HouseTarget, Fault>> {
  return opened(url, async db => {
    const migrated = await migrate(db, { isForCopy: true })
    if (!migrated.ok) return migrated
    const identity = await identityOf(db)
    return identity.ok ? ok(postgresTarget(db, postgresHouse(db, title, identity.value))) : identity
  })
}

async function opened<Opened>(
  url: string,
  open: (db: Database) => Promise<Result<Opened, Fault>>,
): Promise<Result<Opened, Fault>> {
  const db = openDatabase({ url, connections: CONNECTIONS, patienceMs: PATIENCE_MS })
  const result = await open(db).catch(async (cause: unknown) => {
    await db.close()
    throw cause
  })
  if (!result.ok) await db.close()
  return result
}

/** The same through every name and pooler: one start of one server, one database, one schema. */
const identityOf = (db: Database): Promise<Result<string, Fault>> =>
  askingOf(db)(async query => {
    const [found] = await query<{ identity: string }>(
      `select concat_ws(' ', 'postgres', extract(epoch from pg_postmaster_start_time()), inet_server_port(),
         (select oid from pg_database where datname = current_database()), current_schema()) as identity`,
    )
    return found?.identity ?? ''
  })
