/** The sessions whose turns this node runs: takes leases, renews them, gives them back, and says when one is lost. */
import { setTimeout as pause } from 'node:timers/promises'
import { isStaleFence } from '../../log/append-rules.ts'
import type { Leases, NodeId } from '../../log/node-ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'

/**
 * The time for which a session is ours without a break. What is read of a session counts for the tenure it was read in: in
 * between, another node may have gone on with it. On a store with one user there is one tenure, which has no fence.
 */
export type Tenure = { readonly fence: number | undefined }

/** Who runs the turns of a session. On a store with one user, that is always this process. */
export type Ownership = {
  /** Takes a session that no other node has; undefined if another one runs it. What was left in it is taken up first. */
  readonly own: (id: SessionId) => Promise<Result<Tenure | undefined, Fault>>
  /** The tenure of a session that is ours now. */
  readonly tenureOf: (id: SessionId) => Tenure | undefined
  /** The same, once what was left in the session is taken up: until then its open turns are not known here. */
  readonly whenTaken: (id: SessionId) => Promise<Tenure | undefined>
  readonly isStill: (id: SessionId, tenure: Tenure) => boolean
  /** Does something for which a session is needed: until it is over, the session is not given back. */
  readonly during: <Value>(id: SessionId, work: () => Promise<Value>) => Promise<Value>
}

/** What happens to the sessions of this node; set by the conductor. */
export type OwnedSessions = {
  /** A session is ours from now on: what another node left in it goes on. */
  readonly taken: (id: SessionId, tenure: Tenure) => Promise<Result<null, Fault>>
  /** Another node has the session: everything that runs for it here is dropped. */
  readonly lost: (id: SessionId) => void
  /** Whether something runs for it, or waits for a person. */
  readonly isBusy: (id: SessionId) => boolean
}

const SOLE_TENURE: Tenure = { fence: undefined }

/** One process alone runs every session. */
export const SOLE_OWNER: Ownership = {
  own: async () => ok(SOLE_TENURE),
  tenureOf: () => SOLE_TENURE,
  whenTaken: async () => SOLE_TENURE,
  isStill: () => true,
  during: (_, work) => work(),
}

export type LeaseKeeper = Ownership & {
  readonly begin: (sessions: OwnedSessions) => void
  readonly isOurs: (id: SessionId) => boolean
  /** Whether something is being done for which a session is needed. */
  readonly isInUse: (id: SessionId) => boolean
  readonly ours: () => readonly SessionId[]
  /** The store has refused a fence of ours. */
  readonly refused: (id: SessionId, fence: number) => void
  /** Takes no more sessions; those that are ours go on. */
  readonly close: () => void
  /** Gives back every session, so that other nodes go on with them at once. */
  readonly stop: () => Promise<void>
}

type Held = { readonly tenure: Tenure & { readonly fence: number }; usedAt: number }

/** A session that is idle for so long is given back. Most follow-ups of a turn come sooner. */
const IDLE_MS = 250
/** Leases are renewed so often while they last. */
const RENEWALS = 3
/** A renewal that failed is tried again so often in the time between two. */
const RETRIES = 5

