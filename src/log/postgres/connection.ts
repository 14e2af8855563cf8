/** How a connection to PostgreSQL is opened: what its address says, and what holds for every connection of ours. */

import pg from 'pg'

/** How long a statement, or the wait for a connection, may take before it is a fault. */
export const PATIENCE_MS = 5000
/** A node that stops in the middle of a transaction keeps others from a session for no longer than this. */
const IDLE_IN_TRANSACTION_MS = 3000

export type ReadAddress = {
  readonly url: string
  /** PgBouncer in transaction mode may give every transaction another connection: nothing can be set for a connection. */
  readonly isPooled: boolean
  readonly schema: string | undefined
}

/** Modes that the driver takes for `verify-full`, and warns of on every start. */
const STRICT_MODES: ReadonlySet<string | null> = new Set(['prefer', 'require', 'verify-ca'])

/** An address without what only we understand: `pgbouncer`, and the schema that the tables are in. */
export function readAddress(url: string): ReadAddress {
  const address = new URL(url)
  const { searchParams } = address
  const isPooled = searchParams.get('pgbouncer') === 'true'
  const schema = searchParams.get('schema') ?? undefined
  const options = searchParams.get('options')
  for (const own of ['pgbouncer', 'schema']) searchParams.delete(own)
  if (searchParams.get('uselibpqcompat') !== 'true' && STRICT_MODES.has(searchParams.get('sslmode')))
    searchParams.set('sslmode', 'verify-full')
  // The driver lets options of the address win, and a schema must not be lost to them.
  if (schema !== undefined && options !== null && !isPooled) searchParams.set('options', `${options} ${searchPath(schema)}`)
  return { url: address.href, isPooled, schema }
}

/** How a connection is opened, for the pool and for the one that listens. */
export function connectionSettings(url: string, patienceMs: number = PATIENCE_MS): pg.ClientConfig {
  const { url: connectionString, isPooled, schema } = readAddress(url)
  const limits = {
    statement_timeout: patienceMs,
    lock_timeout: patienceMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(schema === undefined ? {} : { options: searchPath(schema) }),
  }
  return {
    connectionString,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'turnwise',
    keepAlive: true,
    types: { getTypeParser },
    ...(isPooled ? {} : limits),
  }
}

type Beginning = {
  /** Whether its statements may take another time than those of the connection. */
  readonly isPatient: boolean
  /** Whether one plan of each statement is good for all of its values. Behind a pooler no plans are kept. */
  readonly isPlannedOnce: boolean
}

/** The first statement of a transaction. What could not be said for the whole connection is said here, in the same round trip. */
export function beginning(
  { isPooled, schema }: ReadAddress,
  patienceMs: number,
  { isPatient, isPlannedOnce }: Beginning,
): string {
  const times = [`statement_timeout = ${patienceMs}`, `lock_timeout = ${patienceMs}`]
  const settings = [
    ...(isPooled || isPatient ? times : []),
    ...(isPooled ? [`idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`] : []),
    ...(isPooled && schema !== undefined ? [`search_path = ${pg.escapeIdentifier(schema)}`] : []),
    ...(isPlannedOnce && !isPooled ? ['plan_cache_mode = force_generic_plan'] : []),
  ]
  // Every rule of the store is made for this level, however the database is set.
  return ['begin isolation level read committed', ...settings.map(each => `set local ${each}`)].join('; ')
}

const searchPath = (schema: string): string => `-c search_path=${pg.escapeIdentifier(schema).replaceAll(/[\\\s]/g, '\\$&')}`

const INT8 = 20
const NUMERIC = 1700
/** Our whole numbers fit into a number of JavaScript. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid as number, format as 'text')
