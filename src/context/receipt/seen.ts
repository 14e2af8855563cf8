/** How many messages a request shows of all that its voice could see, and what is new about that since the request before. */
import type { Excerpt, InReason, OutReason, Receipt, SeenCount, WindowState } from '../../model/receipt.ts'

/** What a receipt says of how much its voice saw. */
export type SeenReceipt = Pick<Receipt, 'seen' | 'in' | 'out'>

/** Lines with messages of the conversation. The running turn is not among them: its own words are no message yet. */
const SHOWN: ReadonlySet<InReason> = new Set(['head.first', 'pin.person', 'recent.window', 'recent.excerpt', 'current.message'])

/** Why a message is not shown that the voice could have seen. The other reasons are about messages that are not for it. */
const MISSED: ReadonlySet<OutReason> = new Set(['out.window', 'out.budget', 'out.folded', 'out.store-unavailable'])

/** As the receipt counted it; for an older receipt, what its lines add up to. */
export function seenIn({ seen, in: shown, out }: SeenReceipt): SeenCount {
  if (seen !== undefined) return seen
  const messages = shown.reduce((sum, { reason, count = 0 }) => sum + (SHOWN.has(reason) ? count : 0), 0)
  const missed = out.reduce((sum, { reason, count }) => sum + (MISSED.has(reason) ? count : 0), 0)
  const folded = out.reduce((sum, { reason, count }) => sum + (reason === 'out.folded' ? count : 0), 0)
  return { messages, of: messages + missed, ...(folded === 0 ? {} : { folded }) }
}

/** How many messages a voice could have seen and did not. */
export function unseenIn(receipt: SeenReceipt): number {
  const { messages, of } = seenIn(receipt)
  return Math.max(0, of - messages)
}

/** What was shown to a voice by its request before. */
export type ShownBefore = Pick<Receipt, 'window'> & SeenReceipt

/** What a request no longer shows, or shows in part, and the request before showed otherwise; a number is 0 where nothing changed. */
export type WindowChange = {
  /** How many messages are not shown, if this is the first request that leaves one out. */
  readonly dropped: number
  readonly excerpts: number
  readonly unpinned: number
  /** Steps of the running turn that are not shown. */
  readonly steps: number
  /** Tool results of the running turn that are shown in part. */
  readonly results: number
}

/** What has come into play since the request before; null is a voice that was never asked before. */
export function windowChange(now: ShownBefore, before: ShownBefore | null): WindowChange {
  const [window, earlier]: readonly [WindowState, WindowState | undefined] = [now.window, before?.window]
  const known = new Set((earlier?.hidden ?? []).map(({ through }) => through))
  const hidden = (window.hidden ?? []).filter(({ through }) => !known.has(through))
  return {
    dropped: before === null || unseenIn(before) === 0 ? unseenIn(now) : 0,
    excerpts: newExcerpts(window.excerpts, earlier?.excerpts),
    unpinned: (window.unpinned ?? []).filter(seq => earlier?.unpinned?.includes(seq) !== true).length,
    steps: hidden.reduce((sum, { steps }) => sum + steps, 0),
    results: newExcerpts(window.results, earlier?.results),
  }
}

function newExcerpts(now: readonly Excerpt[] = [], before: readonly Excerpt[] = []): number {
  const known = new Set(before.map(({ seq, tokens }) => `${seq} ${tokens}`))
  return now.filter(({ seq, tokens }) => !known.has(`${seq} ${tokens}`)).length
}
