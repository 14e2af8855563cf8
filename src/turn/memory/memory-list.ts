/** Everything that is remembered beyond the window, in one list: the pins and folds of all sessions. */
import type { KeptFold, KeptPin, Log } from '../../log/ports.ts'
import type { Reach, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { HistoryFolded } from '../../model/fold.ts'
import type { SessionId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import { ok, type Result } from '../../model/result.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'

/** Something that is remembered, where it is from, and what it takes in a request. */
export type MemoryItem = {
  readonly session: SessionId
  /** The title of its session, or how that begins. */
  readonly title: string | null
  readonly text: string
  readonly tokens: number
  readonly at: string
} & (
  | { readonly kind: 'pin'; readonly seq: number; readonly reach: Reach }
  | ({ readonly kind: 'fold'; readonly seq: number } & Pick<HistoryFolded, 'from' | 'to' | 'by' | 'folded'>)
)

export type MemoryQuery = { readonly cursor?: string; readonly limit: number }

/** A page of all pins and folds that count now, newest first; `next` is the cursor of the page after it. */
export async function memoryList(
  log: Log,
  query: MemoryQuery,
): Promise<Result<{ readonly items: readonly MemoryItem[]; readonly next: string | null }, Fault>> {
  const kept = await log.memory.list(query)
  if (!kept.ok) return kept
  const items: MemoryItem[] = []
  for (const each of kept.value.items) {
    const item = await itemOf(log, each)
    if (!item.ok) return item
    if (item.value !== undefined) items.push(item.value)
  }
  return ok({ items, next: kept.value.next })
}

/** One item with its words; nothing if its session was removed meanwhile, or its message cannot be read. */
async function itemOf(log: Log, kept: KeptPin | KeptFold): Promise<Result<MemoryItem | undefined, Fault>> {
  const seq = kept.kind === 'pin' ? kept.target : kept.seq
  const [session, read] = await Promise.all([log.session(kept.session), log.read(kept.session, { seqs: [seq] })])
  if (!session.ok) return session.fault.kind === 'not-found' ? ok(undefined) : session
  if (!read.ok) return read.fault.kind === 'not-found' ? ok(undefined) : read
  const [event] = read.value
  if (event === undefined || event.type === 'damaged') return ok(undefined)
  const title = session.value.title ?? session.value.preview
  const plain = { session: kept.session, title, tokens: event.tokens, at: kept.at, seq }
  if (kept.kind === 'pin') return ok({ ...plain, kind: 'pin', reach: kept.reach, text: saidIn(event) })
  if (event.type !== 'history.folded') return ok(undefined)
  const { from, to, by, text, folded } = event
  return ok({ ...plain, kind: 'fold', from, to, by, text, ...(folded === undefined ? {} : { folded }) })
}

function saidIn(event: Recorded): string {
  if (event.type === 'message.received') return event.text
  return isReply(event) ? spokenText([event]) : ''
}
