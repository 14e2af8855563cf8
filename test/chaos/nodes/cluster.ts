/** Several gateways on one PostgreSQL, each behind a proxy of its own, which can be killed, paused and cut off. */

import { type ChildProcess, spawn } from 'node:child_process'
import { delimiter } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import { buildNodeHouse, type NodeHouse } from './house.ts'
import { type DatabaseProxy, startProxy } from './proxy.ts'
import { NO_FENCE_VARIABLE } from './variables.ts'

/** A gateway that is started again whenever it ends. */
export type Node = {
  readonly name: string
  readonly url: string
  readonly proxy: DatabaseProxy
  /** Whether it listens and is not paused. */
  readonly isUp: () => boolean
  readonly kill: () => void
  /** Kills it, and it is not started again. */
  readonly end: () => Promise<void>
  /** Stops its process, all threads of it, for some time. */
  readonly pause: (ms: number) => Promise<void>
}

export type Cluster = {
  readonly nodes: readonly Node[]
  readonly houses: readonly NodeHouse[]
  /** What no node may ever do: end by itself, or report a bug. */
  readonly faults: readonly string[]
  /** How often a node could not start because its database was away. */
  readonly refusedStarts: () => number
  /** Until all are up, or one has done what it may never do. */
  readonly untilUp: () => Promise<void>
  readonly close: () => Promise<void>
}

export type ClusterOptions = {
  readonly nodes: number
  readonly folder: string
  readonly provider: string
  readonly database: { readonly url: string; readonly port: number }
  /** What nodes take by themselves, unless told. */
  readonly leaseMs?: number
  /** Where compiled code is kept from one process to the next. */
  readonly compiled: string
  readonly isUnfenced?: boolean
}

const ENTRY = fileURLToPath(new URL('./node.ts', import.meta.url))
/** A supervisor waits so long before it starts a node again that could not reach its database. */
const AGAIN_MS = 200
const LOOK_EVERY_MS = 10
/** Stderr is only read for bugs and for the reason of an end. */
const MOST_STDERR = 20_000

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { nodes: count, folder, provider, database } = options
  const faults: string[] = []
  let refused = 0
  const started = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const name = `node-${index + 1}`
      const house = buildNodeHouse(folder, name, provider)
      const proxy = await startProxy(database.port)
      const node = await superviseNode(name, house, proxy, options, {
        fault: words => void faults.push(words),
        refused: () => {
          refused += 1
        },
      })
      return { house, proxy, node }
    }),
  )
  const nodes = started.map(({ node }) => node)
  return {
    nodes,
    houses: started.map(({ house }) => house),
    faults,
    refusedStarts: () => refused,
    untilUp: async () => {
      for (const until = performance.now() + 60_000; !nodes.every(node => node.isUp()); await pause(LOOK_EVERY_MS))
        if (faults.length > 0) return
        else if (performance.now() > until) throw new Error('a node does not start, and says nothing')
    },
    close: async () => {
      await Promise.all(started.map(({ node }) => node.end()))
      await Promise.all(started.map(({ proxy }) => proxy.close()))
    },
  }
}

type Report = { readonly fault: (words: string) => void; readonly refused: () => void }

async function superviseNode(
  name: string,
  house: NodeHouse,
  proxy: DatabaseProxy,
  { database, leaseMs, compiled, isUnfenced = false }: ClusterOptions,
  report: Report,
): Promise<Node> {
  const port = await freePort()
  const store = new URL(database.url)
  store.port = String(proxy.port)
  const env = {
    PATH: [house.binaries, process.env.PATH].join(delimiter),
    HOME: house.home,
    TURNWISE_HOME: house.home,
    TURNWISE_PORT: String(port),
    TURNWISE_STORE: store.href,
    NODE_COMPILE_CACHE: compiled,
    ...(leaseMs === undefined ? {} : { TURNWISE_LEASE_MS: String(leaseMs) }),
    ...(isUnfenced ? { [NO_FENCE_VARIABLE]: '1' } : {}),
  }
  let isUp = false
  let isPaused = false
  let isClosing = false
  let child: ChildProcess
  let over = Promise.resolve()
  const start = (): void => {
    const own = spawn(process.execPath, [ENTRY, 'serve'], { stdio: ['ignore', 'pipe', 'pipe'], env })
    child = own
    let stderr = ''
    let stdout = ''
    own.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout = `${stdout}${text}`.slice(-MOST_STDERR)
      if (stdout.includes('listening on')) isUp = true
    })
    own.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('"msg":"bug"')) report.fault(`${name} reported a bug: ${text.slice(0, MOST_STDERR)}`)
      stderr = `${stderr}${text}`.slice(-MOST_STDERR)
    })
    over = new Promise(resolve => {
      own.on('close', (code, signal) => {
        isUp = false
        resolve()
        if (isClosing) return
        if (signal === 'SIGKILL') return start()
        // Without its database a gateway refuses to start; whatever runs it tries again.
        if (stdout === '' && /database|connect/i.test(stderr)) report.refused()
        else report.fault(`${name} ended by itself (${signal ?? code}): ${stderr.trim()}`)
        setTimeout(() => {
          if (!isClosing) start()
        }, AGAIN_MS)
      })
    })
  }
  const end = (): void => {
    isClosing = true
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
  start()
  process.on('exit', end)
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    proxy,
    isUp: () => isUp && !isPaused,
    kill: () => {
      isUp = false
      child.kill('SIGKILL')
    },
    pause: async ms => {
      const own = child
      isPaused = true
      own.kill('SIGSTOP')
      await pause(ms)
      own.kill('SIGCONT')
      isPaused = false
    },
    end: async () => {
      end()
      process.off('exit', end)
      await over
    },
  }
}
