import type { Policy } from '../model/settings/policy.ts'

/** The token bounds of a request: `limit` always, `high` and `low` for windows that grow and drop. */
export type Bounds = { readonly limit: number; readonly high: number; readonly low: number }

type Bounded = Pick<Policy, 'window'> & { readonly budget: { readonly tokens: number | null; readonly reserve: number } }

/** Beyond this a longer window costs more than it helps. */
const MOST_HIGH = 60_000

/** What a policy means for a model with a window of this many tokens. */
export function boundsOf({ budget, window }: Bounded, modelWindow: number): Bounds {
  const limit = Math.min(budget.tokens ?? Number.POSITIVE_INFINITY, modelWindow - budget.reserve)
  const given = window.kind === 'tokens' ? window : { low: null, high: null }
  const high = Math.min(given.high ?? Math.min(MOST_HIGH, Math.floor(limit / 2)), limit)
  const low = Math.min(given.low ?? Math.floor(high / 2), high)
  return { limit, high, low }
}

/** Why a policy cannot work, or nothing. */
export function whyRefused({ window, budget, render, view, references }: Policy): string | undefined {
  if (budget.tokens !== null && budget.tokens < 1) return 'budget.tokens must be at least 1'
  if (budget.reserve !== null && budget.reserve < 1) return 'budget.reserve must be at least 1: it is the limit of the reply'
  if (references === 'last-round' && view === 'all')
    return 'references "last-round" needs view "own": with "all" the others are heard anyway'
  if (render === 'transcript' && window.kind !== 'all' && window.kind !== 'last')
    return 'a transcript has a window of kind "all" or "last"'
  switch (window.kind) {
    case 'all':
      return undefined
    case 'last':
      return window.messages < 0 ? 'window.messages must not be negative' : undefined
    case 'head-tail': {
      const needed = window.recent + window.head + 1
      if (window.recent < 1) return 'window.recent must be at least 1: the new message'
      return needed > window.max ? `window: recent + head + 1 for the note = ${needed} is more than max ${window.max}` : undefined
    }
    case 'tokens': {
      const { low, high } = window
      if (low !== null && high !== null && low >= high) return `window: low ${low} must be less than high ${high}`
      if (high !== null && budget.tokens !== null && high > budget.tokens)
        return `window: high ${high} is more than budget.tokens ${budget.tokens}`
      return undefined
    }
  }
}
