/** Has conversations with several nodes on one PostgreSQL while they are killed, paused and cut off, and checks every promise afterwards. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomFrom } from '../../log/facts.ts'
import { startPostgres } from '../../support/postgres.ts'
import { effectsIn } from '../check.ts'
import { type Checked, check } from './check.ts'
import { type Talked, talk } from './client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { doFaults, type FaultCounts, NO_FAULTS, shuffledFaults } from './faults.ts'
import { type NodesProvider, startNodesProvider } from './provider.ts'

export type NodesChaosOptions = {
  readonly nodes: number
  readonly faults: FaultCounts
  readonly seed: number
  /** How many conversations are had side by side; each has three sessions. */
  readonly atOnce: number
  /** After so many kills everything is checked. */
  readonly killsPerSet: number
  /** The mean time between two faults. */
  readonly everyMs: number
  readonly leaseMs: number
  /** The last set begins before this time is over. */
  readonly minutes: number
  readonly compiled: string
  /** A conversation that is not over so long after the last fault hangs; a minute unless told. */
  readonly patienceMs?: number
  /** The control: nodes that have lost their lease can still write. */
  readonly isUnfenced?: boolean
  readonly print: (line: string) => void
}

export type NodesVerdict = {
  readonly ok: boolean
  readonly faults: readonly string[]
  readonly done: FaultCounts
  readonly totals: Totals
}

type Totals = {
  readonly conversations: number
  readonly messages: number
  readonly events: number
  readonly tools: number
  readonly receipts: number
  readonly resumed: number
  readonly compared: number
  readonly hops: number
  readonly refusedStarts: number
  readonly slowestMs: number
}

const PATIENCE_MS = 60_000
/** How long turns may still run when the last answer was heard. */
const QUIET_MS = 30_000
const LOOK_EVERY_MS = 100
const FRAME_MS = 12

