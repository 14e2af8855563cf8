// Words for the reasons on a receipt.
import { seenIn, unseenIn } from '../../../src/context/receipt/seen.ts'
import type { CacheLint, InReason, OutReason, RecallReceipt, Receipt, Rung } from '../../../src/model/receipt.ts'

const REASONS: Readonly<Record<InReason | OutReason, string>> = {
  'system.agent': 'The agent’s own text',
  'system.agents-md': 'House text',
  'system.project': 'The project’s context',
  'system.phase': 'Where the conversation stands',
  'skill.full': 'A skill, in full',
  'skill.listed': 'Skills, by name',
  'tools.schema': 'Tools',
  'head.first': 'The first messages',
  'note.omitted': 'A note on what is not shown',
  'note.turn': 'A note on the turn',
  'note.clock': 'The time',
  'pin.person': 'Pinned',
  'recent.window': 'The conversation so far',
  'recent.excerpt': 'A long message, sent in part',
  'summary.folded': 'Summary of earlier messages',
  'recall.match': 'Recalled: matches the new message',
  'reference.last-round': 'What the others said last',
  'current.message': 'The new message',
  'current.cycle': 'This turn so far',
  'out.window': 'Before the window',
  'out.budget': 'Did not fit the budget',
  'out.excluded': 'Kept out by a person',
  'out.other-voice': 'Said by another voice',
  'out.thinking': 'Thinking',
  'out.failed-turn': 'Turns that failed',
  'out.duplicate': 'Said twice',
  'out.malformed': 'Could not be understood',
  'out.folded': 'Summarized',
  'out.store-unavailable': 'Could not be read',
}

/** A reason in words; one that this page does not know yet is shown as it is. */
export const reasonSentence = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? REASONS[reason as InReason | OutReason] : reason

const RUNGS: Readonly<Record<Rung, string>> = {
  asides: 'what was said elsewhere',
  thinking: 'this turn’s thinking',
  history: 'the oldest messages',
  skills: 'the text of skills',
  required: 'the longest of what it is about',
}

/** What had to be left out so that the request fits; null when nothing had to. */
export const ladderWords = (ladder: readonly Rung[]): string | null =>
  ladder.length === 0 ? null : `To make it fit, ${ladder.map(rung => RUNGS[rung] ?? rung).join(', then ')} gave way`

/** How much of the request a provider's cache may know already. */
export function cacheWords({ stableShare, brokenBy }: CacheLint): string {
  const same =
    stableShare === 0
      ? 'It begins unlike the request before'
      : `Its first ${Math.round(stableShare * 100)} % are as in the request before`
  if (brokenBy === null) return same
  const { item, reason } = brokenBy
  return `${same}; the cache is broken by ${item} (${reasonSentence(reason).toLowerCase()})`
}

/** What the newest request left out; `name` is whom it was for, where several advisors answer. */
export function leftWords(left: number, name: string | null, { quoted = 0, folded = 0 }: LeftCounts = {}): string {
  const them = left === 1 ? '1 message above this line was' : `${left.toLocaleString('en')} messages above this line were`
  const whom = name === null ? 'with the last reply' : `to ${name}`
  const more = [
    ...(folded > 0 && folded < left ? [`${folded.toLocaleString('en')} of them ${folded === 1 ? 'is' : 'are'} summarized`] : []),
    ...(quoted > 0 ? [quotedWords(left, quoted)] : []),
  ]
  return [`${them} ${folded >= left ? 'sent as a summary' : 'not sent'} ${whom}`, ...more].join('; ')
}

/** How many of the messages that a request leaves out are quoted in it, and how many are summarized. */
export type LeftCounts = { readonly quoted?: number; readonly folded?: number }

const quotedWords = (left: number, quoted: number): string =>
  left === 1 ? 'it was quoted' : `${quoted.toLocaleString('en')} of them ${quoted === 1 ? 'was' : 'were'} quoted`

/** How many earlier messages were quoted beside the new one. */
export const recalledWords = (messages: number): string =>
  `Recalled ${messages.toLocaleString('en')} earlier ${messages === 1 ? 'message' : 'messages'}`

export const RECALL_FAILED = 'Earlier messages could not be looked up'
export const WINDOW_NARROWED = 'Window narrowed for this turn to make room for recalled messages'

/** How much a request hides, and what may be spent on quotes; null if it hides nothing. */
export function hiddenWords({ hidden, balance }: RecallReceipt): string | null {
  if (hidden === 0) return null
  const spend = balance === undefined ? '' : ` · can spend ${Math.max(0, balance).toLocaleString('en')} on quotes`
  return `${hidden.toLocaleString('en')} tokens${spend}`
}

/** How many messages a reply saw. */
export function replySawWords(receipt: Pick<Receipt, 'seen' | 'in' | 'out'>): string {
  const { messages, of, folded = 0 } = seenIn(receipt)
  const summarized = folded === 0 ? '' : `, ${folded.toLocaleString('en')} summarized`
  if (unseenIn(receipt) > 0) return `Saw ${messages.toLocaleString('en')} of ${of.toLocaleString('en')} messages${summarized}`
  return messages <= 1 ? 'Saw your message' : `Saw all ${messages.toLocaleString('en')} messages`
}
