// What a request under a policy sends, in a few figures.
import { seenIn } from '../../../../src/context/receipt/seen.ts'
import type { InspectedRequest } from '../../wire/inspect-api.ts'
import { excerpt, formatCount } from '../../words/words.ts'

export type WhatIfFigures = {
  /** Messages that go in, as in "5 of 60". */
  readonly sent: string
  readonly left: string
  readonly tokens: string
  /** The words of the first message that is sent; null if only the new one is. */
  readonly first: string | null
}

export function whatIfFigures({ receipt, items }: Pick<InspectedRequest, 'receipt' | 'items'>): WhatIfFigures {
  const { messages, of } = seenIn(receipt)
  const first = items?.find(({ kind, text }) => kind === 'message' && text.trim() !== '')
  return {
    sent: `${formatCount(messages)} of ${formatCount(of)}`,
    left: formatCount(Math.max(0, of - messages)),
    tokens: formatCount(receipt.tokens.estimated),
    first: first === undefined ? null : excerpt(first.text),
  }
}
