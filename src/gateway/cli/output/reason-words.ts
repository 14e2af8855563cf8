// Words for the reasons on a receipt.
import type { InReason, OutReason } from '../../../model/receipt.ts'

export const IN_WORDS: Readonly<Record<InReason, string>> = {
  'system.agent': 'the agent',
  'system.agents-md': 'house text',
  'system.project': 'the project',
  'system.phase': 'the phase',
  'skill.full': 'a skill',
  'skill.listed': 'skills by name',
  'tools.schema': 'tools',
  'head.first': 'first messages',
  'note.omitted': 'note on what is omitted',
  'note.turn': 'note on the turn',
  'note.clock': 'the time',
  'pin.person': 'pinned',
  'recent.window': 'conversation',
  'recent.excerpt': 'excerpts of long messages',
  'summary.folded': 'summary',
  'recall.match': 'recalled',
  'reference.last-round': 'the others',
  'current.message': 'new message',
  'current.cycle': 'this turn so far',
}

export const OUT_WORDS: Readonly<Record<OutReason, string>> = {
  'out.window': 'before the window',
  'out.budget': 'over the budget',
  'out.excluded': 'kept out by a person',
  'out.other-voice': 'of another voice',
  'out.thinking': 'thinking',
  'out.failed-turn': 'failed turns',
  'out.duplicate': 'said twice',
  'out.malformed': 'unreadable',
  'out.folded': 'in the summary',
  'out.store-unavailable': 'could not be read',
}

/** A reason from a log of another version is shown as it is. */
export const reasonWords = (reason: string): string => ({ ...IN_WORDS, ...OUT_WORDS })[reason as InReason | OutReason] ?? reason
