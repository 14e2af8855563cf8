/** Examines a PostgreSQL database for the doctor: its version, rights, clock, connections, and what nodes do on it. Changes nothing. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { connectionSettings, readAddress } from './connection.ts'
import { SCHEMA_VERSION, type SchemaStep, STEP, stateAfter, whyNewer } from './migrations/migrate.ts'
import { DatabaseTrouble, troubleInWords } from './trouble.ts'

export type ExaminedDatabase = {
  /** As the server says it, and as a number such as 150004. */
  readonly version: string
  readonly versionNumber: number
  readonly roundTripMs: number
  /** By how much the database's clock is ahead of ours. */
  readonly clockAheadMs: number
  readonly schema: string
  /** Null before the first start. */
  readonly schemaVersion: number | null
  /** Whether a copy into it was not finished. */
  readonly isHalfCopied: boolean
  /** The version that this program makes and understands. */
  readonly knownVersion: number
  /** Whether the tables are of a newer version that does not work with this one. */
  readonly isTooNew: boolean
  /** Rights that are missing, in plain words. */
  readonly missingRights: readonly string[]
  /** Null where it was not tried: the address says that PgBouncer is between. */
  readonly hearsNotifications: boolean | null
  readonly connections: { readonly used: number; readonly allowed: number }
  /** Sessions and channels that nodes run now, and how many nodes that are. Null before the first start. */
  readonly leases: { readonly sessions: number; readonly jobs: readonly string[]; readonly nodes: number } | null
  readonly counts: { readonly sessions: number; readonly events: number } | null
}

const NO_RIGHTS = '42501'
const NOTIFIED_MS = 2000

/** What went wrong is said in words without the address. */
export async function examineDatabase(url: string): Promise<Result<ExaminedDatabase, Fault>> {
  const { isPooled, schema: named } = readAddress(url)
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ ...connectionSettings(url), application_name: 'turnwise doctor' })
    // What breaks later is said by the next query.
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const clients: pg.Client[] = []
  try {
    const client = await connect()
    clients.push(client)
    const row = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row> =>
      (await client.query({ text, values: [...values] })).rows[0] as Row
    const schema = named ?? (await row<{ name: string | null }>('select current_schema() as name')).name ?? 'public'
    const { mayUse } = await row<{ mayUse: boolean }>(
      `select coalesce((select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = $1), false) as "mayUse"`,
      [schema],
    )
    // Only who may use a schema can ask about its tables.
    const has = async (table: string): Promise<boolean> =>
      mayUse &&
      (await row<{ found: string | null }>('select to_regclass($1)::text as found', [`${pg.escapeIdentifier(schema)}.${table}`]))
        .found !== null
    const isMade = await has('leases')
    const canRead = async (table: string): Promise<boolean> =>
      (await has(table)) &&
      (
        await row<{ may: boolean }>(`select has_table_privilege($1, 'select') as may`, [
          `${pg.escapeIdentifier(schema)}.${table}`,
        ])
      ).may
    const { version, number } = await row<{ version: string; number: string }>(
      `select current_setting('server_version') as version, current_setting('server_version_num') as number`,
    )
    return ok({
      version,
      versionNumber: Number(number),
      ...(await timesOf(row)),
      schema,
      ...((await canRead(VERSION_TABLE)) ? await versionsIn(client, schema) : NO_TABLES),
      knownVersion: SCHEMA_VERSION,
      missingRights: await missingRights(row, schema, isMade),
      hearsNotifications: isPooled ? null : await hearsNotifications(client, connect, clients),
      connections: await connectionsOf(row),
      leases: (await canRead('leases')) ? await leasesIn(client, schema) : null,
      counts: (await canRead('sessions')) ? await countsIn(row, schema) : null,
    })
  } catch (cause) {
    if ((cause as { readonly code?: string }).code === NO_RIGHTS)
      return err(fault('store', 'the database cannot be used: this user may not look at it'))
    return err(troubleInWords(new DatabaseTrouble(cause)))
  } finally {
    await Promise.all(clients.map(client => client.end().catch(() => {})))
  }
}

type RowOf = <Row>(text: string, values?: readonly unknown[]) => Promise<Row>

