/** Brings the tables of a database to the form that this version needs: numbered steps, each run once, by the node that comes first. */

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { HALF_COPIED, whyHalfCopied } from '../../copy/half-copied.ts'
import type { Database, Query } from '../database.ts'
import { DatabaseTrouble } from '../trouble.ts'
import { CORE_TABLES } from './core.ts'
import { REST_TABLES } from './rest.ts'

type Migration = {
  readonly version: number
  /**
   * The oldest version whose nodes can go on beside this form. A step that only adds (tables, indexes, columns that have a default
   * or may be null) names the version before it, so that old and new nodes run side by side while a house is updated. What old nodes
   * still use is taken away one version later, by a step that names the version in between.
   */
  readonly compatibleFrom: number
  readonly sql: string
}

/** How the database came to be as it is: never changed once a version with it is out, only added to. */
const MIGRATIONS: readonly Migration[] = [{ version: 1, compatibleFrom: 1, sql: `${CORE_TABLES}${REST_TABLES}` }]

export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0
export const OLDEST_SERVER = 150_000

const LOCK_SECONDS = 30
const LOCK_POLL_MS = 100
/** A large house takes its time for an index. */
const PATIENCE_MS = 3_600_000

/** Half a house is only for the copy that fills it. */
export async function migrate(
  db: Database,
  { isForCopy = false }: { readonly isForCopy?: boolean } = {},
): Promise<Result<null, Fault>> {
  const server = await checkServer(db)
  if (!server.ok) return server
  const ready = (): Promise<Result<boolean, Fault>> => isReady(db, isForCopy)
  const found = await ready()
  if (!found.ok || found.value) return found.ok ? ok(null) : found
  const prepared = await prepareSchema(db)
  return prepared.ok ? withLock(db, ready, () => runMigrations(db)) : prepared
}

