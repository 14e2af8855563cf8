/** Everything that the benchmark needs: gateways on SQLite and on PostgreSQL, each number of nodes with a store of its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onServer, startPostgres } from '../../test/support/postgres.ts'
import { cpuMs, type Gateway, type People, type Process, startGateway, startPeople, startProvider } from './processes.ts'

/** Some gateways with one store, and the sessions in it. */
export type Setup = {
  readonly name: string
  /** 0 is SQLite. */
  readonly nodes: number
  readonly gateways: readonly Gateway[]
  sessions: readonly string[]
}

/** What each kind of process has used so far, in milliseconds. */
export type Used = Readonly<Record<'gateways' | 'PostgreSQL' | 'provider' | 'people', number>>

export type Stand = {
  readonly setups: readonly Setup[]
  readonly people: People
  readonly database: { readonly url: string; readonly folder: string }
  /** Undefined where the system does not tell. */
  readonly used: (setup: Setup) => Used | undefined
  readonly close: () => Promise<void>
}

export async function openStand(nodeCounts: readonly number[], deltas: number): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-nodes-'))
  const server = await startPostgres({ fsync: true })
  const processes: Process[] = []
  const stopNow = (): void => {
    for (const each of processes) each.stopNow()
    server.stopNow()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', stopNow)
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code))
  const kept = <Kind extends Process>(each: Kind): Kind => {
    processes.push(each)
    return each
  }
  const provider = kept(await startProvider(deltas))
  const people = kept(startPeople())
  const setups: Setup[] = []
  for (const nodes of [0, ...nodeCounts]) {
    const name = nodes === 0 ? 'SQLite' : `PostgreSQL, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
    const address = new URL(server.url)
    address.searchParams.set('schema', `nodes_${nodes}`)
    if (nodes > 0) await onServer(server.url, `create schema nodes_${nodes}`)
    const store = nodes === 0 ? `sqlite:${join(folder, 'turnwise.db')}` : address.href
    const gateways: Gateway[] = []
    for (let node = 1; node <= Math.max(1, nodes); node += 1)
      gateways.push(kept(await startGateway(folder, `of-${nodes}-number-${node}`, provider.url, store)))
    setups.push({ name, nodes, gateways, sessions: [] })
  }
  const postmaster = Number(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  return {
    setups,
    people,
    database: server,
    used: ({ gateways }) => {
      const used = {
        gateways: cpuMs(gateways.map(({ pid }) => pid)),
        PostgreSQL: cpuMs([postmaster], true),
        provider: cpuMs([provider.pid]),
        people: cpuMs([people.pid]),
      }
      return Object.values(used).includes(undefined) ? undefined : (used as Used)
    },
    close: async () => {
      for (const each of processes.reverse()) await each.stop()
      await server.stop()
      process.off('exit', stopNow)
      rmSync(folder, { recursive: true })
    },
  }
}
