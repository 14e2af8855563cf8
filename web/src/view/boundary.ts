/** Where the newest request began to look into the conversation. */
import type { OutReason, Receipt } from '../../../src/model/receipt.ts'
import type { Boundary, ViewEntry } from './view.ts'

/** Reasons that leave out a stretch of the past, not a message for its own sake. */
const BEFORE: ReadonlySet<OutReason> = new Set(['out.window', 'out.budget', 'out.folded', 'out.store-unavailable'])

/** Where a request began to look; null when everything before its message went with it. */
export function boundaryOf({ window: { begins }, out, voice }: Receipt, turn: string): Boundary | null {
  if (begins === null) return null
  const before = out.filter(line => BEFORE.has(line.reason) && line.from !== undefined && line.from < begins)
  const left = before.reduce((sum, line) => sum + line.count, 0)
  return left === 0 ? null : { begins, left, voice, turn }
}

/** The entry above which the line is drawn: the one with the first message of the request. */
export const firstSent = (entries: readonly ViewEntry[], { begins }: Pick<Boundary, 'begins'>): ViewEntry | undefined =>
  entries.findLast(entry => entry.seq <= begins)
