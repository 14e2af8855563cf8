/** The stores on which every contract test runs. */
import { join } from 'node:path'
import { suite, type TestContext } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { memoryLog } from '../../../src/log/memory/memory-log.ts'
import type { Clock, Log } from '../../../src/log/ports.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { lentPostgres, whyNoPostgres } from '../../support/postgres.ts'
import { must, sessionOf, ticking } from '../facts.ts'
import { openSqlite, temporaryFolder } from '../files.ts'

/** A store under test; `restarted` closes it and opens it again, or says why that makes no sense. */
export type OpenStore = {
  readonly log: Log
  readonly restarted: (() => Promise<Log>) | { readonly never: string }
  readonly isServer?: boolean
}

export type Open = (t: TestContext, clock: Clock) => Promise<OpenStore>

const memory: Open = async (_, clock) => ({
  log: memoryLog({ clock, weigh }),
  restarted: { never: 'a log in memory ends with its process' },
})

const sqlite: Open = async (t, clock) => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file, { clock })
  const restarted = async () => {
    await log.close()
    return openSqlite(t, file, { clock })
  }
  return { log, restarted }
}

const postgres: Open = async (t, clock) => {
  const { url, giveBack } = await lentPostgres()
  const open = async (): Promise<Log> => must(await postgresLog({ url, clock, weigh, connections: 4 }))
  // A test of many cases closes its store after each, and the next one gets the same tables.
  const closing = (log: Log): Log => {
    const close = (): Promise<void> => log.close().then(giveBack)
    t.after(close)
    return { ...log, close }
  }
  const log = await open()
  const restarted = async () => {
    await log.close()
    return closing(await open())
  }
  return { log: closing(log), restarted, isServer: true }
}

const noPostgres = await whyNoPostgres()

/** Opens a store under a clock that moves, with some sessions in it. */
export type Opened = (t: TestContext, ...sessions: readonly SessionId[]) => Promise<OpenStore>

/** Runs the tests of one port on every store. */
export function onEveryStore(port: string, tests: (open: Open, opened: Opened) => void): void {
  for (const [name, open] of Object.entries({ memory, sqlite, postgres })) {
    const opened: Opened = async (t, ...sessions) => {
      const store = await open(t, ticking())
      for (const id of sessions) must(await store.log.open(sessionOf(id)))
      return store
    }
    const skip = name === 'postgres' ? (noPostgres ?? false) : false
    suite(`${port} on ${name}`, { concurrency: 1, skip }, () => tests(open, opened))
  }
}