async function timesOf(row: RowOf): Promise<{ readonly roundTripMs: number; readonly clockAheadMs: number }> {
  const trips: { readonly ms: number; readonly ahead: number }[] = []
  for (let n = 0; n < 3; n += 1) {
    const [began, beganAt] = [performance.now(), Date.now()]
    const { now } = await row<{ now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now')
    const ms = performance.now() - began
    trips.push({ ms, ahead: Number(now) - (beganAt + ms / 2) })
  }
  const [best = { ms: 0, ahead: 0 }] = trips.sort((one, other) => one.ms - other.ms)
  return { roundTripMs: best.ms, clockAheadMs: best.ahead }
}

const VERSION_TABLE = 'schema_versions'

type Versions = Pick<ExaminedDatabase, 'schemaVersion' | 'isHalfCopied' | 'isTooNew'>

const NO_TABLES: Versions = { schemaVersion: null, isHalfCopied: false, isTooNew: false }

async function versionsIn(client: pg.Client, schema: string): Promise<Versions> {
  const { rows } = await client.query<SchemaStep>(`select ${STEP} from ${pg.escapeIdentifier(schema)}.${VERSION_TABLE}`)
  const state = stateAfter(rows)
  return { schemaVersion: state.version, isHalfCopied: state.isHalf, isTooNew: whyNewer(state) !== undefined }
}

async function missingRights(row: RowOf, schema: string, isMade: boolean): Promise<readonly string[]> {
  const { there } = await row<{ there: boolean }>('select exists(select from pg_namespace where nspname = $1) as there', [schema])
  if (!there) {
    const { may } = await row<{ may: boolean }>(`select has_database_privilege(current_database(), 'create') as may`)
    return may ? [] : [`may not create the schema ${schema}`]
  }
  const { create, use } = await row<{ create: boolean; use: boolean }>(
    `select has_schema_privilege($1, 'create') as create, has_schema_privilege($1, 'usage') as use`,
    [schema],
  )
  const { readOnly } = await row<{ readOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`,
  )
  const table = `${pg.escapeIdentifier(schema)}.events`
  const { write } = isMade
    ? await row<{ write: boolean }>(`select has_table_privilege($1, 'select') and has_table_privilege($1, 'insert') as write`, [
        table,
      ])
    : { write: true }
  return [
    ...(use ? [] : [`may not use the schema ${schema}`]),
    ...(create ? [] : [`may not create tables in the schema ${schema}`]),
    ...(write ? [] : ['may not read and write the tables']),
    ...(readOnly ? ['the server is read-only, as a standby is'] : []),
  ]
}

/** Sends a notification from one connection to another. */
async function hearsNotifications(client: pg.Client, connect: () => Promise<pg.Client>, clients: pg.Client[]): Promise<boolean> {
  const channel = `turnwise_doctor_${randomBytes(6).toString('hex')}`
  const listener = await connect()
  clients.push(listener)
  const heard = new Promise<boolean>(resolve => {
    const timer = setTimeout(resolve, NOTIFIED_MS, false)
    listener.once('notification', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
  await listener.query(`listen ${channel}`)
  await client.query(`notify ${channel}`)
  return heard
}

/** The lowest of all limits counts. */
async function connectionsOf(row: RowOf): Promise<ExaminedDatabase['connections']> {
  const { used, allowed } = await row<{ used: string; allowed: string }>(`
    select
      (select count(*) from pg_stat_activity where backend_type = 'client backend' and application_name <> 'turnwise doctor') as used,
      least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      ) as allowed`)
  return { used: Number(used), allowed: Number(allowed) }
}

async function leasesIn(client: pg.Client, schema: string): Promise<NonNullable<ExaminedDatabase['leases']>> {
  const found = await client.query<{ key: string; node: string }>(
    `select key, node from ${pg.escapeIdentifier(schema)}.leases where until > clock_timestamp()`,
  )
  const jobs = found.rows.filter(({ key }) => key.startsWith('channel:')).map(({ key }) => key.slice('channel:'.length))
  return { sessions: found.rows.length - jobs.length, jobs, nodes: new Set(found.rows.map(({ node }) => node)).size }
}

/** Counting large tables takes minutes; then what the server believes is good enough. */
const MANY = 100_000

async function countsIn(row: RowOf, schema: string): Promise<NonNullable<ExaminedDatabase['counts']>> {
  const prefix = pg.escapeIdentifier(schema)
  const believed = async (table: string): Promise<number> =>
    (
      await row<{ rows: number }>('select reltuples::float8 as rows from pg_class where oid = to_regclass($1)', [
        `${prefix}.${table}`,
      ])
    ).rows
  const sessions = await believed('sessions')
  if (sessions > MANY) return { sessions, events: Math.max(0, await believed('events')) }
  // The sessions know how many events they have.
  const counted = await row<{ sessions: number; events: number }>(
    `select count(*) as sessions, coalesce(sum(head), 0) as events from ${prefix}.sessions`,
  )
  return { sessions: counted.sessions, events: counted.events }
}
