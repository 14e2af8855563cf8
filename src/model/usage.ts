/** Sums of what requests used and cost. */

/** What requests used together, and what they cost. */
export type UsageSum = {
  /** Without the cached. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Null if one of the requests had no price, because a partial sum would look like the whole. */
  readonly costUsd: number | null
  readonly requests: number
}

/** What a model was used for on one day, which is a day of UTC. */
export type UsageRow = UsageSum & { readonly day: string; readonly model: string }

const NOTHING: UsageSum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0, requests: 0 }

/** The sum of all parts. */
export const usageSum = (parts: readonly UsageSum[]): UsageSum =>
  parts.reduce(
    (sum, part): UsageSum => ({
      input: sum.input + part.input,
      output: sum.output + part.output,
      cacheRead: sum.cacheRead + part.cacheRead,
      cacheWrite: sum.cacheWrite + part.cacheWrite,
      costUsd: sum.costUsd === null || part.costUsd === null ? null : billionths(sum.costUsd + part.costUsd),
      requests: sum.requests + part.requests,
    }),
    NOTHING,
  )

/** Rounded, so that the same costs in another order give the same sum. */
export const billionths = (dollars: number): number => Math.round(dollars * 1e9) / 1e9
