// Says how many messages a model saw, and what was sent in part.
import { seenIn, unseenIn } from '../../../context/receipt/seen.ts'
import type { RecallQuote } from '../../../model/recall.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { escapeToOneLine } from './escape-for-terminal.ts'
import { counted, figure } from './phrase.ts'

/** How many messages the model saw of all it could see. */
export function seenWords(receipt: Pick<Receipt, 'seen' | 'in' | 'out'>): string {
  const { messages, of, folded = 0 } = seenIn(receipt)
  const rest = folded === 0 ? '' : `, and ${figure(folded)} in summary`
  if (unseenIn(receipt) > 0) return `saw ${figure(messages)} of ${counted(of, 'message')}${rest}`
  return messages === 1 ? 'saw the one message' : `saw all ${counted(messages, 'message')}`
}

/** Most seqs that a line lists, so that it stays short. */
const MOST_SEQS = 8

/** What was sent in part and what did not fit, a line each; none if everything that was sent is whole. */
export function partWords({ window }: Pick<Receipt, 'window'>): readonly string[] {
  const { excerpts = [], unpinned = [], results = [], hidden = [] } = window
  const steps = hidden.reduce((sum, each) => sum + each.steps, 0)
  return [
    ...(excerpts.length === 0
      ? []
      : [`sent in part: ${counted(excerpts.length, 'long message')}, ${seqs(excerpts.map(({ seq }) => seq))}`]),
    ...(unpinned.length === 0 ? [] : [`pinned, but did not fit: ${counted(unpinned.length, 'message')}, ${seqs(unpinned)}`]),
    ...(steps === 0 ? [] : [`not sent: ${counted(steps, 'step')} of long turns`]),
    ...(results.length === 0
      ? []
      : [`sent in part: ${counted(results.length, 'tool result')}, ${seqs(results.map(({ seq }) => seq))}`]),
  ]
}

/** Where quotes and pins of other chats come from, each chat once. */
const otherChats = (quotes: readonly RecallQuote[]): string =>
  [...new Map(quotes.flatMap(({ chat }) => (chat === undefined ? [] : [[chat.session, escapeToOneLine(chat.title)]]))).values()]
    .map(title => `“${title}”`)
    .join(', ')

/** Messages of other chats that a person pinned for this one. */
export function pinnedElsewhere({ window: { pinned = [] } }: Pick<Receipt, 'window'>): readonly string[] {
  return pinned.length === 0 ? [] : [`Pinned for this chat: ${counted(pinned.length, 'message')} of ${otherChats(pinned)}`]
}

/** What recall did, a line each; none if the policy does not recall, or nothing was hidden. */
export function recallSummary({
  recall,
  window,
  inputs,
}: Pick<Receipt, 'recall' | 'window'> & Partial<Pick<Receipt, 'inputs'>>): readonly string[] {
  if (recall === undefined) return []
  const { messages, tokens, most, balance, looksBack, failed } = recall
  // What was saved may be more than any request has room for.
  const bound = balance === undefined ? ` of at most ${figure(most)}` : ''
  const quoted = `Recalled ${counted(messages, 'earlier message')} (${figure(tokens)}${bound} tokens)`
  const others = otherChats(window.recalled ?? [])
  const looked = inputs?.recall?.from
  return [
    ...(messages === 0 ? [] : [quoted]),
    ...(others === '' ? [] : [`Quoted from other chats: ${others}`]),
    ...(looked === undefined
      ? []
      : [`Also looked in ${counted(looked.chats, 'other chat')}${looked.from === 'project' ? ' of the project' : ''}`]),
    ...(looksBack ? ['Looks back: the message asks about something that the window does not show'] : []),
    ...(window.shows === undefined
      ? []
      : [`Window narrowed for this turn, to make room for quotes: it begins at seq ${window.shows}`]),
    ...(failed === undefined ? [] : [`Nothing could be recalled: ${escapeToOneLine(failed)}`]),
  ]
}

const seqs = (all: readonly number[]): string =>
  `seq ${all.slice(0, MOST_SEQS).join(', ')}${all.length > MOST_SEQS ? ` and ${figure(all.length - MOST_SEQS)} more` : ''}`
