/** The stores that several nodes share, on which the tests of their ports run. */
import { suite, type TestContext } from 'node:test'
import { weigh } from '../../../../src/context/text/tokens.ts'
import { memoryLog } from '../../../../src/log/memory/memory-log.ts'
import type { NodePorts } from '../../../../src/log/node-ports.ts'
import type { Log } from '../../../../src/log/ports.ts'
import { readAddress } from '../../../../src/log/postgres/connection.ts'
import { postgresLog } from '../../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { onServer, postgresUrl, whyNoPostgres } from '../../../support/postgres.ts'
import { must, NOON, sessionOf } from '../../facts.ts'

export type SharedLog = Log & { readonly nodes: NodePorts }

/** One store as two nodes see it; `pass` lets time go by for leases, orders and reservations. */
export type SharedStore = {
  readonly a: SharedLog
  readonly b: SharedLog
  readonly pass: (ms: number) => Promise<void>
}

export type OpenShared = (t: TestContext, ...sessions: readonly SessionId[]) => Promise<SharedStore>

const shared = (log: Log): SharedLog => {
  if (log.nodes === undefined) throw new Error('the store is not shared')
  return log as SharedLog
}

const memory = async (): Promise<SharedStore> => {
  let now = NOON
  const log = shared(memoryLog({ clock: () => now, weigh, isShared: true }))
  const pass = async (ms: number): Promise<void> => {
    now += ms
  }
  return { a: log, b: log, pass }
}

const TIMES = { leases: 'until', orders: 'at', order_replies: 'at', reservations: 'until' }

const postgres = async (t: TestContext): Promise<SharedStore> => {
  const url = await postgresUrl(t)
  const { url: server, schema } = readAddress(url)
  const open = async (): Promise<SharedLog> => {
    const log = must(await postgresLog({ url, clock: () => NOON, weigh, connections: 6 }))
    t.after(() => log.close())
    return shared(log)
  }
  // The clock of the database cannot be moved, so what is kept moves back instead.
  const pass = async (ms: number): Promise<void> => {
    for (const [table, column] of Object.entries(TIMES))
      await onServer(server, `update ${schema}.${table} set ${column} = ${column} - interval '${ms} milliseconds'`)
  }
  return { a: await open(), b: await open(), pass }
}

const noPostgres = await whyNoPostgres()

/** Runs the tests of one port on every store that can be shared. */
export function onSharedStores(port: string, tests: (open: OpenShared, store: 'memory' | 'postgres') => void): void {
  for (const [name, make] of Object.entries({ memory, postgres })) {
    const open: OpenShared = async (t, ...sessions) => {
      const store = await make(t)
      for (const id of sessions) must(await store.a.open(sessionOf(id)))
      return store
    }
    const skip = name === 'postgres' ? (noPostgres ?? false) : false
    suite(`${port} on ${name}`, { concurrency: 1, skip }, () => tests(open, name as 'memory' | 'postgres'))
  }
}
