/** Connections to PostgreSQL: a pool, queries that end in time, and transactions. */

import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { beginning, connectionSettings, PATIENCE_MS, readAddress } from './connection.ts'
import { DatabaseTrouble, faultOf, isConnectionCut, isUndone } from './trouble.ts'

/** Runs one statement. A statement that fails throws; `attempt` and `transaction` make a fault of that. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

type Work<Value> = (query: Query) => Promise<Result<Value, Fault>>

export type Database = {
  /** The schema that the address names. */
  readonly schema: string | undefined
  /** Runs a statement on any connection. */
  readonly query: Query
  /** Runs work that may throw for the database's reasons; gives its answer, or the fault. */
  readonly attempt: <Value>(work: Work<Value>) => Promise<Result<Value, Fault>>
  /**
   * The same in one transaction, which is undone if the work gives a fault or throws. The work is done again when the database undid
   * it because of others, so it changes nothing but the database.
   */
  readonly transaction: <Value>(work: Work<Value>, options?: TransactionOptions) => Promise<Result<Value, Fault>>
  readonly close: () => Promise<void>
}

export type TransactionOptions = {
  /** For each of its statements. */
  readonly patienceMs?: number
  /**
   * Whether its statements are planned once for a connection. Left to itself, the server plans those with lists anew each time,
   * because it expects longer lists than ours. Each of them must go by an index even if a list were long.
   */
  readonly isPlannedOnce?: boolean
}

export type DatabaseSettings = {
  readonly url: string
  readonly connections?: number
  /** How long a statement, or the wait for a connection, may take before it is a fault. */
  readonly patienceMs?: number
}

const CONNECTIONS = 10
/** Of several that got in each other's way one goes on at least, so that this is enough for a crowd. */
const MOST_TRIES = 6
const LONGEST_REST_MS = 40

export function openDatabase({ url, connections = CONNECTIONS, patienceMs = PATIENCE_MS }: DatabaseSettings): Database {
  const address = readAddress(url)
  const { isPooled, schema } = address
  // Idle connections do not keep a command from ending.
  const pool = new pg.Pool({ ...connectionSettings(url, patienceMs), max: connections, allowExitOnIdle: true })
  // A connection that breaks while it is idle is replaced by the next query.
  pool.on('error', () => {})

  const names = new Map<string, string>()
  /** The same statement has the same name everywhere: behind a pooler that was not named, nothing else can be run under it. */
  const nameOf = (text: string): { readonly name?: string } => {
    if (isPooled) return {}
    const name = names.get(text) ?? `t_${createHash('sha1').update(text).digest('hex')}`
    names.set(text, name)
    return { name }
  }
  const queryOn =
    (client: pg.Pool | pg.PoolClient, ownPatienceMs?: number): Query =>
    async <Row>(text: string, values?: readonly unknown[]) => {
      // Several statements at once cannot be prepared.
      const isScript = values === undefined && text.includes(';')
      const limit = ownPatienceMs === undefined ? {} : { query_timeout: ownPatienceMs }
      try {
        const asked = isScript ? { text, ...limit } : { ...nameOf(text), ...limit, text, values: [...(values ?? [])] }
        return (await client.query(asked)).rows as Row[]
      } catch (cause) {
        throw new DatabaseTrouble(cause)
      }
    }

  /** Throws what the work throws, or what the database does. */
  const once = async <Value>(
    work: Work<Value>,
    { patienceMs: ownPatienceMs, isPlannedOnce = false }: TransactionOptions = {},
  ): Promise<Result<Value, Fault>> => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new DatabaseTrouble(cause)
    })
    let isBroken = false
    // A connection that breaks between two statements says so here and with the next statement.
    const broke = (): void => {
      isBroken = true
    }
    client.on('error', broke)
    const query = inTurn(queryOn(client, ownPatienceMs))
    try {
      await query(beginning(address, ownPatienceMs ?? patienceMs, { isPatient: ownPatienceMs !== undefined, isPlannedOnce }))
      const result = await work(query)
      await query(result.ok ? 'commit' : 'rollback')
      return result
    } catch (cause) {
      isBroken ||= isConnectionCut(cause)
      if (!isBroken) await query('rollback').catch(broke)
      throw cause
    } finally {
      client.off('error', broke)
      client.release(isBroken)
    }
  }

  /** Does again what was undone because of others. */
  const persistently = async <Value>(run: () => Promise<Value>): Promise<Value> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await run()
      } catch (cause) {
        if (!isUndone(cause) || tries === MOST_TRIES) throw cause
        await pause(Math.random() * LONGEST_REST_MS)
      }
    }
  }
  const asResult = async <Value>(run: () => Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>> => {
    try {
      return await run()
    } catch (cause) {
      return err(faultOf(cause))
    }
  }

  const alone = queryOn(pool)
  // Behind a pooler only a transaction can have a schema.
  const query: Query =
    isPooled && schema !== undefined
      ? async (text, values) => {
          const done = await persistently(() => once(async run => ok(await run(text, values))))
          return done.ok ? (done.value as never) : []
        }
      : (text, values) => persistently(() => alone(text, values))

  let closing: Promise<void> | undefined
  return {
    schema,
    query,
    attempt: work => asResult(() => work(query)),
    transaction: (work, options) => asResult(() => persistently(() => once(work, options))),
    close: () => {
      closing ??= pool.end()
      return closing
    },
  }
}

/** One statement after the other, also where the work does not wait: a connection takes one at a time. */
function inTurn(query: Query): Query {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    const next = last.then(() => query(text, values))
    last = next.catch(() => undefined)
    return next as never
  }
}
