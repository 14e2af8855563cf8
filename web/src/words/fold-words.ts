// Words for summaries of earlier messages.
import type { FoldSpan, ShownFold } from '../view/folds.ts'
import { roughTokens } from './rough-tokens.ts'
import { formatCount } from './words.ts'

/** Which messages, as a person counts them. */
export const messagesSpan = ({ first, last }: FoldSpan): string =>
  first === last ? `Message ${formatCount(first)}` : `Messages ${formatCount(first)}–${formatCount(last)}`

/** The line where a summary ends: what it stands for, and what it saves. */
export function foldLineWords({ text, folded }: Pick<ShownFold, 'text' | 'folded'>, span: FoldSpan): string {
  const price = formatCount(roughTokens(text))
  const saved = folded === undefined ? `${price} tokens` : `${formatCount(folded)} → ${price} tokens`
  return `${messagesSpan(span)} summarized · ${saved}`
}

export const foldingWords = (span: FoldSpan): string => `Summarizing ${messagesSpan(span).toLowerCase()} …`

export const foldFailedWords = (span: FoldSpan, why: string): string =>
  `${messagesSpan(span)} could not be summarized${why === '' ? '.' : `: ${why}`}`

/** Who wrote a summary. */
export function foldByWords({ by, model }: Pick<ShownFold, 'by' | 'model'>): string {
  if (by === 'person') return 'Edited by you'
  if (by === 'extract') return 'Sentences taken word for word'
  return model === undefined ? 'Written by the model' : `Written by ${model}`
}

/** Sentences that a model wrote and that are not sent. */
export const leftSentencesWords = (many: number): string =>
  `${many === 1 ? '1 sentence was' : `${many} sentences were`} left out, because ${many === 1 ? 'it names' : 'they name'} something that the messages do not`

export const SUMMARIZE = 'Summarize earlier messages'
export const SUMMARIZED = 'Summarized. The next message begins behind it.'
export const FOLD_REMOVED = 'Summary removed. The messages themselves are still here.'
