/** Compares two requests: what a provider's prompt cache can reuse, what came and went, how many messages were dropped. */
import type { OutlineItem } from '../../model/plan.ts'
import type { CacheLint, InReason, OutReason, Receipt } from '../../model/receipt.ts'

/**
 * How much of a request the one before it began with, and what broke it: a provider's prompt cache can reuse just that.
 * Items at the tail of the earlier request are expected to be gone. `madeRoom` says that the window gave way to quotes.
 */
export function lint(before: readonly OutlineItem[], now: readonly OutlineItem[], madeRoom = false): CacheLint {
  const expected = before.filter(item => !item.volatile)
  const broken = expected.findIndex((item, index) => item.hash !== now[index]?.hash)
  const same = broken === -1 ? expected.length : broken
  const kept = now.slice(0, same)
  const total = now.reduce((sum, item) => sum + item.tokens, 0)
  // A request that only ends earlier breaks nothing: the cache can reuse all its items.
  const culprit = broken === -1 ? undefined : madeRoom ? QUOTES : (goneFront(expected[broken], now[broken]) ?? now[broken])
  return {
    stableThrough: kept.findLast(item => item.from !== undefined)?.from ?? null,
    stableShare: total === 0 ? 0 : Math.round((kept.reduce((sum, item) => sum + item.tokens, 0) / total) * 1000) / 1000,
    brokenBy: culprit === undefined ? null : { item: culprit.name, reason: culprit.reason },
  }
}

/** A summary, or a pin of another chat, that is no longer there: what is in its place only moved. */
const goneFront = (item: OutlineItem | undefined, inPlace: OutlineItem | undefined): OutlineItem | undefined =>
  item !== undefined && FRONT.has(item.reason) && item.reason !== inPlace?.reason ? item : undefined

const FRONT: ReadonlySet<InReason> = new Set(['summary.folded', 'pin.person'])

const QUOTES: Pick<OutlineItem, 'name' | 'reason'> = { name: 'recalled messages', reason: 'recall.match' }

/** Whether the window of a request is smaller than it would be without quotes. */
export const madeRoomForQuotes = ({ window, recall }: Pick<Receipt, 'window' | 'recall'>): boolean =>
  window.narrowed === true || (recall !== undefined && recall.limits[1] < recall.limits[0])

/** What two requests have in common and what only one has, item by item. */
export type Difference = { readonly same: number; readonly gone: readonly OutlineItem[]; readonly come: readonly OutlineItem[] }

export function difference(before: readonly OutlineItem[], now: readonly OutlineItem[]): Difference {
  const had = new Set(before.map(keyOf))
  const has = new Set(now.map(keyOf))
  return {
    same: now.filter(item => had.has(keyOf(item))).length,
    gone: before.filter(item => !has.has(keyOf(item))),
    come: now.filter(item => !had.has(keyOf(item))),
  }
}

/** The same words said twice are two items. */
const keyOf = ({ hash, from }: OutlineItem): string => `${hash} ${from ?? ''}`

/** Messages that were in a voice's request before this one and no longer fit: none, as long as its window only grows. */
export function droppedSince(before: Receipt | undefined, now: Receipt): number {
  if (before === undefined || (now.window.begins ?? 0) <= (before.window.begins ?? 0)) return 0
  return Math.max(0, behind(now) - behind(before))
}

const BEHIND: ReadonlySet<OutReason> = new Set(['out.window', 'out.budget', 'out.folded', 'out.store-unavailable'])

/** What lies before a window, as a person counts messages. */
const behind = ({ out }: Receipt): number => out.reduce((sum, { reason, count }) => sum + (BEHIND.has(reason) ? count : 0), 0)
