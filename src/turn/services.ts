/** The services that a turn needs: log, models, prompts, equipment, limits and clocks. */
import type { Measure } from '../context/text/tokens.ts'
import type { Feed } from '../log/feed.ts'
import type { Log } from '../log/ports.ts'
import type { EndReason } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { Mint, SessionId } from '../model/ids.ts'
import type { Usage } from '../model/message/delta.ts'
import type { Wire } from '../model/provider.ts'
import type { RecallFrom } from '../model/recall.ts'
import type { Receipt } from '../model/receipt.ts'
import type { Result } from '../model/result.ts'
import type { Council } from '../model/settings/council.ts'
import type { Policy } from '../model/settings/policy.ts'
import type { Agent } from '../model/voice.ts'
import type { Model } from '../provider/catalog/models.ts'
import type { Budget } from './cost/daily-budget.ts'
import type { Equipment, EquipmentLimits } from './equipment/equipment.ts'
import type { House } from './equipment/workspace-text.ts'
import type { Nodes } from './nodes/nodes.ts'
import type { Ownership } from './nodes/ownership.ts'
import type { Recall } from './recall/recall.ts'
import type { Resume } from './recovery/decide.ts'
import type { RequestFiles } from './step/request-files.ts'
import type { Approvals } from './tools/approvals.ts'
import type { ProcessLimit } from './tools/process-limit.ts'

export type { Model } from '../provider/catalog/models.ts'

export type ModelLookup = {
  /** The model that is asked unless a session or an agent names another one. */
  readonly standard: string
  readonly named: (name: string) => Result<Model, Fault>
  /** Before a model is used: lets its server say what it is, within half a second. */
  readonly learn: (name: string) => Promise<void>
}

/** By how much a model's own token count differs from ours; learned from what providers report. */
export type Factors = {
  readonly of: (model: string) => Promise<number>
  readonly learn: (receipt: Receipt, usage: Usage) => void
}

export type Limits = {
  /** The most requests of one turn. */
  readonly steps: number
  /** How long a turn may run, without the time that it waits for people. */
  readonly turnMs: number
  /** The most tokens that all requests and replies of one turn may have together; what a cache gave does not count. */
  readonly tokensPerTurn: number
  readonly historyMs: number
  /** The most that all requests of one UTC day may cost together. Null means no limit. */
  readonly budgetUsdPerDay: number | null
  /** The most that the first requests for one message to a council may cost together. Null means no limit. */
  readonly budgetUsdPerRound: number | null
}

/** Something that happened, for metrics and debug output. */
export type Observation =
  | { readonly type: 'planned'; readonly session: SessionId; readonly messages: number; readonly receipt: Receipt }
  | { readonly type: 'spoke'; readonly firstDeltaMs: number }
  | { readonly type: 'used'; readonly usage: Usage }
  | { readonly type: 'truncated' }
  | { readonly type: 'ended'; readonly reason: EndReason }
  /** The recall index could not be filled; it is tried again later. */
  | { readonly type: 'recall'; readonly trouble: Fault }
  | { readonly type: 'bug'; readonly cause: unknown }

/** Everything that a turn needs, put together by the engine. */
export type Services = {
  readonly log: Log
  readonly feed: Feed
  /** Which sessions are run by this process. */
  readonly owners: Ownership
  /** This node, where several share the store. */
  readonly nodes?: Nodes | undefined
  /** Finds older messages that matter; absent where conversations are not kept. */
  readonly recall?: Recall | undefined
  /** Where the sessions of a project may look for messages of others, beyond what their policy says. */
  readonly recallFrom: (project: string | null) => Promise<RecallFrom>
  readonly files: RequestFiles
  readonly house: House
  readonly measure: Measure
  /** What voices are equipped with now; asked once for each turn. */
  readonly equipment: (limits?: EquipmentLimits) => Promise<Equipment>
  readonly agents: ReadonlyMap<string, Agent>
  readonly councils: ReadonlyMap<string, Council>
  readonly policies: ReadonlyMap<string, Policy>
  /** The name of the policy where none is chosen. */
  readonly usualPolicy: string
  readonly models: ModelLookup
  readonly factors: Factors
  readonly budget: Budget
  readonly approvals: Approvals
  readonly processes: ProcessLimit
  /** Every wire that ever sent a recorded request, by its label. */
  readonly wires: ReadonlyMap<string, Wire>
  readonly limits: Limits
  readonly resume: Resume
  readonly mint: Mint
  readonly clock: () => number
  readonly observe: (observation: Observation) => void
}
