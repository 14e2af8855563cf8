/** Quotes answers at a bounded length. */
import type { SaidBeat } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'

/** The most that is quoted of one answer. */
export const MOST_QUOTED_TOKENS = 2000

/** One answer as it may be quoted, with what it weighs. */
export type Quotable = { readonly text: string; readonly tokens: number }

const known = new WeakMap<SaidBeat, { readonly measure: Measure; readonly quotable: Quotable }>()

/** A turn's whole answer, cut to the most that is quoted; worked out once, however many voices hear it. */
export function quotable(beats: readonly SaidBeat[], measure: Measure): Quotable {
  const [only, ...others] = beats
  const before = only === undefined || others.length > 0 ? undefined : known.get(only)
  if (before?.measure === measure) return before.quotable
  const text = shortened(
    beats.flatMap(said => said.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))).join('\n\n'),
    MOST_QUOTED_TOKENS,
    measure,
  )
  const found = { text, tokens: measure.count(text) }
  if (only !== undefined && others.length === 0) known.set(only, { measure, quotable: found })
  return found
}

/** A token has rarely more characters than this: beyond them a text need not be looked at to cut it. */
const CHARACTERS = 8

/** As much of a text as has fewer tokens than `most`, with a sign that there was more. */
export function shortened(text: string, most: number, measure: Measure): string {
  let end = Math.max(1, most) * CHARACTERS
  while (end < text.length && measure.count(text.slice(0, end)) <= most) end *= 2
  const near = text.slice(0, end)
  if (near.length === text.length && measure.count(text) <= most) return text
  let low = 0
  let high = near.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure.count(near.slice(0, middle)) < most) low = middle
    else high = middle - 1
  }
  return `${whole(near, low)}…`
}

/** Never half of a character. */
const whole = (text: string, end: number): string =>
  /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? text.slice(0, end - 1) : text.slice(0, end)

/** How long each text may be so that all together have no more than `room` tokens: `most` if all fit. Only the longest are cut. */
export function fairShare(lengths: readonly number[], room: number, most: number = MOST_QUOTED_TOKENS): number {
  let left = room
  const shortestFirst = lengths.toSorted((a, b) => a - b)
  for (const [index, length] of shortestFirst.entries()) {
    const share = Math.floor(left / (lengths.length - index))
    if (length > share) return Math.max(0, share)
    left -= length
  }
  return most
}
