/** Puts new messages into the blocks of an index: the last one that is not full yet, and those after it. */
import { addMessages, BLOCK, type IndexBlock, type IndexedMessage, type PassageTerms, type Totals } from './blocks.ts'
import type { NewMessage } from './index-message.ts'

/** Bytes of a vector. */
export const VECTOR = 128

/** A message begins a sitting when so many minutes have passed. */
const SITTING_MINUTES = 4 * 60

/** The last block, which may still get more passages. */
export type OpenBlock = {
  readonly number: number
  readonly block: IndexBlock
  readonly terms: readonly PassageTerms[]
  readonly vectors: Uint8Array
}

const NO_VECTOR: Int8Array = new Int8Array(VECTOR)

/** A block with everything that is written for it. */
export type BuiltBlock = { number: number; block: IndexBlock; terms: PassageTerms[]; vectors: Uint8Array }

/** The open block and those after it, with the new messages. */
export function buildBlocks(
  open: OpenBlock,
  fresh: readonly NewMessage[],
  hasVectors: boolean,
): { readonly blocks: readonly BuiltBlock[]; readonly passages: number } {
  type Growing = {
    number: number
    before: Totals
    messages: IndexedMessage[]
    passages: IndexBlock['passages'][number][]
    terms: PassageTerms[]
    vectors: number[]
  }
  const blocks: Growing[] = []
  let totals = addMessages(open.block.before, open.block.messages)
  let growing: Growing = {
    number: open.number,
    before: open.block.before,
    messages: [...open.block.messages],
    passages: [...open.block.passages],
    terms: [...open.terms],
    vectors: [...open.vectors],
  }
  blocks.push(growing)
  const place = (): Growing => {
    if (growing.passages.length === BLOCK) {
      growing = { number: growing.number + 1, before: totals, messages: [], passages: [], terms: [], vectors: [] }
      blocks.push(growing)
    }
    return growing
  }
  for (const { message, passages, terms, vector } of fresh) {
    const first = place()
    const isFirst = totals.messages === 0
    const sitting = totals.sitting + (!isFirst && message.minute - totals.minute > SITTING_MINUTES ? 1 : 0)
    const placed = { ...message, number: totals.messages, sitting, first: first.number * BLOCK + first.passages.length }
    first.messages.push(placed)
    if (hasVectors) first.vectors.push(...(vector ?? NO_VECTOR))
    totals = addMessages(totals, [placed])
    for (const [index, passage] of passages.entries()) {
      const block = place()
      block.passages.push(passage)
      block.terms.push(terms[index] ?? [])
    }
  }
  const last = blocks.at(-1) as Growing
  return {
    passages: last.number * BLOCK + last.passages.length,
    blocks: blocks
      .filter(({ passages }) => passages.length > 0)
      .map(({ number, before, messages, passages, terms, vectors }) => ({
        ...{ number, block: { before, messages, passages }, terms, vectors: Uint8Array.from(vectors) },
      })),
  }
}
