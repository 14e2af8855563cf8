/** A whole house as rows, in a form that every store with tables can give and take, letter for letter. */

import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Result } from '../../model/result.ts'

/** A session without its events. `body`, `due` and `voices` are JSON as it is stored. */
export type HouseSession = {
  readonly id: SessionId
  readonly family: string
  readonly parent: string | null
  readonly updatedAt: string
  readonly title: string | null
  readonly project: string | null
  readonly archived: boolean
  readonly body: string
  readonly head: number
  readonly messages: number
  readonly tokens: number
  readonly due: string
  readonly voices: string
  readonly fence: number
  /** Its turns without an end, in the order of their beginning. */
  readonly open: readonly { readonly turn: string; readonly voice: string; readonly started: number }[]
}

/** `body` is JSON as it is stored, even where it is damaged; `id` is what an append that is tried again is recognized by. */
export type HouseEvent = {
  readonly session: SessionId
  readonly seq: number
  readonly at: string
  readonly type: string
  readonly turn: string | null
  readonly body: string
  readonly tokens: number
  readonly totalTokens: number
  readonly totalMessages: number
  readonly begins: number
  readonly id: string | null
}

/** What is kept beside the events of some sessions, each in the order of its sessions and names. */
export type HouseBeside = {
  /** Keys are JSON. */
  readonly keys: readonly {
    readonly session: SessionId
    readonly key: string
    readonly first: number
    readonly last: number
  }[]
  readonly uses: readonly { readonly session: SessionId; readonly hash: string; readonly since: number }[]
  readonly checkpoints: readonly { readonly session: SessionId; readonly turn: string; readonly body: string }[]
}

/** A text that shaped requests, as JSON. */
export type HouseText = { readonly hash: string; readonly text: string }

/** What one reply used. `session` is empty where the conversation is not kept any more. */
export type HouseUsage = {
  readonly session: string
  readonly at: string
  readonly day: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly costUsd: number | null
}

/** The receipt of an answer whose conversation was not kept, as JSON. */
export type HouseReceipt = { readonly id: string; readonly body: string }

/** What there is little of: it is copied in one go. */
export type HouseState = {
  readonly factors: readonly { readonly model: string; readonly factor: number }[]
  readonly channels: readonly { readonly channel: string; readonly key: string; readonly value: string }[]
  readonly grants: readonly {
    readonly id: number
    readonly tool: string
    readonly binding: string
    readonly session: string
    readonly facts: string
    readonly at: string
  }[]
  /** What people edit, as JSON texts; null where a store keeps none, since they are files then. */
  readonly documents: readonly { readonly name: string; readonly text: string | null; readonly revision: number }[] | null
}

export type HouseCounts = {
  readonly sessions: number
  readonly events: number
  readonly texts: number
  readonly usage: number
  readonly receipts: number
}

type Answer<Value> = Promise<Result<Value, Fault>>

/** Gives the rows of a house, page by page. Sessions that cannot be found, such as those of an import under way, are not in it. */
export type HouseSource = {
  /** Names the store for people, without a password. */
  readonly title: string
  /** Equal for two addresses of one store. */
  readonly identity: string
  readonly counts: () => Answer<HouseCounts>
  /**
   * The sessions of the next families after one (`''` for the first), so many families at most: family by family, and in each
   * those first whose events came first. A fork comes after its parent, since the first of two equal receipts is the one that was sent.
   */
  readonly sessions: (after: string, families: number) => Answer<readonly HouseSession[]>
  /** Some sessions, in any order; those that are not there are left out. */
  readonly known: (ids: readonly SessionId[]) => Answer<readonly HouseSession[]>
  /** The events of some sessions, in the order of their ids and seqs, … */
  readonly events: (ids: readonly SessionId[]) => Answer<readonly HouseEvent[]>
  /** … and a page of those of a long one: after a seq, so many at most. */
  readonly eventsAfter: (id: SessionId, after: number, most: number) => Answer<readonly HouseEvent[]>
  readonly beside: (ids: readonly SessionId[]) => Answer<HouseBeside>
  /** The sizes of texts in the order of their hashes, after one (`''` for the first). */
  readonly textSizes: (after: string, most: number) => Answer<readonly { readonly hash: string; readonly bytes: number }[]>
  /** Some texts, in the order of their hashes. */
  readonly texts: (hashes: readonly string[]) => Answer<readonly HouseText[]>
  /** A page of what was used, in the order in which it was counted, after a number that the page before gave (0 for the first). */
  readonly usage: (after: number, most: number) => Answer<{ readonly rows: readonly HouseUsage[]; readonly last: number }>
  readonly receipts: (after: string, most: number) => Answer<readonly HouseReceipt[]>
  readonly state: () => Answer<HouseState>
  /** Why something may change the store now, for people; undefined if nothing is known to. */
  readonly whyBusy: () => Answer<string | undefined>
  readonly close: () => Promise<void>
}

/** A store that a house is copied into. Everything that follows from its rows is made by the store itself. */
export type HouseTarget = HouseSource & {
  /** Whether a copy into it was begun and not finished. */
  readonly isHalf: () => Answer<boolean>
  /** From here on only a copy can open it, … */
  readonly begin: () => Answer<null>
  /** … and from here on everything can. */
  readonly finish: () => Answer<null>
  /** Sessions with all that belongs to them, whole or not at all. Their events come in pages, each session's in order. */
  readonly add: (
    sessions: readonly HouseSession[],
    beside: HouseBeside,
    pages: AsyncIterable<Result<readonly HouseEvent[], Fault>>,
  ) => Answer<null>
  /** Those of some hashes whose texts are not there. */
  readonly missingTexts: (hashes: readonly string[]) => Answer<readonly string[]>
  /** Those that are there already are left as they are. */
  readonly addTexts: (texts: readonly HouseText[]) => Answer<null>
  /** Behind the rows that are there, of which there must be exactly so many. */
  readonly addUsage: (there: number, rows: readonly HouseUsage[]) => Answer<null>
  readonly addReceipts: (receipts: readonly HouseReceipt[]) => Answer<null>
  /** In place of all that is there. */
  readonly replaceState: (state: HouseState) => Answer<null>
}
