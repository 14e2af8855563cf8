/** A toy kind of window outside `src/`: the first messages of a conversation, as if it had ended there. */
import type { WindowKind } from '../../src/context/index.ts'

export type Opening = { readonly kind: 'opening'; readonly messages: number }

export const opening: WindowKind<Opening> = window => ({
  whyRefused: () => (window.messages < 1 ? 'window.messages must be at least 1' : undefined),
  grows: null,
  read: ({ cause, bounds: { limit }, enough }) => ({
    head: { messages: window.messages * 2, least: window.messages, tokens: enough(limit) },
    from: { seq: cause },
  }),
  choose: units => ({ head: Math.min(window.messages, units.length), recent: units.length, note: null }),
  smaller: () => ({ ...window, messages: Math.ceil(window.messages / 2) }),
  asTranscript: () => window,
  words: {
    short: `the first ${window.messages} messages and the new one`,
    sentence: `Sends the first ${window.messages} messages and the new one.`,
    nearlyFull: 'the opening is too long for this model.',
  },
  picture: past => Array.from({ length: past }, (_, index) => (index < window.messages ? 'kept' : 'out')),
})
