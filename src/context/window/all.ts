/** Window kind `all`: the whole conversation; where it is too long, it grows to the limit and drops whole turns at once. */
import type { Window } from '../../model/settings/policy.ts'
import { omittedNote } from '../stages/draft.ts'
import { LEAST_READ, repeated, type WindowKind } from './window-kind.ts'

type All = Extract<Window, { kind: 'all' }>

/** What a drop leaves of the room, so that the requests until the next drop begin alike. */
const DROPS_TO = 0.6

/** At least half of a request is used whenever there is that much to say; a little more, since texts are weighed one by one. */
const LEAST_USED = 0.55

export const wholePast: WindowKind<All> = window => ({
  whyRefused: () => undefined,
  grows: ({ limit, fixed }) => ({ high: limit - fixed, low: Math.floor((limit - fixed) * DROPS_TO), leastOfLimit: LEAST_USED }),
  read: ({ voice, policy, turnBegan, began, tokens, cause, bounds: { limit }, enough, enoughOrLow }) => {
    if (tokens <= enough(limit)) return { from: 'start' }
    const seq = turnBegan ?? began
    if (seq !== undefined) return { from: { seq }, least: LEAST_READ }
    return { from: { voice, policy, before: cause, orTokens: enoughOrLow(limit), atLeast: enough(limit / 2) }, least: LEAST_READ }
  },
  choose: () => ({ head: 0, recent: 0, note: omittedNote }),
  smaller: () => window,
  asTranscript: () => window,
  words: {
    short: 'everything',
    sentence: 'Sends the whole conversation; once it no longer fits, as many of the latest turns as do.',
    nearlyFull: 'soon the oldest turns will be left out, several at once. Pin what must stay.',
  },
  picture: past => repeated('kept', past),
})
