/** The versions of the assembly: every change of a request's bytes is a new one, and the old ones still verify what they built. */
import type { Recorded } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { Material, Plan } from '../model/plan.ts'
import type { Result } from '../model/result.ts'
import type { Policy } from '../model/settings/policy.ts'
import { assembleBefore } from './assembly-2/assemble.ts'
import { type ForReply, type ReplyBudget, replyBudget } from './reply-limit.ts'
import { countWhole, type Measure, weighedWhole } from './text/tokens.ts'

/** What differs between two versions. The stages themselves are shared as long as they do the same in both. */
export type Rules = {
  readonly version: number
  /** Works out how long the reply may be. */
  readonly replyBudget: (policy: Pick<Policy, 'budget'>, about: ForReply) => ReplyBudget
  /** Makes the measure of this version from the one that the caller passes in. */
  readonly measuring: (measure: Measure) => Measure
  /** An event with the tokens it has by this version. */
  readonly weighing: (event: Recorded) => Recorded
  /**
   * What leaves the window: nothing is known of it but the newest summary, which replaces all that it covers; or folds are chosen,
   * pins of other chats are shown, and windows may follow what replies need.
   */
  readonly remembers: 'newest-summary' | 'folds'
  /** Builds the request by stages of its own; absent if the stages of today do. */
  readonly assemble?: (material: Material, policy: Policy, reply: ReplyBudget, measure: Measure) => Result<Plan, Fault>
}

/** A fixed limit that includes thinking. Every text is counted whole. */
const VERSION_1: Rules = {
  version: 1,
  remembers: 'newest-summary',
  replyBudget: (policy, { thinking }) => {
    const reserve = policy.budget.reserve ?? 4096
    return { reserve, thinking: thinking ? Math.floor(reserve * 0.6) : null }
  },
  measuring: measure => ({ ...measure, count: countWhole }),
  weighing: event => (event.type === 'damaged' ? event : weighedWhole(event)),
  assemble: assembleBefore,
}

/**
 * Limits follow from the model, thinking comes on top, required asides are shortened instead of dropped, and of long texts
 * samples are counted.
 */
const VERSION_2: Rules = {
  version: 2,
  remembers: 'newest-summary',
  replyBudget,
  measuring: measure => measure,
  weighing: event => event,
  assemble: assembleBefore,
}

/**
 * A full window still remembers: bounds of the room, the last exchange always, excerpts of large messages, a window for the
 * running turn, notes that count what the voice could have heard.
 */
const VERSION_3: Rules = {
  ...{ version: 3, replyBudget, measuring: measure => measure, weighing: event => event },
  remembers: 'newest-summary',
}

/** Older messages that matter for the new one are quoted beside it, under policies that recall. */
const VERSION_4: Rules = { ...VERSION_3, version: 4 }

/** Summaries stand for what has left the window, and what people pinned in other chats is shown. */
const VERSION_5: Rules = { ...VERSION_4, version: 5, remembers: 'folds' }

/** The rules by which requests are built now. */
export const CURRENT_RULES: Rules = VERSION_5

/** The rules of a version, unless this program does not know it; receipts from before there was a second one name none. */
export const rulesOf = (version = 1): Rules | undefined =>
  [VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5].find(rules => rules.version === version)
