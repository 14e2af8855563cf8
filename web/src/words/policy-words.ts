/** What a policy does, as the page says it. */
import { windowRules } from '../../../src/context/window/kinds.ts'
import type { Fate } from '../../../src/context/window/window-kind.ts'
import type { FoldSetting } from '../../../src/model/fold.ts'
import type { RecallSetting } from '../../../src/model/recall.ts'
import type { Policy, Window } from '../../../src/model/settings/policy.ts'
import { formatCount } from './words.ts'

/** What a voice sees under a policy, as sentences. */
export function policyWords(policy: Policy): string {
  const { view, window, references, stamps, render, thinking, recall, fold, budget } = policy
  return [
    windowWords(window),
    ...(view === 'own' ? ['A voice sees only what the person and it itself said.'] : []),
    ...(recall === undefined || recall === null ? [] : [`${recallWords(recall)}.`]),
    ...(fold === undefined || fold === null ? [] : [`${foldWords(fold)}.`]),
    ...(references === 'last-round' ? ['Beside the new message stands what the others said last.'] : []),
    ...(stamps ? ['Each of the person’s messages carries its time.'] : []),
    ...(render === 'transcript' ? ['All of it is sent as one text.'] : []),
    ...(thinking === 'never' ? ['Thinking is never sent back, not even within its turn.'] : []),
    budgetWords(budget),
  ].join(' ')
}

/** Which part of the past is sent, in one sentence. */
export const windowWords = (window: Window): string => windowRules(window).words.sentence

/** What a policy quotes of the messages that it hides. */
const recallWords = ({ tokens, from }: RecallSetting): string =>
  `${
    tokens === 'auto'
      ? 'Quotes older messages that match, paid from what hiding the past saves'
      : `Quotes up to ${formatCount(tokens)} tokens of older messages`
  }${{ session: '', project: ', also from other chats of the project', everywhere: ', also from all other chats' }[from]}`

/** How what leaves the window is summarized. */
function foldWords({ by, tokens }: FoldSetting): string {
  const most = tokens === 'auto' ? '' : `, in at most ${formatCount(tokens)} tokens each`
  if (by === 'extract') return `What leaves the window is summarized by sentences taken word for word${most}`
  return `What leaves the window is summarized${by === 'model' ? ' by the model' : ''}${most}`
}

function budgetWords({ tokens, reserve }: Policy['budget']): string {
  const most = tokens === null ? 'A request may fill the model’s window' : `A request may have ${formatCount(tokens)} tokens`
  if (reserve !== null) return `${most}; ${formatCount(reserve)} tokens are kept for the reply.`
  return `${most}, except what is kept for the reply: what the model can put out, at most 32,000 tokens.`
}

/** A conversation that is long enough to show what every window does. */
const LONG = 40

/** A long conversation under a window, message by message; the last one is new. */
export const stripOf = (window: Window): readonly Fate[] => [...windowRules(window).picture(LONG - 1), 'new']