export async function nodesChaos(options: NodesChaosOptions): Promise<NodesVerdict> {
  const { nodes, seed, leaseMs, compiled, isUnfenced = false, minutes, print } = options
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-nodes-'))
  const started = performance.now()
  const server = await startPostgres({ fsync: true })
  const provider = await startNodesProvider(FRAME_MS)
  const shared = { nodes, folder, provider: provider.url, database: server, leaseMs, compiled, isUnfenced }
  const cluster = await startCluster(shared)
  const done = { ...NO_FAULTS }
  const all: Stretch[] = []
  const run = (faults: FaultCounts, setSeed: number): Promise<Stretch> =>
    runSet({ ...options, cluster, server, provider, faults, seed: setSeed, first: conversationsIn(all), done })
  try {
    await cluster.untilUp()
    print(`seed ${seed}: ${nodes} nodes, lease ${leaseMs} ms`)
    const plain = await run(NO_FAULTS, seed)
    all.push(plain)
    print(`undisturbed: ${plain.checked.messages} messages, ${plain.checked.events} events, ${plain.checked.receipts} requests`)
    for (const [index, faults] of setsOf(options).entries()) {
      if (all.at(-1)?.faults.length !== 0) break
      if (performance.now() - started > minutes * 60_000) {
        print(`the time is over after ${done.kill} kills`)
        break
      }
      const set = await run(faults, seed + index + 1)
      all.push(set)
      const { kill, restart, pause } = done
      print(
        `set ${index + 1}: ${kill} kills, ${pause} pauses, ${restart} restarts so far; ${set.talks.length} conversations, ${Math.round((performance.now() - started) / 1000)} s`,
      )
    }
  } finally {
    await cluster.close()
    await provider.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const totals = totalsOf(all, cluster)
  const faults = [...all.flatMap(set => set.faults), ...neverSeen(totals)]
  for (const line of table(done, totals, faults.length)) print(line)
  if (faults.length > 0) print(`seed ${seed}, first of ${faults.length} broken promises: ${faults[0]}`)
  return { ok: faults.length === 0, faults, done, totals }
}

/** What one stretch of faults left, and how it was checked. */
type Stretch = {
  readonly talks: readonly (readonly Talked[])[]
  readonly checked: Checked
  readonly faults: readonly string[]
}

type SetOptions = NodesChaosOptions & {
  readonly cluster: Cluster
  readonly server: Awaited<ReturnType<typeof startPostgres>>
  readonly provider: NodesProvider
  readonly first: number
  readonly done: Record<keyof FaultCounts, number>
}

/** Conversations follow each other until the last fault is done; then those under way come to their end, and all are checked. */
async function runSet(options: SetOptions): Promise<Stretch> {
  const { cluster, server, provider, faults: counts, seed, first, atOnce, everyMs, leaseMs, done } = options
  const { patienceMs = PATIENCE_MS } = options
  const next = randomFrom(seed)
  const stopping = new AbortController()
  let number = first
  let isOver = false
  const talks: (readonly Talked[])[] = []
  const planned = shuffledFaults(counts, next)
  const isDisturbed = planned.length > 0
  const converse = async (): Promise<void> => {
    do {
      number += 1
      const urls = cluster.nodes.map(({ url }) => url)
      const talked = await talk({
        ...{ ticket: `c${number}`, urls, next: randomFrom(seed * 1000 + number), signal: stopping.signal },
        isUndisturbed: !isDisturbed,
      })
      talks.push(talked)
      // One that went wrong shows that something is broken already.
      if (talked.some(({ faults }) => faults.length > 0)) stopping.abort()
    } while (!isOver && !stopping.signal.aborted)
  }
  const disturb = async (): Promise<void> => {
    await doFaults(planned, {
      ...{ cluster, server, provider, leaseMs, next, everyMs, signal: stopping.signal },
      done: kind => {
        done[kind] += 1
      },
    })
    isOver = true
    const late = setTimeout(() => stopping.abort(new Error('it did not come to its end')), patienceMs)
    // Where a node or the model has complained, conversations may wait in vain.
    const look = setInterval(() => {
      if (cluster.faults.length + provider.faults.length > 0) stopping.abort(new Error('something is broken already'))
    }, LOOK_EVERY_MS)
    await Promise.allSettled(talking)
    clearTimeout(late)
    clearInterval(look)
  }
  const talking = Array.from({ length: isDisturbed ? atOnce : 1 }, converse)
  await Promise.all([...talking, disturb()])
  await cluster.untilUp()
  const [house] = cluster.houses
  if (house === undefined) throw new Error('there is no node')
  const numbers = new Set(talks.flat().map(({ ticket }) => ticket as string))
  const effects = effectsIn(house.effects).filter(line => numbers.has(line.split(/[ -]/)[1] ?? ''))
  const quietMs = stopping.signal.aborted ? 0 : QUIET_MS
  const checked = await check({ talks, effects, home: house.home, store: server.url, isDisturbed, quietMs })
  return { talks, checked, faults: [...cluster.faults, ...provider.faults, ...checked.faults] }
}

/** Where nothing was heard, verified or done, nothing could be found wrong with it. */
function neverSeen({ compared, receipts, tools }: Totals): readonly string[] {
  return [
    ...(compared === 0 ? ['no reply was heard word by word and compared'] : []),
    ...(receipts === 0 ? ['no request was verified'] : []),
    ...(tools === 0 ? ['no tool has acted'] : []),
  ]
}

const conversationsIn = (sets: readonly Stretch[]): number => sets.reduce((sum, { talks }) => sum + talks.length, 0)

/** The faults of each set: as many of each kind as there are kills in it, in proportion. */
function setsOf({ faults, killsPerSet }: NodesChaosOptions): readonly FaultCounts[] {
  const sets = Math.max(1, Math.ceil(faults.kill / killsPerSet))
  const share = (count: number, index: number): number =>
    Math.floor((count * (index + 1)) / sets) - Math.floor((count * index) / sets)
  return Array.from({ length: sets }, (_, index) => ({
    kill: share(faults.kill, index),
    pause: share(faults.pause, index),
    cut: share(faults.cut, index),
    stall: share(faults.stall, index),
    restart: share(faults.restart, index),
  }))
}

function totalsOf(sets: readonly Stretch[], cluster: Cluster): Totals {
  const sum = (of: (set: Stretch) => number): number => sets.reduce((total, set) => total + of(set), 0)
  return {
    conversations: conversationsIn(sets),
    messages: sum(({ checked }) => checked.messages),
    events: sum(({ checked }) => checked.events),
    tools: sum(({ checked }) => checked.tools),
    receipts: sum(({ checked }) => checked.receipts),
    resumed: sum(({ checked }) => checked.resumed),
    compared: sum(({ talks }) => talks.flat().reduce((total, { compared }) => total + compared, 0)),
    hops: sum(({ talks }) => talks.flat().reduce((total, { hops }) => total + hops, 0)),
    refusedStarts: cluster.refusedStarts(),
    slowestMs: Math.max(0, ...sets.flatMap(({ talks }) => talks.flat().flatMap(({ answeredMs }) => answeredMs))),
  }
}

function table(done: FaultCounts, totals: Totals, broken: number): readonly string[] {
  const rows: readonly (readonly [string, number])[] = [
    ['nodes killed', done.kill],
    ['nodes paused for longer than their lease', done.pause],
    ['connections to the database cut', done.cut],
    ['connections to the database stalled', done.stall],
    ['database restarts (immediate)', done.restart],
    ['conversations', totals.conversations],
    ['messages acknowledged', totals.messages],
    ['events', totals.events],
    ['tools that acted', totals.tools],
    ['requests verified', totals.receipts],
    ['replies cut and continued', totals.resumed],
    ['replies heard whole and compared', totals.compared],
    ['streams that went on at another node', totals.hops],
    ['starts refused without a database', totals.refusedStarts],
    ['slowest answer, ms', Math.round(totals.slowestMs)],
    ['broken promises', broken],
  ]
  return [
    `| ${'what'.padEnd(42)} | ${'times'.padStart(8)} |`,
    `|${'-'.repeat(44)}|${'-'.repeat(9)}:|`,
    ...rows.map(([what, times]) => `| ${what.padEnd(42)} | ${times.toLocaleString('en').padStart(8)} |`),
  ]
}
