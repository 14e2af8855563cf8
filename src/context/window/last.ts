/** Window kind `last`: so many messages before the new one. */
import type { Window } from '../../model/settings/policy.ts'
import { lastEntries } from './transcript-entries.ts'
import { lastExchange, pinnedIn } from './units.ts'
import { EXCERPTS, formatNumber, LEAST_READ, repeated, type Unit, type WindowKind, withSpare } from './window-kind.ts'

type Last = Extract<Window, { kind: 'last' }>

export const last: WindowKind<Last> = window => ({
  whyRefused: () => (window.messages < 0 ? 'window.messages must not be negative' : undefined),
  grows: null,
  // Of messages that are too long for the request, only parts are sent, so more of them may be needed than fit whole.
  read: ({ cause, bounds: { limit }, enough }) => ({
    from: { tokens: enough(limit) * EXCERPTS, before: cause, messages: withSpare(window.messages) },
    least: Math.min(LEAST_READ, withSpare(window.messages)),
  }),
  choose: (units, { isTranscript, material }) => {
    const counted = isTranscript ? lastEntries(units, window.messages) : Math.max(0, units.length - window.messages)
    // The last exchange is sent, even if it alone has more entries than a transcript counts.
    const recent = window.messages < 2 ? counted : Math.min(counted, lastExchange(units))
    const isPinned = pinnedIn(material)
    // An answer whose question is gone is not sent, so it takes no room from the others.
    const isSent = (unit: Unit): boolean => unit.beats[0]?.kind !== 'said' || isPinned(unit)
    const first = isTranscript ? recent : units.findIndex((unit, index) => index >= recent && isSent(unit))
    return { head: 0, recent: first === -1 ? units.length : first, note: null }
  },
  smaller: () => window,
  // A transcript counts entries, not messages, so everything that was read for the first request is shown.
  asTranscript: () => ({ kind: 'all' }),
  words: {
    short: `the last ${formatNumber(window.messages)} ${window.messages === 1 ? 'message' : 'messages'} and the new one`,
    sentence: sentenceOf(window),
    nearlyFull:
      'this policy sends only the last messages; if they grow too long, the oldest of them will be left out. Pin what must stay.',
  },
  picture: past => [...repeated('out', past - window.messages), ...repeated('kept', Math.min(past, window.messages))],
})

function sentenceOf({ messages }: Last): string {
  if (messages === 0) return 'Sends the new message alone.'
  return `Sends the ${messages === 1 ? 'last message' : `last ${formatNumber(messages)} messages`} and the new one.`
}
