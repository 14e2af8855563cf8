/** The bracketed texts before the conversation: what people pinned in other chats, and summaries of what has left the window. */
import type { Material } from '../../model/plan.ts'
import type { RecallQuote } from '../../model/recall.ts'
import type { FoldEvent } from '../fold/folds-that-count.ts'
import { escapeQuoted } from '../recall/escape-quoted.ts'
import { type EventsOf, eventsOfChats, PERSON_NAME, quotedLine, quotedText } from '../recall/recall-block.ts'
import type { Measure } from '../text/tokens.ts'
import { type FrontBlock, PER_MESSAGE, type PlacedQuote } from './draft.ts'

/** The whole block of summaries. */
export const foldsBlock = (lines: readonly string[]): string => `[Summary of earlier messages:\n\n${lines.join('\n\n')}]`

/** A summary as it is sent: none of its lines reads as another speaker's, or as the end of the block. */
export const foldLine = ({ text }: Pick<FoldEvent, 'text'>, names: readonly string[]): string =>
  escapeQuoted(text.trim(), [...names, PERSON_NAME])

/** The folds that a request shows, as one text. */
export function foldsFront(folds: readonly FoldEvent[], { voices }: Pick<Material, 'voices'>): FrontBlock | null {
  if (folds.length === 0) return null
  const names = Object.values(voices)
  const parts = folds.map((fold): PlacedQuote => ({ from: fold.seq, to: fold.seq, line: foldLine(fold, names), text: fold.text }))
  return { kind: 'summary', reason: 'summary.folded', text: foldsBlock(parts.map(({ line }) => line)), parts }
}

/** The part of the room that pins of other chats may take. */
const PINNED_ELSEWHERE = 1 / 4

/** The whole block of pins. */
const pinnedBlock = (lines: readonly string[]): string => `[Pinned for this chat:\n\n${lines.join('\n\n')}]`

/** What people pinned in other chats for this one, as it is shown. */
export type PinnedFront = {
  readonly block: FrontBlock | null
  readonly quotes: readonly RecallQuote[]
  /** In tokens as the model counts. */
  readonly cost: number
  /** How many did not fit. */
  readonly missed: number
}

/**
 * The newest that fit into a quarter of the room. That is what system text and tools leave: what is shown must not change with the
 * length of a new message, unless there is so little room beside it. Later steps show what the first one did.
 */
export function pinnedFront(material: Material, house: number, room: number, measure: Measure): PinnedFront {
  const { pinned, turn, last, voices, model } = material
  if (pinned === undefined) return NOTHING_PINNED
  const names = Object.values(voices)
  const eventsOf = eventsOfChats([], pinned.events)
  const wanted = turn.step > 1 ? (last?.pinned ?? []) : pinned.quotes
  const readable = wanted.flatMap(quote => placedOf(quote, eventsOf, names))
  const costOf = (some: readonly Placed[]): number =>
    some.length === 0
      ? 0
      : Math.ceil((measure.count(pinnedBlock(some.map(({ part }) => part.line))) + PER_MESSAGE) * model.factor) + some.length
  const most = house * PINNED_ELSEWHERE > room / 2 ? room * PINNED_ELSEWHERE : house * PINNED_ELSEWHERE
  let first = turn.step > 1 ? 0 : readable.length
  while (first > 0 && costOf(readable.slice(first - 1)) <= most) first -= 1
  const shown = readable.slice(first)
  if (shown.length === 0) return { ...NOTHING_PINNED, missed: readable.length }
  const parts = shown.map(({ part }) => part)
  return {
    block: { kind: 'message', reason: 'pin.person', text: pinnedBlock(parts.map(({ line }) => line)), parts },
    quotes: shown.map(({ quote }) => quote),
    cost: costOf(shown),
    missed: first,
  }
}

const NOTHING_PINNED: PinnedFront = { block: null, quotes: [], cost: 0, missed: 0 }

type Placed = { readonly quote: RecallQuote; readonly part: PlacedQuote }

function placedOf(quote: RecallQuote, eventsOf: EventsOf, names: readonly string[]): readonly Placed[] {
  const { chat, seqs } = quote
  const [line, text] = [quotedLine(quote, eventsOf, names), quotedText(quote, eventsOf)]
  if (chat === undefined || line === undefined || text === undefined) return []
  return [{ quote, part: { session: chat.session, from: seqs[0] ?? 0, to: seqs.at(-1) ?? 0, line, text } }]
}
