/** Runs a job on one node at a time, among all that share a store: the node that has the job's lease. */
import { randomUUID } from 'node:crypto'
import type { Leases } from '../log/open-store.ts'
import type { Fault } from '../model/fault.ts'

/** A job that runs while this node has its lease. */
export type OneNodeJob = {
  /** Starts the job. `isMine` says whether the lease is still ours by this node's own clock; ask it before every act that must not happen twice. */
  readonly start: (isMine: () => boolean) => RunningJob | Promise<RunningJob>
  /** Why the store could not be asked, and nothing as soon as it answers. */
  readonly onTrouble?: (fault: Fault | undefined) => void
  readonly onBug: (cause: unknown) => void
}

export type RunningJob = {
  /** `lost`: another node may run it already, so nothing may be finished first. */
  readonly stop: (why: 'lost' | 'stopped') => Promise<void>
}

export type OneNodeOptions = {
  readonly leases: Leases
  /** Names the job for all nodes. */
  readonly key: string
  readonly node?: string
  readonly leaseMs?: number
  readonly renewMs?: number
}

export type OneNodeRunner = {
  readonly isRunning: () => boolean
  /** Stops the job and gives the lease back, so that another node can take it at once. */
  readonly stop: () => Promise<void>
}

const LEASE_MS = 15_000
/** A lease is renewed so often while it lasts. */
const RENEWALS = 3

/** A node that loses the lease, or cannot renew it in time, stops the job and tries to get the lease again. */
export function runOnOneNode(
  job: OneNodeJob,
  { leases, key, node = randomUUID(), leaseMs = LEASE_MS, renewMs = leaseMs / RENEWALS }: OneNodeOptions,
): OneNodeRunner {
  let fence: number | undefined
  let mineUntil = 0
  let running: RunningJob | undefined
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let expiry: NodeJS.Timeout | undefined
  let turn: Promise<void> = Promise.resolve()

  const isMine = (): boolean => fence !== undefined && performance.now() < mineUntil
  /** Counts from the moment before the store was asked: its own time begins later, so ours ends first. */
  const holdFrom = (asked: number): void => {
    mineUntil = asked + leaseMs
    clearTimeout(expiry)
    expiry = setTimeout(() => lose().catch(job.onBug), leaseMs)
  }
  const lose = async (): Promise<void> => {
    fence = undefined
    clearTimeout(expiry)
    const lost = running
    running = undefined
    await lost?.stop('lost')
  }
  const take = async (): Promise<void> => {
    const asked = performance.now()
    const taken = await leases.take(key, node, leaseMs)
    job.onTrouble?.(taken.ok ? undefined : taken.fault)
    if (!taken.ok || taken.value.node !== node) return
    fence = taken.value.fence
    holdFrom(asked)
    if (isStopped || !isMine()) return
    try {
      running = await job.start(isMine)
    } catch (cause) {
      await giveBack()
      throw cause
    }
    // Starting may have taken longer than the lease.
    if (!isMine()) await lose()
  }
  const giveBack = async (): Promise<void> => {
    clearTimeout(expiry)
    if (fence === undefined) return
    fence = undefined
    await leases.giveBack(node, [key])
  }
  const renew = async (held: number): Promise<void> => {
    const asked = performance.now()
    const renewed = await leases.renew(node, [{ key, fence: held }], leaseMs)
    job.onTrouble?.(renewed.ok ? undefined : renewed.fault)
    // A store that does not answer may be back in time; until then the lease is ours.
    if (!renewed.ok) return isMine() ? undefined : lose()
    if (renewed.value.includes(key) && isMine()) holdFrom(asked)
    else await lose()
  }
  const look = async (): Promise<void> => {
    if (fence === undefined) await take()
    else await renew(fence)
  }
  const loop = (): void => {
    turn = look().catch(job.onBug)
    turn.then(() => {
      if (!isStopped) timer = setTimeout(loop, renewMs)
    })
  }
  loop()
  return {
    isRunning: () => running !== undefined && isMine(),
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await turn
      const held = running
      running = undefined
      await held?.stop(isMine() ? 'stopped' : 'lost')
      await giveBack()
    },
  }
}
