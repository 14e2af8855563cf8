// What requests cost where a provider caches prompts. The rules are in `src`, because the command line compares policies by them too.
import {
  type Bill,
  type BilledBlock,
  billedBlocks,
  billedTokens,
  billedUnits,
  createBilling,
  type TokenCount,
} from '../src/context/receipt/billing.ts'

export type Block = BilledBlock
export type Count = TokenCount
export type { Bill }

export const unitsOf: (bill: Bill) => number = billedUnits
export const tokensOf: (bill: Bill) => number = billedTokens
export const blocksOf: (body: string, count: Count) => readonly Block[] = billedBlocks

/** What each request of a sequence is billed, where nothing expires and all of them use one cache. */
export function* billsOf(requests: Iterable<readonly Block[]>): Generator<Bill> {
  const charge = createBilling()
  for (const blocks of requests) yield charge(blocks)
}

/** The same request with breakpoints behind tools and system text only: cheaper where the messages never come back. */
export const markedInHouse = (blocks: readonly Block[]): readonly Block[] =>
  blocks.map(block => (block.part === 'messages' ? { ...block, marked: false } : block))

/** The share of a request's bytes with which the next one begins. */
export function keptShare(last: readonly Block[], next: readonly Block[]): number {
  const all = last.reduce((sum, { bytes }) => sum + Buffer.byteLength(bytes), 0)
  if (all === 0) return 1
  const parting = last.findIndex(({ bytes }, index) => bytes !== next[index]?.bytes)
  if (parting === -1) return 1
  const same = last.slice(0, parting).reduce((sum, { bytes }) => sum + Buffer.byteLength(bytes), 0)
  return (same + Buffer.byteLength(commonStart(last[parting]?.bytes ?? '', next[parting]?.bytes ?? ''))) / all
}

function commonStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}
