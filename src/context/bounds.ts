/** The token bounds of a request, and the check that a policy can work at all. */
import type { Policy } from '../model/settings/policy.ts'
import { windowRules } from './window/kinds.ts'
import type { TokenBounds } from './window/window-kind.ts'

/** The token bounds of a request: `limit` always, `high` and `low` for windows that grow and drop. */
export type Bounds = { readonly limit: number; readonly high: number; readonly low: number }

type Bounded = {
  readonly window: { readonly tokenBounds: TokenBounds | null }
  readonly budget: { readonly tokens: number | null; readonly reserve: number }
}

/** Beyond this a longer window costs more than it helps. */
const MOST_HIGH = 60_000

/** What a policy means for a model with a window of this many tokens. */
export function boundsOf({ budget, window }: Bounded, modelWindow: number): Bounds {
  const limit = Math.min(budget.tokens ?? Number.POSITIVE_INFINITY, modelWindow - budget.reserve)
  const given = window.tokenBounds ?? { low: null, high: null }
  const high = Math.min(given.high ?? Math.min(MOST_HIGH, Math.floor(limit / 2)), limit)
  const low = Math.min(given.low ?? Math.floor(high / 2), high)
  return { limit, high, low }
}

/** Why a policy cannot work, or undefined if it can. */
export function whyRefused(policy: Policy): string | undefined {
  const { budget, view, references, window } = policy
  if (budget.tokens !== null && budget.tokens < 1) return 'budget.tokens must be at least 1'
  if (budget.reserve !== null && budget.reserve < 1) return 'budget.reserve must be at least 1: it is the limit of the reply'
  if (references === 'last-round' && view === 'all')
    return 'references "last-round" needs view "own": with "all" the others are heard anyway'
  return windowRules(window).whyRefused(policy)
}
