/** One node among several on one store: which sessions it runs, what it hears of the others, and what they ask of it. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Feed } from '../../log/feed.ts'
import type { NodePorts, SessionLook } from '../../log/node-ports.ts'
import type { Log, Standing } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Result } from '../../model/result.ts'
import { nodeLog } from './node-log.ts'
import { createOwnersVerbs, type OwnersVerbs } from './orders.ts'
import { createLeaseKeeper, type OwnedSessions, type Ownership, type Tenure } from './ownership.ts'
import { createRemoteReplies } from './remote-replies.ts'
import { createWatcher } from './watcher.ts'

export type Nodes = {
  readonly ports: NodePorts
  /** The log as this node uses it. */
  readonly log: Log
  /** The feed with what other nodes write. */
  readonly feed: Feed
  readonly owners: Ownership
  readonly verbs: OwnersVerbs
  /** A message was left for the node that runs its session; if that is gone by now, this one takes the session up. */
  readonly leftForOwner: (id: SessionId) => void
  readonly begin: (sessions: NodeSessions) => void
  /** Takes up no more sessions; those of this node go on. */
  readonly close: () => void
  /** Hears and gives nothing more; every session is given back. */
  readonly stop: () => Promise<void>
}

export type NodeSessions = Omit<OwnedSessions, 'taken'> & {
  /** A session is run here from now on, and stood so when it was taken: what another node left in it goes on. */
  readonly taken: (id: SessionId, standing: Standing, tenure: Tenure) => Promise<Result<null, Fault>>
  /** Another node may have written to a session since this one had it last: what was remembered of its requests may be old. */
  readonly changed: (id: SessionId) => void
  /** Another node has written to a session that this one runs. `after` is how far it was known. False if it could not be read. */
  readonly grown: (id: SessionId, after: number) => Promise<boolean>
}

export type NodeOptions = {
  readonly log: Log
  readonly ports: NodePorts
  readonly feed: Feed
  readonly leaseMs?: number
  readonly onBug: (cause: unknown) => void
}

const LEASE_MS = 15_000
/** How often sessions without a node are looked for while a lease lasts. */
const SWEEPS_PER_LEASE = 6
const SWEEP_PAGE = 200
/** Sessions that were looked at and need nothing; remembered so that they are not taken at every sweep. */
const MOST_REMEMBERED = 100_000
const LEFT_MS = 500
const AGAIN_MS = 250

