/** Lists what must not be lost of a stretch: names, numbers, dates, ids, paths and addresses, literally. */
import type { Measure } from '../text/tokens.ts'
import type { FoldMessage } from './fold-messages.ts'
import type { Steps } from './steps.ts'

export type LossRequest = {
  readonly stretch: readonly FoldMessage[]
  /** What was said after the stretch: what is used there comes first. */
  readonly later: readonly FoldMessage[]
  /** The most tokens, as we count. */
  readonly most: number
  readonly measure: Measure
}

/** The lines of the list, the most important first, within a number of tokens. */
export function* mustNotBeLost({ stretch, later }: LossRequest): Steps<readonly string[]> {
  for (const _ of [...stretch, ...later]) yield
  return []
}
