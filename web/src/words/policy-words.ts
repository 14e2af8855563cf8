import type { Policy, Window } from '../../../src/model/settings/policy.ts'
import { formatCount } from './words.ts'

/** What a voice sees under a policy, as sentences. */
export function policyWords(policy: Policy): string {
  const { view, window, references, stamps, render, thinking, budget } = policy
  return [
    windowWords(window),
    ...(view === 'own' ? ['A voice sees only what the person and it itself said.'] : []),
    ...(references === 'last-round' ? ['Beside the new message stands what the others said last.'] : []),
    ...(stamps ? ['Each of the person’s messages carries its time.'] : []),
    ...(render === 'transcript' ? ['All of it is sent as one text.'] : []),
    ...(thinking === 'never' ? ['Thinking is never sent back, not even within its turn.'] : []),
    budgetWords(budget),
  ].join(' ')
}

/** Which part of the past is sent, in one sentence. */
export function windowWords(window: Window): string {
  switch (window.kind) {
    case 'all':
      return 'Sends the whole conversation.'
    case 'last':
      return window.messages === 0
        ? 'Sends the new message alone.'
        : `Sends the ${window.messages === 1 ? 'last message' : `last ${formatCount(window.messages)} messages`} and the new one.`
    case 'head-tail':
      return `Sends everything up to ${messages(window.max)}; in a longer conversation ${headWords(window)}the last ${formatCount(window.recent)}, with a note between where more than ${formatCount(window.noteOver)} are left out.`
    case 'tokens': {
      const high = window.high === null ? 'half its budget (at most 60,000 tokens)' : `${formatCount(window.high)} tokens`
      const low = window.low === null ? 'half of that remains' : `${formatCount(window.low)} tokens remain`
      return `Sends everything until a request has ${high}; then drops the oldest turns at once until ${low}, so that prompt caches keep working.`
    }
  }
}

const messages = (many: number): string => (many === 1 ? 'one message' : `${formatCount(many)} messages`)

const headWords = ({ head }: { readonly head: number }): string =>
  head === 0 ? '' : `the ${head === 1 ? 'first message' : `first ${formatCount(head)}`} and `

function budgetWords({ tokens, reserve }: Policy['budget']): string {
  const most = tokens === null ? 'A request may fill the model’s window' : `A request may have ${formatCount(tokens)} tokens`
  if (reserve !== null) return `${most}; ${formatCount(reserve)} tokens are kept for the reply.`
  return `${most}, except what is kept for the reply: what the model can put out, at most 32,000 tokens.`
}

/** What becomes of one message of a long conversation. */
export type Fate = 'kept' | 'sometimes' | 'note' | 'out' | 'new'

/** A conversation that is long enough to show what every window does. */
const LONG = 40

/** A long conversation under a window, message by message; the last one is new. */
export function stripOf(window: Window): readonly Fate[] {
  const past = LONG - 1
  const of = (fate: Fate, many: number): readonly Fate[] => Array.from({ length: Math.max(0, many) }, () => fate)
  switch (window.kind) {
    case 'all':
      return [...of('kept', past), 'new']
    case 'last':
      return [...of('out', past - window.messages), ...of('kept', Math.min(past, window.messages)), 'new']
    case 'head-tail': {
      const left = past - window.head - window.recent
      if (past <= window.max || left <= 0) return [...of('kept', past), 'new']
      const note: readonly Fate[] = left > window.noteOver ? ['note'] : []
      return [...of('kept', window.head), ...note, ...of('out', left - note.length), ...of('kept', window.recent), 'new']
    }
    case 'tokens':
      // How many messages so many tokens are depends on the messages; only the shape can be drawn.
      return ['note', ...of('out', 14), ...of('sometimes', 12), ...of('kept', 12), 'new']
  }
}
