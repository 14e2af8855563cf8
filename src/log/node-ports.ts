/** The ports of a store that several machines share: leases, pokes, orders to the owner of a session, documents, and reserved budget. */

import type { Recorded } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import type { Result } from '../model/result.ts'
import type { Checkpoint } from './ports.ts'

/** A running gateway among those that share a store; a new one after every start. */
export type NodeId = string

/** Who has a lease. A new holder has a higher fence than every holder before it. */
export type Lease = { readonly node: NodeId; readonly fence: number }

/** A job is named by what it is of, as in `channel:telegram`. Every other key of a lease is the id of a session. */
export const isJob = (key: string): boolean => key.includes(':')

/**
 * Gives one node at a time the right to run something: the turns of a session (the key is its id), or a job of which there is one.
 * Time is the clock of the store, so that the clocks of the nodes do not matter.
 */
export type Leases = {
  /**
   * Takes a lease that is free or has run out; gives back whose it is then. A node that has it already keeps its fence. For a
   * session the fence is raised in the session as well, in the same moment: an append with an older one is refused from then on.
   * A session that is not there is `not-found`.
   */
  readonly take: (key: string, node: NodeId, ms: number) => Promise<Result<Lease, Fault>>
  /** Makes leases of a node last longer, and gives the keys of those that are still its own with the same fence. */
  readonly renew: (
    node: NodeId,
    leases: readonly { readonly key: string; readonly fence: number }[],
    ms: number,
  ) => Promise<Result<readonly string[], Fault>>
  /** Gives leases of a node back, so that others can take them at once. Those that are not its own stay as they are. */
  readonly giveBack: (node: NodeId, keys: readonly string[]) => Promise<Result<null, Fault>>
  /** Sessions with open turns, messages that wait for an answer, or orders, which no node has a lease on: at most so many after an id (`''` for the first), in the order of their ids. */
  readonly orphans: (after: string, limit: number) => Promise<Result<readonly SessionId[], Fault>>
}

/** Sent as the head of a session that has more news than its events: orders for its owner, or that it is gone. */
export const LOOK: number = Number.MAX_SAFE_INTEGER

/** Tells other nodes that a session has grown, or that it should be looked at. */
export type Pokes = {
  /** Sent within some milliseconds, together with others; losing one is allowed. */
  readonly send: (session: SessionId, head: number) => void
  /** Every poke of any node; `onGap` when some may have been lost and everything should be looked at. Nothing comes where the store cannot send any. */
  readonly listen: (
    onPoke: (session: SessionId, head: number) => void,
    onGap: () => void,
  ) => { readonly stop: () => Promise<void> }
  /** Whether pokes arrive. Where they do not, the heads are asked for. */
  readonly arrive: () => boolean
}

/** A session in one moment: how far it has come, whether orders wait for its owner, and what running replies have said. */
export type SessionLook = { readonly head: number; readonly hasOrders: boolean; readonly checkpoints: readonly Checkpoint[] }

/** Looks at what other nodes do. */
export type SessionWatch = {
  /** Some sessions, all in one question; those that are gone are left out. */
  readonly looks: (ids: readonly SessionId[]) => Promise<Result<ReadonlyMap<SessionId, SessionLook>, Fault>>
  /** The events `approval.asked` and `approval.answered` of all turns that have no end yet, in the order of their sessions and seqs. */
  readonly approvals: () => Promise<Result<readonly Recorded[], Fault>>
}

/** Something that only the owner of a session can do, asked for on another node. */
export type SessionOrder = { readonly id: string; readonly session: SessionId; readonly body: string }

/** Orders wait beside the log until the owner of their session takes them. They go with the session, and after a minute. */
export type Orders = {
  readonly add: (order: SessionOrder) => Promise<Result<null, Fault>>
  /** Takes all orders of some sessions, oldest first; each is taken once. */
  readonly take: (ids: readonly SessionId[]) => Promise<Result<readonly SessionOrder[], Fault>>
  /** Leaves the answer to an order for the node that gave it; kept for a minute. */
  readonly reply: (id: string, body: string) => Promise<Result<null, Fault>>
  /** Takes an order back; false if it is being carried out, or was. */
  readonly withdraw: (id: string) => Promise<Result<boolean, Fault>>
  /** Takes the answer to an order; undefined while there is none. */
  readonly takeReply: (id: string) => Promise<Result<string | undefined, Fault>>
}

/** A document of the workspace as it is kept in the store. `text` is null when it was removed. */
export type KeptDocument = { readonly name: string; readonly text: string | null; readonly revision: number }

/** Keeps what people edit, where several nodes share it. Every change has a higher revision than all changes before. */
export type Documents = {
  /** All documents that changed after a revision, by revision; with 0 all there are. */
  readonly changed: (after: number) => Promise<Result<readonly KeptDocument[], Fault>>
  /**
   * Writes a document, or removes it. With `expect`, only if its revision is still this one (0: it was never kept), else a
   * `conflict`. Gives the new revision.
   */
  readonly write: (name: string, text: string | null, expect?: number) => Promise<Result<number, Fault>>
}

/** Reserves money of a day's budget, in the store, so that many nodes together cannot spend more than one could. */
export type Reservations = {
  /**
   * Reserves if what was used that day (in the store's own usage rows), all reservations that are still open, and this one together
   * stay within the limit; gives how much is left without it otherwise. A reservation that is not settled counts until it runs out.
   */
  readonly reserve: (request: {
    readonly id: string
    readonly day: string
    readonly usd: number
    readonly limit: number
    readonly ms: number
  }) => Promise<Result<{ readonly isReserved: boolean; readonly left: number }, Fault>>
  /** Gives a reservation up: its usage is counted from now on, or nothing was used. */
  readonly settle: (id: string) => Promise<Result<null, Fault>>
}

/** What a store has that several nodes share. */
export type NodePorts = {
  readonly leases: Leases
  readonly pokes: Pokes
  readonly watch: SessionWatch
  readonly orders: Orders
  readonly documents: Documents
  readonly reservations: Reservations
}
