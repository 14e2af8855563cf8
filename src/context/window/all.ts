/** Window kind `all`: the whole conversation, until the budget is full. */
import type { Window } from '../../model/settings/policy.ts'
import { EVERYTHING, repeated, type WindowKind } from './window-kind.ts'

type All = Extract<Window, { kind: 'all' }>

export const wholePast: WindowKind<All> = window => ({
  whyRefused: () => undefined,
  tokenBounds: null,
  showsEverything: true,
  continuesFromLast: false,
  read: ({ turnBegan, tokens, cause, bounds: { limit }, enough, enoughOrLow }) => {
    // If the first step had to be shortened, later steps begin where it did: within a turn a request is only added to.
    if (turnBegan !== undefined && turnBegan !== null && turnBegan > 1) return { from: { seq: turnBegan } }
    return { from: tokens <= enough(limit) ? 'start' : { tokens: enoughOrLow(limit), before: cause } }
  },
  choose: () => EVERYTHING,
  smaller: () => window,
  asTranscript: () => window,
  words: {
    short: 'everything',
    sentence: 'Sends the whole conversation.',
    nearlyFull: 'older messages will be left out. Pin what must stay.',
  },
  picture: past => repeated('kept', past),
})
