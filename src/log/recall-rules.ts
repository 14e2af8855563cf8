/** What every store of recall indexes does alike: refuses rows that none could keep, and puts what was found in columns. */

import { isExcluding, type Mark } from '../model/event.ts'
import type { AllPostings, PostingRow, RecallChange, RecallState } from './ports.ts'

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

/** A row of postings without its last passage, which is in its body. */
export type PostingInColumns = Pick<PostingRow, 'term' | 'segment' | 'count' | 'body'> & { readonly session: number }

/** Postings of several sessions in columns; `session` is the place of a row's session in the question. */
export function postingsInColumns(rows: readonly PostingInColumns[]): AllPostings {
  const terms = new Map<string, number>()
  const numbers = new Float64Array(rows.length * 5)
  const bodies = new Uint8Array(new SharedArrayBuffer(rows.reduce((sum, { body }) => sum + body.byteLength, 0)))
  let at = 0
  for (const [index, { session, term, segment, count, body }] of rows.entries()) {
    const known = terms.get(term) ?? terms.size
    terms.set(term, known)
    numbers.set([session, known, count, segment, body.byteLength], index * 5)
    bodies.set(body, at)
    at += body.byteLength
  }
  return { terms: [...terms.keys()], numbers, bodies }
}

/** The rows of `postingsInColumns` one by one. */
export function rowsInColumns({ terms, numbers, bodies }: AllPostings): readonly PostingInColumns[] {
  let at = 0
  return Array.from({ length: numbers.length / 5 }, (_, index) => {
    const [session = 0, term = 0, count = 0, segment = 0, length = 0] = numbers.subarray(index * 5, index * 5 + 5)
    at += length
    return { session, term: terms[term] ?? '', count, segment, body: bodies.subarray(at - length, at) }
  })
}

/** What decides whether a message is excluded. */
export type MarkedMessage = { readonly target: number; readonly mark: Mark | null }

/** The messages that are excluded by the last mark of each. */
export function excludedTargets(marks: Iterable<MarkedMessage>): readonly number[] {
  const excluded = new Set<number>()
  for (const { target, mark } of marks) {
    if (isExcluding(mark)) excluded.add(target)
    else excluded.delete(target)
  }
  return [...excluded]
}

/** The state of an index as a row has it. */
export type RecallStateRow = Omit<RecallState, 'encoder'> & {
  readonly encoder: string | null
  readonly encodedThrough: number | null
}

export const recallStateOf = ({ encoder, encodedThrough, ...state }: RecallStateRow): RecallState => ({
  ...state,
  encoder: encoder === null ? null : { model: encoder, through: encodedThrough ?? 0 },
})

/** The version and the vectors as one text, as `sessions.recalled_by` has it. */
export const recallMaker = ({ version, vectors }: Pick<RecallState, 'version' | 'vectors'>): string =>
  JSON.stringify([version, vectors])
