/** How long a reply may be: by the policy or agent that says so, else by what the model can put out. */
import type { Material } from '../model/plan.ts'
import type { Effort, Sampling } from '../model/sampling.ts'
import type { Policy } from '../model/settings/policy.ts'
import { windowRules } from './window/kinds.ts'
import type { AnyWindow, WindowRules } from './window/window-kind.ts'

/** A policy worked out for one model: its window as rules, and the reply's limit as a number. */
export type SettledPolicy = Omit<Policy, 'window' | 'budget'> & {
  readonly window: WindowRules
  readonly budget: { readonly tokens: number | null } & ReplyBudget
}

/** How long a reply may be. */
export type ReplyBudget = {
  /** The most a reply may have, thinking included. */
  readonly reserve: number
  /** How much of that is for thinking; null where the model is not asked to think. */
  readonly thinking: number | null
}

/** The longest reply that is asked for, unless a policy or an agent asks for a longer one. */
const MOST_BY_DEFAULT = 32_000
/** The limit where nothing is known of what a model can put out. */
const UNKNOWN_OUTPUT = 16_384
/** What thinking gets on top of the reply's own limit, as a share of that limit. */
const THINKING_SHARES: Readonly<Record<Effort, number>> = { none: 0, minimal: 0.1, low: 0.3, medium: 0.6, high: 1, xhigh: 1.6 }

/** Whether a model is asked to think, and how hard where that was said; `true` is medium. */
export type Thinks = boolean | Effort

export const thinksBy = (thinking: boolean, sampling: Pick<Sampling, 'effort'> = {}): Thinks =>
  thinking && sampling.effort !== undefined && sampling.effort !== 'none' ? sampling.effort : thinking

const shareOf = (thinks: Thinks): number =>
  typeof thinks === 'string' ? THINKING_SHARES[thinks] : thinks ? THINKING_SHARES.medium : 0

/** The reply's limit and, on top, the tokens that the model may think with. */
export function replyBudget(policy: Pick<Policy, 'budget'>, { model, thinking, sampling }: ForReply): ReplyBudget {
  const { reply, thought } = replyLimit(policy.budget.reserve, model, thinksBy(thinking, sampling?.given))
  return { reserve: reply + (thought ?? 0), thinking: thought }
}

/** What the length of a reply depends on. */
export type ForReply = Pick<Material, 'model' | 'thinking' | 'sampling'>

/** A policy worked out for one model. */
export const settlePolicy = (policy: Policy, about: ForReply): SettledPolicy =>
  settledWith(policy, windowRules(policy.window), replyBudget(policy, about))

export const settledWith = (
  { window: _, budget, ...policy }: Policy<AnyWindow>,
  window: WindowRules,
  reply: ReplyBudget,
): SettledPolicy => ({ ...policy, window, budget: { tokens: budget.tokens, ...reply } })

/** A reply is not made shorter than this for lack of money. */
export const LEAST_REPLY = 4096

/** The limit of the whole reply, thinking included, for a reply of so many tokens. */
export const withThinking = (reply: number, thinks: Thinks): number => reply + Math.floor(reply * shareOf(thinks))

/** The reply's own limit where reply and thinking together have so many tokens. */
export const withoutThinking = (output: number, thinks: Thinks): number =>
  shareOf(thinks) === 0 ? output : Math.max(1, Math.floor(output / (1 + shareOf(thinks))))

/** The policy with a shorter reply, beside a request that stays as it is: of at most `limit` tokens. */
export const withReply = (policy: Policy, reply: number, limit: number | null): Policy => ({
  ...policy,
  budget: { tokens: limit, reserve: Math.min(reply, policy.budget.reserve ?? reply) },
})

type Room = { readonly window: number; readonly output?: number }

/** The reply's own limit, and the tokens to think with; `wanted` is what a policy or an agent asks for. */
export function replyLimit(
  wanted: number | null,
  { window, output }: Room,
  thinks: Thinks,
): { readonly reply: number; readonly thought: number | null } {
  const most = output ?? Number.POSITIVE_INFINITY
  const byDefault = Math.min(output ?? UNKNOWN_OUTPUT, MOST_BY_DEFAULT, Math.floor(window / 4))
  const capped = Math.min(wanted ?? byDefault, most)
  // A limit that would leave no room for a request shares the window evenly with it.
  const reply = Math.max(1, capped < window ? capped : Math.floor(window / 2))
  if (thinks === false) return { reply, thought: null }
  const thought = withThinking(reply, thinks) - reply
  const shrunk = reply + thought > most ? Math.max(most - thought, Math.ceil(most / 2)) : reply
  // Thinking never takes the room of the request.
  const room = Math.floor((window * 3) / 4) - shrunk
  return { reply: shrunk, thought: Math.max(0, Math.min(thought, most - shrunk, room)) }
}
