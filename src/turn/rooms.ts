import type { Measure } from '../context/render.ts'
import type { Feed } from '../log/feed.ts'
import type { Log } from '../log/log.ts'
import type { Usage } from '../model/delta.ts'
import type { EndReason } from '../model/event.ts'
import type { Mint } from '../model/ids.ts'
import type { Policy } from '../model/policy.ts'
import type { Provider, Wire } from '../model/provider.ts'
import type { Receipt } from '../model/receipt.ts'
import type { Agent } from '../model/voice.ts'
import type { Toolbox } from '../tool/toolbox.ts'
import type { House } from './house.ts'

/** A model that can be asked: who carries the request, and how much it may hold. */
export type Model = { readonly name: string; readonly window: number; readonly provider: Provider }

export type Limits = { readonly steps: number; readonly turnMs: number; readonly historyMs: number }

/** Something that happened, for whoever counts and measures. */
export type Observation =
  | { readonly type: 'planned'; readonly receipt: Receipt }
  | { readonly type: 'spoke'; readonly firstDeltaMs: number }
  | { readonly type: 'used'; readonly usage: Usage }
  | { readonly type: 'ended'; readonly reason: EndReason }
  | { readonly type: 'bug'; readonly cause: unknown }

/** Everything a turn needs of the house, joined by the engine. */
export type Rooms = {
  readonly log: Log
  readonly feed: Feed
  readonly house: House
  readonly measure: Measure
  readonly toolbox: Toolbox
  readonly agents: ReadonlyMap<string, Agent>
  readonly policies: ReadonlyMap<string, Policy>
  readonly model: Model
  /** Every wire that ever sent a recorded request, by its label. */
  readonly wires: ReadonlyMap<string, Wire>
  readonly limits: Limits
  readonly mint: Mint
  readonly observe: (observation: Observation) => void
}
