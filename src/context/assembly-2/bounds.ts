/** The token bounds of a request by the second version of the assembly. */
import type { Window } from '../../model/settings/policy.ts'

/** `limit` always, `high` and `low` for windows that grow and drop. */
export type BoundsBefore = { readonly limit: number; readonly high: number; readonly low: number }

type Bounded = {
  readonly window: Window
  readonly budget: { readonly tokens: number | null; readonly reserve: number }
}

const MOST_HIGH = 60_000

/** What a policy meant for a model with a window of this many tokens. */
export function boundsBefore({ budget, window }: Bounded, modelWindow: number): BoundsBefore {
  const limit = Math.min(budget.tokens ?? Number.POSITIVE_INFINITY, modelWindow - budget.reserve)
  const given = window.kind === 'tokens' ? window : { low: null, high: null }
  const high = Math.min(given.high ?? Math.min(MOST_HIGH, Math.floor(limit / 2)), limit)
  const low = Math.min(given.low ?? Math.floor(high / 2), high)
  return { limit, high, low }
}
