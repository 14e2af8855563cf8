/** How similar messages are to a question: by the vectors of their words, or by those of an encoder. */
import { wordsOf } from '../../../context/recall/language/terms.ts'
import type { WordVectors } from '../../../context/recall/word-vectors.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Encoder } from '../encoder.ts'
import { blockOf, type IndexedMessage } from '../fill/blocks.ts'
import { VECTOR } from '../fill/build-blocks.ts'
import type { IndexReader } from './index-reader.ts'

/** What vectors are made with. */
export type SimilarBy = { readonly words: WordVectors } | { readonly encoder: Encoder }

/** How similar each message, with the one before and the one after, is to the question; undefined without vectors. */
export async function similarities(
  reader: IndexReader,
  text: string,
  messages: readonly IndexedMessage[],
  reach: number,
  by: SimilarBy | undefined,
): Promise<Result<readonly number[] | undefined, Fault>> {
  const question = await questionVector(text, by)
  if (by === undefined || question === undefined) return ok(undefined)
  const [kind, size] = 'encoder' in by ? (['encoded', by.encoder.dimensions] as const) : (['vectors', VECTOR] as const)
  const numbers = [...new Set(messages.map(({ first }) => blockOf(first)))]
  const [found, blocks] = await Promise.all([reader.vectors(kind, numbers), reader.blocks(numbers)])
  if (!found.ok) return found
  if (!blocks.ok) return blocks
  // The question, then the messages, in one piece; zeros for a message that has none.
  const vectors = new Int8Array((messages.length + 1) * size)
  vectors.set(question.subarray(0, size))
  for (const [index, { first, number }] of messages.entries()) {
    const body = found.value.get(blockOf(first))
    const from = (number - (blocks.value.get(blockOf(first))?.messagesBefore ?? 0)) * size
    if (body !== undefined && from >= 0 && from + size <= body.length)
      vectors.set(body.subarray(from, from + size), (index + 1) * size)
  }
  /** Of two messages by their indexes; of the question where the index is -1. */
  const times = (one: number, other: number): number =>
    other < messages.length ? product(vectors, (one + 1) * size, (other + 1) * size, size) : 0
  const squares = messages.map((_, index) => times(index, index))
  const nexts = messages.map((_, index) => times(index, index + 1))
  const asked = messages.map((_, index) => times(-1, index))
  const length = times(-1, -1)
  const isNear = (one: number, other: number): boolean =>
    messages[other] !== undefined && Math.abs((messages[one]?.number ?? 0) - (messages[other]?.number ?? 0)) <= reach
  return ok(
    messages.map((_, index) => {
      const before = isNear(index, index - 1) ? BEFORE : 0
      const after = isNear(index, index + 1) ? AFTER : 0
      const sum = (asked[index] ?? 0) + before * (asked[index - 1] ?? 0) + after * (asked[index + 1] ?? 0)
      const apart = before * after === 0 ? 0 : before * after * times(index - 1, index + 1)
      const square =
        (squares[index] ?? 0) +
        before ** 2 * (squares[index - 1] ?? 0) +
        after ** 2 * (squares[index + 1] ?? 0) +
        2 * (before * (nexts[index - 1] ?? 0) + after * (nexts[index] ?? 0) + apart)
      return square <= 0 || length === 0 ? 0 : sum / Math.sqrt(square * length)
    }),
  )
}

async function questionVector(text: string, by: SimilarBy | undefined): Promise<Int8Array | undefined> {
  if (by === undefined) return undefined
  if ('words' in by) return by.words.vectorOf(wordsOf(text))
  const [vector] = await by.encoder.encode([text])
  return vector
}

/** How much the message before and the one after count beside a message. */
const BEFORE = 0.6
const AFTER = 0.4

function product(vectors: Int8Array, one: number, other: number, size: number): number {
  let sum = 0
  for (let index = 0; index < size; index += 1)
    sum = (sum + (vectors[one + index] as number) * (vectors[other + index] as number)) | 0
  return sum
}
