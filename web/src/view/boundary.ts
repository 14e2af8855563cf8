/** Where the newest request began to look into the conversation, and what it had in part. */
import { seenIn, unseenIn } from '../../../src/context/receipt/seen.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { quotedChat, recalledLines } from './recalled.ts'
import { spokenWords } from './shown.ts'
import { ALL_WHOLE, type Boundary, type NotWhole, type ViewEntry } from './view.ts'

/** Where a request began to look; null when everything before its message went with it. */
export function boundaryOf(receipt: Receipt, turn: string): Boundary | null {
  const { window, voice, model, inputs } = receipt
  const left = unseenIn(receipt)
  // A request that begins nowhere in the past has the new message alone.
  if (left === 0) return null
  const quoted = recalledLines(receipt).filter(line => quotedChat(receipt, line) === null).length
  // A window that was narrowed for this turn shows only its last part.
  const begins = window.shows ?? window.begins ?? inputs.cause
  const { folded = 0 } = seenIn(receipt)
  return {
    ...{ begins, left, voice, turn, model },
    ...(quoted === 0 ? {} : { quoted }),
    ...(folded === 0 ? {} : { folded }),
  }
}

export function notWholeIn({ window: { excerpts = [], unpinned = [] } }: Receipt): NotWhole {
  return excerpts.length + unpinned.length === 0 ? ALL_WHOLE : { excerpts: excerpts.map(({ seq }) => seq), unpinned }
}

/** A message that was not sent and can be pinned. */
export type Pinnable = { readonly seq: number; readonly text: string; readonly isReply: boolean }

/** The messages above the boundary, the nearest first; without those that are marked already, and of equal ones only the nearest. */
export function pinnableAbove(entries: readonly ViewEntry[], begins: number, most: number): readonly Pinnable[] {
  const found = new Map<string, Pinnable>()
  for (let at = entries.length - 1; at >= 0 && found.size < most; at -= 1) {
    const entry = entries[at]
    const pinnable = entry === undefined || entry.seq >= begins ? undefined : pinnableOf(entry)
    // A reply may have begun above the boundary and be the first thing that was sent.
    if (pinnable !== undefined && pinnable.seq < begins && !found.has(pinnable.text)) found.set(pinnable.text, pinnable)
  }
  return [...found.values()]
}

function pinnableOf(entry: ViewEntry): Pinnable | undefined {
  if (entry.kind === 'message') {
    const text = entry.text.trim()
    return entry.mark !== null || text === '' ? undefined : { seq: entry.seq, text, isReply: false }
  }
  if (entry.kind !== 'reply' || entry.steps.some(({ mark }) => mark !== null)) return undefined
  // A turn is marked by its last reply.
  const seq = entry.steps.findLast(step => step.state === 'finished' && step.seq !== null)?.seq ?? null
  const text = spokenWords(entry.steps).join(' ').trim()
  return seq === null || text === '' ? undefined : { seq, text, isReply: true }
}
