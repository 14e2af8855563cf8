/** The token bounds of a request, and the check that a policy can work at all. */
import type { Policy } from '../model/settings/policy.ts'
import { windowRules } from './window/kinds.ts'
import type { Grows } from './window/window-kind.ts'

/** The token bounds of a request: `limit` always, `high` and `low` for windows that grow and drop. */
export type Bounds = { readonly limit: number; readonly high: number; readonly low: number }

type Bounded = {
  readonly window: { readonly grows: Grows | null }
  readonly budget: { readonly tokens: number | null; readonly reserve: number }
}

/** The most tokens that a request may have: what the policy allows, and what the model's window leaves beside the reply. */
export const requestLimit = ({ budget }: Pick<Bounded, 'budget'>, modelWindow: number): number =>
  Math.min(budget.tokens ?? Number.POSITIVE_INFINITY, modelWindow - budget.reserve)

/** What a policy means for a model with a window of this many tokens, where nothing but the past takes room: the widest bounds. */
export function boundsOf(policy: Bounded, modelWindow: number): Bounds {
  const limit = requestLimit(policy, modelWindow)
  const { high, low } = policy.window.grows?.({ limit, fixed: 0 }) ?? { high: limit, low: limit }
  return { limit, high, low }
}

/** Why a policy cannot work, or undefined if it can. */
export function whyRefused(policy: Policy): string | undefined {
  const { budget, view, references, window, fold, render } = policy
  if (budget.tokens !== null && budget.tokens < 1) return 'budget.tokens must be at least 1'
  if (budget.reserve !== null && budget.reserve < 1) return 'budget.reserve must be at least 1: it is the limit of the reply'
  if (references === 'last-round' && view === 'all')
    return 'references "last-round" needs view "own": with "all" the others are heard anyway'
  if (fold !== null && fold !== undefined && render === 'transcript')
    return 'fold must be null with render "transcript": a transcript has no place for summaries'
  return windowRules(window).whyRefused(policy)
}