export function createNodes({ log, ports, feed, leaseMs = LEASE_MS, onBug }: NodeOptions): Nodes {
  const node = `node_${randomBytes(10).toString('hex')}`
  const keeper = createLeaseKeeper({ leases: ports.leases, node, leaseMs, onBug })
  const replies = createRemoteReplies(feed)
  const watcher = createWatcher(ports, onBug)
  const closing = new AbortController()
  /** How far sessions were known while this node had them. */
  const heads = new Map<SessionId, number>()
  /** Sessions without a node that need nothing, and how far they were then. */
  const atRest = new Map<SessionId, number>()
  let sessions: NodeSessions | undefined
  const mintOrder = (): string => `ord_${randomBytes(12).toString('hex')}`
  const verbs = createOwnersVerbs({ ports, owners: keeper, mintOrder, onBug })
  const fenced = nodeLog(log, ports, keeper)

  const known = (id: SessionId, head: number): void => {
    if (keeper.isOurs(id)) heads.set(id, Math.max(head, heads.get(id) ?? 0))
  }

  const forgetOthers = (): void => {
    for (const id of heads.keys()) if (!keeper.isOurs(id)) heads.delete(id)
  }

  const seen = async (id: SessionId, look: SessionLook | undefined): Promise<void> => {
    if (look === undefined) {
      replies.forget(id)
      // Followers read once more, find no session, and end.
      feed.head(id, Number.MAX_SAFE_INTEGER)
      return
    }
    if (!keeper.isOurs(id)) {
      if (feed.isListened(id)) replies.seen(id, look.head, look.checkpoints)
      return
    }
    replies.forget(id)
    if ((await keeper.whenTaken(id)) === undefined) return
    if (look.hasOrders) verbs.obey(id).catch(onBug)
    const before = heads.get(id) ?? 0
    if (look.head <= before) return
    known(id, look.head)
    if ((await sessions?.grown(id, before)) !== false || !keeper.isOurs(id)) return
    // It is read again when the store answers; else an answer that a turn waits for would never be heard.
    heads.set(id, before)
    setTimeout(() => watcher.look(id), AGAIN_MS).unref()
  }

  /** Takes up sessions that have something to do and no node that does it. */
  const sweep = async (): Promise<void> => {
    for (let after = ''; !closing.signal.aborted; ) {
      const found = await ports.leases.orphans(after, SWEEP_PAGE)
      if (!found.ok || found.value.length === 0) return
      const ids = found.value
      after = ids.at(-1) ?? ''
      const looks = ids.some(id => atRest.has(id)) ? await ports.watch.looks(ids) : undefined
      const now = looks?.ok === true ? looks.value : undefined
      const restless = ids.filter(id => {
        const look = now?.get(id)
        return !atRest.has(id) || look?.hasOrders === true || look?.head !== atRest.get(id)
      })
      await Promise.all(restless.map(id => takeUp(id).catch(onBug)))
      if (ids.length < SWEEP_PAGE) return
    }
  }

  const takeUp = async (id: SessionId): Promise<void> => {
    const owned = await keeper.own(id)
    if (!owned.ok || owned.value === undefined) return
    const look = await ports.watch.looks([id])
    const now = look.ok ? look.value.get(id) : undefined
    if (now === undefined) return
    if (now.hasOrders) await seen(id, now)
    // What is being done in it, or was given back before it was begun, is no rest.
    if (!keeper.isStill(id, owned.value) || keeper.isInUse(id) || sessions?.isBusy(id) === true) return
    if (atRest.size >= MOST_REMEMBERED) atRest.clear()
    atRest.set(id, now.head)
  }

  const sweeping = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await sweep().catch(onBug)
      await pause(leaseMs / SWEEPS_PER_LEASE, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
    }
  }

  const feedHere: Feed = {
    ...feed,
    listen: (session, listener) => {
      const listening = feed.listen(session, listener)
      // A reply may be under way on another node.
      if (!keeper.isOurs(session)) watcher.look(session)
      return {
        stop: () => {
          listening.stop()
          if (!feed.isListened(session)) replies.forget(session)
        },
      }
    },
  }

  return {
    ports,
    log: {
      ...fenced,
      append: async (id, facts, options) => {
        const appended = await fenced.append(id, facts, options)
        if (!appended.ok || appended.value.again) return appended
        // Events of other nodes may lie between those that were known and these.
        const { standing, events } = appended.value
        if (standing.head - events.length <= (heads.get(id) ?? 0)) known(id, standing.head)
        return appended
      },
    },
    feed: feedHere,
    owners: keeper,
    verbs,
    leftForOwner: id => {
      setTimeout(() => {
        if (!closing.signal.aborted) keeper.own(id).catch(onBug)
      }, LEFT_MS).unref()
    },
    begin: given => {
      sessions = given
      keeper.begin({
        ...given,
        taken: async (id, tenure) => {
          replies.forget(id)
          const standing = await log.standing(id)
          if (!standing.ok) return standing
          const { head } = standing.value
          if (heads.get(id) !== head) given.changed(id)
          if (heads.size >= MOST_REMEMBERED) forgetOthers()
          heads.set(id, head)
          return given.taken(id, standing.value, tenure)
        },
        lost: id => {
          heads.delete(id)
          given.lost(id)
        },
      })
      watcher.begin({
        sessions: () => new Set([...feed.listened(), ...keeper.ours()]),
        // A node hears its own pokes, too.
        matters: (id, head) => (keeper.isOurs(id) ? head > (heads.get(id) ?? 0) : feed.isListened(id)),
        seen,
      })
      sweeping().catch(onBug)
    },
    close: () => {
      closing.abort()
      keeper.close()
    },
    stop: async () => {
      closing.abort()
      await watcher.stop()
      await keeper.stop()
    },
  }
}