async function checkServer(db: Database): Promise<Result<null, Fault>> {
  const server = await db.attempt(async query =>
    ok(
      await query<{ version: string; encoding: string }>(
        `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
      ),
    ),
  )
  if (!server.ok) return server
  const [{ version, encoding } = { version: '0', encoding: '' }] = server.value
  if (Number(version) < OLDEST_SERVER)
    return err(fault('invalid', `this PostgreSQL is version ${Math.floor(Number(version) / 10_000)}; Turnwise needs 15 or newer`))
  if (encoding === 'UTF8') return ok(null)
  return err(fault('invalid', `the database keeps texts as ${encoding}; make one with encoding 'UTF8'`))
}

export type SchemaState = {
  /** 0 where there are no tables. */
  readonly version: number
  /** The oldest version that can use it: the highest that any of its steps asks for. */
  readonly compatibleFrom: number
  /** A copy into it was begun and not finished. */
  readonly isHalf: boolean
}

const EMPTY: SchemaState = { version: 0, compatibleFrom: 0, isHalf: false }

export const schemaState = (db: Database): Promise<Result<SchemaState, Fault>> =>
  db.attempt(async query => {
    const [table] = await query<{ name: string | null }>(`select to_regclass('schema_versions')::text as name`)
    if (table?.name === null || table === undefined) return ok(EMPTY)
    return ok(stateAfter(await query<SchemaStep>(`select ${STEP} from schema_versions`)))
  })

/** A row of the table of versions, and its columns. */
export type SchemaStep = { readonly version: number; readonly from: number }
export const STEP = 'version, coalesce(compatible_from, version) as from'

export function stateAfter(rows: readonly SchemaStep[]): SchemaState {
  const steps = rows.filter(({ version }) => version < HALF_COPIED)
  return {
    version: Math.max(0, ...steps.map(({ version }) => version)),
    compatibleFrom: Math.max(0, ...steps.map(({ from }) => from)),
    isHalf: steps.length < rows.length,
  }
}

/** What a program is told that knows less than the database is made for; undefined if it knows enough. */
export const whyNewer = ({ version, compatibleFrom }: SchemaState): Fault | undefined =>
  compatibleFrom <= SCHEMA_VERSION
    ? undefined
    : fault(
        'invalid',
        `the database was used by a newer Turnwise (schema ${version}, this one knows ${SCHEMA_VERSION}); update this node`,
      )

/** What everything but a copy is told of a store that a copy is being written to. */
export const HALF: Fault = fault('invalid', whyHalfCopied('the database', 'drop its tables'))

/** Whether the tables are there in a form that this version can use. A newer one that does not say so is refused. */
async function isReady(db: Database, isForCopy: boolean): Promise<Result<boolean, Fault>> {
  const found = await schemaState(db)
  if (!found.ok) return found
  if (found.value.isHalf && !isForCopy) return err(HALF)
  const newer = whyNewer(found.value)
  return newer === undefined ? ok(found.value.version >= SCHEMA_VERSION) : err(newer)
}

async function runMigrations(db: Database): Promise<Result<null, Fault>> {
  for (const { version, compatibleFrom, sql } of MIGRATIONS) {
    const done = await db.transaction(
      async query => {
        // Of two that run a step in spite of the lock, the second waits here until the first has committed.
        const isMine = await query(
          'insert into schema_versions (version, compatible_from) values ($1, $2) on conflict do nothing returning 1',
          [version, compatibleFrom],
        )
        if (isMine.length > 0) await query(sql)
        return ok(null)
      },
      { patienceMs: PATIENCE_MS },
    )
    if (!done.ok) return done
  }
  return ok(null)
}

/** One node at a time. What a node that died has locked is free after a while; one that lives holds on to it. */
async function withLock(
  db: Database,
  isDone: () => Promise<Result<boolean, Fault>>,
  work: () => Promise<Result<null, Fault>>,
): Promise<Result<null, Fault>> {
  const holder = randomBytes(12).toString('hex')
  const hold = (who: string): Promise<Result<boolean, Fault>> =>
    db.attempt(async query => {
      const held = await query(
        `update migration_lock set holder = $1, until = clock_timestamp() + make_interval(secs => ${LOCK_SECONDS})
         where id = 1 and (${who} or until < clock_timestamp()) returning 1`,
        [holder],
      )
      return ok(held.length > 0)
    })
  for (;;) {
    const taken = await hold('holder is null')
    if (!taken.ok) return taken
    if (taken.value) break
    await pause(LOCK_POLL_MS)
    // Another node may have done it while this one waited.
    const done = await isDone()
    if (!done.ok || done.value) return done.ok ? ok(null) : done
  }
  const holding = setInterval(() => void hold('holder = $1').catch(() => undefined), LOCK_SECONDS * 250)
  try {
    const done = await isDone()
    return !done.ok ? done : done.value ? ok(null) : await work()
  } finally {
    clearInterval(holding)
    await db.attempt(async query => ok(await query('update migration_lock set holder = null where holder = $1', [holder])))
  }
}

/** Makes the schema and the two tables that a migration begins with. */
export async function prepareSchema(db: Database): Promise<Result<null, Fault>> {
  for (let tries = 1; ; tries += 1) {
    const prepared = await db.attempt(async query => {
      try {
        await createFirstTables(query, db.schema)
        return ok(true)
      } catch (cause) {
        if (!isCollision(cause) || tries === MOST_COLLISIONS) throw cause
        return ok(false)
      }
    })
    if (!prepared.ok) return prepared
    if (prepared.value) return ok(null)
    await pause(Math.random() * LOCK_POLL_MS)
  }
}

async function createFirstTables(query: Query, schema: string | undefined): Promise<void> {
  if (schema !== undefined) {
    const found = await query('select 1 from pg_namespace where nspname = $1', [schema])
    if (found.length === 0) await query(`create schema if not exists ${pg.escapeIdentifier(schema)}`)
  }
  await query(
    `create table if not exists schema_versions
       (version integer primary key, compatible_from integer, at timestamptz not null default now())`,
  )
  await query('create table if not exists migration_lock (id integer primary key, holder text, until timestamptz)')
  await query('insert into migration_lock (id) values (1) on conflict do nothing')
}

const MOST_COLLISIONS = 20
/** Two nodes that create the same thing at once collide, in spite of `if not exists`; the second finds it there when it looks again. */
const COLLISIONS: ReadonlySet<string> = new Set(['23505', '42P06', '42P07', '42710', 'XX000'])
const isCollision = (cause: unknown): boolean => cause instanceof DatabaseTrouble && COLLISIONS.has(cause.code)
