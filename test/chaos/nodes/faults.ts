/** The faults of a run: which there are, in a random order, and the hand that does them one after the other. */
import { setTimeout as pause } from 'node:timers/promises'
import type { TestServer } from '../../support/postgres.ts'
import type { Cluster, Node } from './cluster.ts'
import type { NodesProvider } from './provider.ts'

export type FaultKind = 'kill' | 'pause' | 'cut' | 'stall' | 'restart'
export type FaultCounts = Readonly<Record<FaultKind, number>>

export const NO_FAULTS: FaultCounts = { kill: 0, pause: 0, cut: 0, stall: 0, restart: 0 }
const KINDS = Object.keys(NO_FAULTS) as readonly FaultKind[]

/** Every fault as often as asked for, in an order that the random numbers decide. */
export function shuffledFaults(counts: FaultCounts, next: () => number): readonly FaultKind[] {
  const all = KINDS.flatMap(kind => Array.from({ length: counts[kind] }, () => ({ kind, at: next() })))
  return all.toSorted((one, other) => one.at - other.at).map(({ kind }) => kind)
}

export type FaultOptions = {
  readonly cluster: Cluster
  readonly server: Pick<TestServer, 'restart'>
  readonly provider: Pick<NodesProvider, 'underway'>
  readonly leaseMs: number
  readonly next: () => number
  /** The mean time between two faults. */
  readonly everyMs: number
  readonly done: (kind: FaultKind) => void
  readonly signal: AbortSignal
}

const LOOK_EVERY_MS = 10
const STALL_MS = 1200
/** How long a pause waits for a node that is in the middle of something. */
const BUSY_MS = 2000

/** Does the faults one after the other. Pauses and stalls last while the next faults come; it ends when all are over. */
export async function doFaults(faults: readonly FaultKind[], options: FaultOptions): Promise<void> {
  const { next, everyMs, done, signal } = options
  const lasting: Promise<void>[] = []
  for (const kind of faults) {
    await pause(everyMs * (0.3 + 1.4 * next()))
    if (signal.aborted) break
    const { lasts } = await doFault(kind, options)
    if (lasts !== undefined) lasting.push(lasts)
    done(kind)
  }
  await Promise.all(lasting)
}

/** Gives what lasts on, if anything: in an object, since a promise itself would be waited for. */
async function doFault(kind: FaultKind, options: FaultOptions): Promise<{ readonly lasts?: Promise<void> | undefined }> {
  const { server, leaseMs, next } = options
  if (kind === 'restart') {
    await server.restart('immediate')
    return {}
  }
  const node = kind === 'pause' ? await busyNode(options) : await nodeThatIsUp(options)
  if (kind === 'kill') node?.kill()
  if (kind === 'cut') node?.proxy.cut()
  // Longer than the lease, so that another node has taken over by then.
  if (kind === 'pause') return { lasts: node?.pause(leaseMs * (1.5 + next())) }
  if (kind === 'stall' && node !== undefined) return { lasts: stall(node, STALL_MS * (0.2 + next())) }
  return {}
}

async function stall({ proxy }: Node, ms: number): Promise<void> {
  proxy.stall()
  await pause(ms)
  proxy.flow()
}

/** A node that hears a reply while another one is there to take over; any that is up, if there is none for long. */
async function busyNode(options: FaultOptions): Promise<Node | undefined> {
  const { cluster, provider, next, signal } = options
  for (const until = performance.now() + BUSY_MS; !signal.aborted && performance.now() < until; await pause(LOOK_EVERY_MS)) {
    const up = cluster.nodes.filter(node => node.isUp())
    const busy = up.filter(({ name }) => provider.underway(name) > 0)
    if (up.length > 1 && busy.length > 0) return busy[Math.floor(next() * busy.length)]
  }
  return nodeThatIsUp(options)
}

async function nodeThatIsUp({ cluster, next, signal }: FaultOptions): Promise<Node | undefined> {
  for (; !signal.aborted; await pause(LOOK_EVERY_MS)) {
    const up = cluster.nodes.filter(node => node.isUp())
    const chosen = up[Math.floor(next() * up.length)]
    if (chosen !== undefined) return chosen
  }
  return undefined
}
