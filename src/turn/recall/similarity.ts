/** How similar messages are to a question: by the vectors of their words, or by those of an encoder. */
import { wordsOf } from '../../context/recall/language/terms.ts'
import type { WordVectors } from '../../context/recall/word-vectors.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { blockOf, type IndexedMessage } from './blocks.ts'
import type { Encoder } from './encoder.ts'
import { VECTOR } from './fill-index.ts'
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
  const none = new Int8Array(size)
  const vectorOf = ({ first, number }: IndexedMessage): Int8Array => {
    const body = found.value.get(blockOf(first))
    const block = blocks.value.get(blockOf(first))
    const from = (number - (block?.messagesBefore ?? 0)) * size
    return body === undefined || from < 0 || from + size > body.length
      ? none
      : new Int8Array(body.buffer, body.byteOffset + from, size)
  }
  const own = messages.map(vectorOf)
  const times = (one: number, other: number): number => product(own[one] ?? none, own[other] ?? none)
  const squares = own.map((_, index) => times(index, index))
  const nexts = own.map((_, index) => times(index, index + 1))
  const asked = own.map(vector => product(question, vector))
  const length = product(question, question)
  const isNear = (one: number, other: number): boolean =>
    messages[other] !== undefined && Math.abs((messages[one]?.number ?? 0) - (messages[other]?.number ?? 0)) <= reach
  return ok(
    own.map((_, index) => {
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

function product(one: Int8Array, other: Int8Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number)
  return sum
}