export function createLeaseKeeper({
  leases,
  node,
  leaseMs,
  onBug,
  rest = restFor,
}: {
  readonly leases: Leases
  readonly node: NodeId
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number
  readonly onBug: (cause: unknown) => void
  /** Waits for some time, or until the signal. */
  readonly rest?: (ms: number, until: AbortSignal) => Promise<void>
}): LeaseKeeper {
  const held = new Map<SessionId, Held>()
  const inUse = new Map<SessionId, number>()
  const asking = new Map<SessionId, Promise<Result<Tenure | undefined, Fault>>>()
  /** Leases on their way back: they are taken anew only when that is done. */
  const returning = new Map<SessionId, Promise<unknown>>()
  const stopping = new AbortController()
  let isClosed = false
  let sessions: OwnedSessions = { taken: async () => ok(null), lost: () => {}, isBusy: () => false }

  const lose = (id: SessionId): void => {
    if (!held.delete(id)) return
    sessions.lost(id)
  }

  const take = async (id: SessionId): Promise<Result<Tenure | undefined, Fault>> => {
    await returning.get(id)?.catch(() => undefined)
    if (isClosed) return ok(undefined)
    const lease = await leases.take(id, node, leaseMs)
    if (!lease.ok) return lease
    const { fence } = lease.value
    if (lease.value.node !== node) return ok(undefined)
    const tenure = { fence }
    held.set(id, { tenure, usedAt: performance.now() })
    if (isClosed) {
      await giveBack([id])
      return ok(undefined)
    }
    // What was left there could not be read: another try, of any node, begins from the start.
    const undo = async (): Promise<void> => {
      if (held.get(id)?.tenure !== tenure) return
      sessions.lost(id)
      await giveBack([id])
    }
    const taken = await during(id, () => sessions.taken(id, tenure)).catch(async (cause: unknown) => {
      await undo()
      throw cause
    })
    if (taken.ok) return ok(use(id, tenure))
    await undo()
    // This node was away for longer than the lease lasts, and another one has the session by now.
    return isStaleFence(taken.fault) ? ok(undefined) : taken
  }

  /** The tenure, if it still lasts; from now on the session is idle. */
  const use = (id: SessionId, tenure: Tenure): Tenure | undefined => {
    const known = held.get(id)
    if (known === undefined || known.tenure !== tenure) return undefined
    known.usedAt = performance.now()
    return tenure
  }

  const own: Ownership['own'] = async id => {
    const known = held.get(id)
    if (known !== undefined && !asking.has(id)) return ok(use(id, known.tenure))
    // Until what was left there is taken up, nothing else may begin in it.
    const underway = asking.get(id) ?? take(id).finally(() => asking.delete(id))
    asking.set(id, underway)
    return underway
  }

  const during: Ownership['during'] = async (id, work) => {
    inUse.set(id, (inUse.get(id) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (inUse.get(id) ?? 1) - 1
      if (left === 0) inUse.delete(id)
      else inUse.set(id, left)
      const known = held.get(id)
      if (known !== undefined) use(id, known.tenure)
    }
  }

  const giveBack = async (ids: readonly SessionId[]): Promise<void> => {
    if (ids.length === 0) return
    for (const id of ids) held.delete(id)
    const given = leases.giveBack(node, ids).finally(() => {
      for (const id of ids) if (returning.get(id) === given) returning.delete(id)
    })
    for (const id of ids) returning.set(id, given)
    await given
  }

  /** False if the store did not answer: that says nothing about whose the sessions are; their fences do. */
  const renew = async (): Promise<boolean> => {
    const ours = [...held].map(([key, { tenure }]) => ({ key, fence: tenure.fence }))
    if (ours.length === 0) return true
    const kept = await leases.renew(node, ours, leaseMs)
    if (!kept.ok) return false
    const still = new Set(kept.value)
    for (const { key, fence } of ours) {
      const id = key as SessionId
      if (!still.has(key) && held.get(id)?.tenure.fence === fence) lose(id)
    }
    return true
  }

  const renewing = async (): Promise<void> => {
    const ms = leaseMs / RENEWALS
    for (let isAnswered = true; !stopping.signal.aborted; ) {
      await rest(isAnswered ? ms : ms / RETRIES, stopping.signal)
      if (stopping.signal.aborted) return
      isAnswered = await renew().catch((cause: unknown) => {
        onBug(cause)
        return false
      })
    }
  }

  const returningIdle = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await rest(IDLE_MS, stopping.signal)
      const before = performance.now() - IDLE_MS
      const isIdle = (id: SessionId, { usedAt }: Held): boolean =>
        usedAt < before && !asking.has(id) && !inUse.has(id) && !sessions.isBusy(id)
      const idle = [...held].filter(([id, each]) => isIdle(id, each))
      if (!stopping.signal.aborted) await giveBack(idle.map(([id]) => id)).catch(onBug)
    }
  }

  return {
    own,
    during,
    tenureOf: id => held.get(id)?.tenure,
    whenTaken: async id => {
      await asking.get(id)?.catch(() => undefined)
      return held.get(id)?.tenure
    },
    isStill: (id, tenure) => held.get(id)?.tenure.fence === tenure.fence,
    isOurs: id => held.has(id),
    isInUse: id => inUse.has(id),
    ours: () => [...held.keys()],
    refused: (id, fence) => {
      if (held.get(id)?.tenure.fence === fence) lose(id)
    },
    begin: owned => {
      sessions = owned
      renewing().catch(onBug)
      returningIdle().catch(onBug)
    },
    close: () => {
      isClosed = true
    },
    stop: async () => {
      isClosed = true
      stopping.abort()
      await Promise.allSettled(asking.values())
      await giveBack([...held.keys()])
    },
  }
}

/** Keeps no process alive. */
const restFor = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
