/** What a comparison of policies gives. The page and HTTP show these shapes, so fields are added and never renamed. */
import { type Bill, billedTokens } from '../../context/receipt/billing.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Evidence } from './evidence.ts'
import type { QuestionPair } from './question-pairs.ts'

/** Which policies over which sessions. */
export type BenchWish = {
  readonly sessions: readonly SessionId[]
  readonly policies: readonly string[]
  /** Every policy is tried with each of these; with its own where there is none. */
  readonly budgets?: readonly number[]
  /** Asked at the end of their sessions. Without any, questions are made from the sessions. */
  readonly pairs?: readonly QuestionPair[]
  /** Policies with a memory are compared without it, too: no recall, no folds, and a window that does not follow. */
  readonly withoutMemory?: boolean
  /** Stops between two requests; then the result is a `cancelled` fault. */
  readonly abort?: AbortSignal
}

/** One policy with one budget. */
export type Contender = {
  readonly policy: string
  readonly budget: number | null
  /** Its memory was taken from it, for comparison. */
  readonly withoutMemory?: true
}

/** What one policy came to, with one budget. */
export type BenchRow = Contender & {
  /** The share of the evidence that the requests had, mean over all questions; null where there are none. */
  readonly recall: number | null
  /** Pieces of evidence: all of them, those that requests had, and of these the ones in part. */
  readonly evidence: number
  readonly found: number
  readonly inPart: number
  /** All requests of all turns, and turns whose request would not have fitted. */
  readonly requests: number
  readonly tooLong: number
  /** Of one request, on average: billed units of input, those of folds included, and tokens. */
  readonly units: number
  readonly tokens: number
  /** The share of all tokens that a cache gave. */
  readonly cached: number
  /** Identifiers that replies used and that were said before, and how many of them the request still showed. */
  readonly used: number
  readonly visible: number
  /** Folds that would have been made, and of one request, on average: the billed units of asking a model for them, and what it would have written. */
  readonly folds: number
  readonly foldUnits: number
  readonly foldTokens: number
}

export type BenchReport = {
  readonly sessions: number
  readonly questions: number
  /** Questions were made from the sessions, not given. */
  readonly isMade: boolean
  /** Sessions that could not be planned, because their agent is gone for example. They do not count. */
  readonly skipped: readonly { readonly session: SessionId; readonly why: string }[]
  readonly rows: readonly BenchRow[]
}

/** Which session is planned under which policy, and how many requests of it were. */
export type BenchProgress = Contender & { readonly session: SessionId; readonly requests: number }

/** What was planned for one contender. */
export type Walked = {
  readonly contender: Contender
  readonly sums: BenchSums
  readonly judged: Map<QuestionPair, readonly Evidence[]>
}

export type BenchSums = {
  requests: number
  tooLong: number
  bill: Bill
  units: number
  used: number
  visible: number
  folds: number
  foldUnits: number
  foldTokens: number
}

export const nothingWalked = (contender: Contender): Walked => ({
  contender,
  sums: {
    ...{ requests: 0, tooLong: 0, bill: { plain: 0, written: 0, read: 0 }, units: 0, used: 0, visible: 0 },
    ...{ folds: 0, foldUnits: 0, foldTokens: 0 },
  },
  judged: new Map(),
})

/** Adds the second to the first. */
export function addWalk(total: Walked, { sums, judged }: Walked): void {
  for (const [pair, evidence] of judged) total.judged.set(pair, evidence)
  for (const key of Object.keys(sums) as (keyof BenchSums)[]) if (key !== 'bill') total.sums[key] += sums[key]
  total.sums.bill = addBills(total.sums.bill, sums.bill)
}

export const addBills = (a: Bill, b: Bill): Bill => ({
  ...{ plain: a.plain + b.plain, written: a.written + b.written, read: a.read + b.read },
})

/** The row of a contender, by the questions that count. */
export function rowOf({ contender, sums, judged }: Walked, questions: readonly QuestionPair[]): BenchRow {
  const { requests, tooLong, bill, used, visible, folds } = sums
  const shares = questions.map(pair => {
    const evidence = judged.get(pair) ?? []
    return evidence.length === 0 ? 0 : evidence.filter(({ in: isIn }) => isIn).length / evidence.length
  })
  const pieces = questions.flatMap(pair => judged.get(pair) ?? [])
  const tokens = billedTokens(bill)
  const each = (sum: number): number => (requests === 0 ? 0 : Math.round(sum / requests))
  return {
    ...contender,
    ...{ evidence: pieces.length, requests, tooLong, used, visible, folds },
    recall: shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    found: pieces.filter(({ in: isIn }) => isIn).length,
    inPart: pieces.filter(({ part }) => part === true).length,
    units: each(sums.units + sums.foldUnits),
    tokens: each(tokens),
    cached: tokens === 0 ? 0 : bill.read / tokens,
    foldUnits: each(sums.foldUnits),
    foldTokens: each(sums.foldTokens),
  }
}
