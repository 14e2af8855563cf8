/** Sampling in a few words, as terminals and the page show it on a receipt. */
import type { Sampling } from './sampling.ts'

/** As in `temperature 0.2, effort high (asked for xhigh)`; what was asked for and not sent is named, too. Empty if nothing was set. */
export function samplingWords(given: Sampling | null | undefined, sent: Sampling | null | undefined = given): string {
  const shown = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  const asked: Readonly<Record<string, unknown>> = { ...given }
  const got: Readonly<Record<string, unknown>> = { ...sent }
  return Object.entries(asked)
    .map(([key, value]) => {
      const there = got[key]
      if (there === undefined) return `${key} ${shown(value)} not sent`
      return shown(there) === shown(value) ? `${key} ${shown(there)}` : `${key} ${shown(there)} (asked for ${shown(value)})`
    })
    .join(', ')
}
