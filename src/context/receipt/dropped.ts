import type { OutReason, Receipt } from '../../model/receipt.ts'

/** Messages that were in a voice's request before this one and no longer fit: none, as long as its window only grows. */
export function droppedSince(before: Receipt | undefined, now: Receipt): number {
  if (before === undefined || (now.window.begins ?? 0) <= (before.window.begins ?? 0)) return 0
  return Math.max(0, behind(now) - behind(before))
}

const BEHIND: ReadonlySet<OutReason> = new Set(['out.window', 'out.budget', 'out.store-unavailable'])

/** What lies before a window, as a person counts messages. */
const behind = ({ out }: Receipt): number => out.reduce((sum, { reason, count }) => sum + (BEHIND.has(reason) ? count : 0), 0)
