/** Window kind `tokens`: grows until a request has `high` tokens, then drops whole turns at once until it has `low`. */
import type { Window } from '../../model/settings/policy.ts'
import { omittedNote } from '../stages/draft.ts'
import { formatNumber, LEAST_READ, NOT_FOR_TRANSCRIPTS, type PastBounds, repeated, type WindowKind } from './window-kind.ts'

type Tokens = Extract<Window, { kind: 'tokens' }>

export const growAndDrop: WindowKind<Tokens> = window => ({
  whyRefused: ({ render, budget }) => {
    if (render === 'transcript') return NOT_FOR_TRANSCRIPTS
    const { low, high, follow } = window
    if (follow === true && (low !== null || high !== null))
      return `window.follow must not be true beside window.${low === null ? 'high' : 'low'}: bounds with numbers stay as they are`
    if (low !== null && high !== null && low >= high) return `window: low ${low} must be less than high ${high}`
    if (high !== null && budget.tokens !== null && high > budget.tokens)
      return `window: high ${high} is more than budget.tokens ${budget.tokens}`
    return undefined
  },
  grows: request => pastBounds(window, request),
  ...(follows(window) ? { follows: true } : {}),
  read: ({ voice, policy, cause, turnBegan, began, bounds: { high }, enoughOrLow }) => {
    const seq = turnBegan ?? began
    const from = seq === undefined ? { voice, policy, before: cause, orTokens: enoughOrLow(high) } : { seq }
    return { from, least: LEAST_READ }
  },
  choose: () => ({ head: 0, recent: 0, note: omittedNote }),
  smaller: tokens => {
    const high = Math.min(window.high ?? tokens, tokens)
    return { kind: 'tokens', high, low: Math.min(window.low ?? high, Math.floor(high / 2)) }
  },
  asTranscript: () => window,
  words: {
    short: shortOf(window),
    sentence: sentenceOf(window),
    nearlyFull: 'soon the oldest turns will be left out, several at once. Pin what must stay.',
  },
  // How many messages so many tokens are depends on the messages, so this draws only the shape.
  picture: past => ['note', ...repeated('out', past - 25), ...repeated('sometimes', 12), ...repeated('kept', 12)],
})

const follows = ({ low, high, follow }: Tokens): boolean => follow === true && low === null && high === null

/** Beyond this a longer window costs more than it helps. */
const MOST_HIGH = 60_000

/** Where a policy gives numbers, they bound the whole request; else the past has bounds of its own, from the room it has. */
function pastBounds({ low, high }: Tokens, { limit, fixed }: { readonly limit: number; readonly fixed: number }): PastBounds {
  const room = limit - fixed
  if (low === null && high === null) {
    const most = Math.min(Math.floor(room * 0.75), MOST_HIGH)
    return { high: most, low: Math.floor(most / 3) }
  }
  const most = Math.min(high ?? Math.min(3 * (low ?? 0), limit), limit)
  return { high: most - fixed, low: Math.min(low ?? Math.floor(most / 3), most) - fixed, request: most }
}

function shortOf(window: Tokens): string {
  const { low, high } = window
  const most = high === null ? 'three quarters of its room' : `${formatNumber(high)} tokens`
  const least = low === null ? 'a third of that' : `${formatNumber(low)} tokens`
  return `grows to ${most}${follows(window) ? ', more where replies need it' : ''}, then drops whole turns down to ${least}`
}

function sentenceOf(window: Tokens): string {
  const { low, high } = window
  const needed = follows(window) ? ' Where replies use what it no longer shows, it grows by half at the next drop.' : ''
  const caches = `so that prompt caches keep working.${needed}`
  if (low === null && high === null)
    return `Sends everything until the conversation takes three quarters of the room (at most 60,000 tokens); then drops the oldest turns at once until a third of that remains, ${caches}`
  const most = high === null ? 'three times what a drop leaves' : `${formatNumber(high)} tokens`
  const least = low === null ? 'a third of that remains' : `${formatNumber(low)} tokens remain`
  return `Sends everything until a request has ${most}; then drops the oldest turns at once until ${least}, ${caches}`
}
