/** Refuses rows of a recall index that no store could keep; every store checks a change before it writes any of it. */

import type { RecallChange } from './ports.ts'

/** Throws if a number is not a whole one or a body is not bytes: that is a bug of the caller. */
export function assertRecallChange({ state, postings = [], blocks = [] }: RecallChange): void {
  const { indexedThrough, messages, passages, flushed, version, encoder } = state
  const counts = [indexedThrough, messages, passages, flushed, version, encoder?.through ?? 0]
  const numbers = [
    ...counts,
    ...postings.flatMap(({ segment, count, last }) => [segment, count, last]),
    ...blocks.map(({ number }) => number),
  ]
  const odd = numbers.find(number => !Number.isSafeInteger(number) || number < 0)
  if (odd !== undefined) throw new Error(`a recall index has whole numbers, not ${odd}`)
  const bodies = [...postings.map(({ body }) => body), ...blocks.flatMap(({ body }) => (body === null ? [] : [body]))]
  if (!bodies.every(body => body instanceof Uint8Array)) throw new Error('a row of a recall index has bytes as its body')
}
