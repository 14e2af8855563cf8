/** The policies that Turnwise brings, by name. */
import type { FoldSetting } from '../model/fold.ts'
import type { RecallSetting } from '../model/recall.ts'
import type { Policy } from '../model/settings/policy.ts'

/** What every preset starts from: everything, once, in the provider's own messages. */
const PLAIN: Omit<Policy, 'name'> = {
  version: 1,
  view: 'all',
  window: { kind: 'all' },
  thinking: 'current',
  stamps: false,
  references: 'none',
  render: 'messages',
  budget: { tokens: null, reserve: null },
}

/** Quotes what hiding the past has paid for. */
const RECALL: RecallSetting = { tokens: 'auto', from: 'session' }

/** Summarizes what leaves the window, before it does. */
const FOLDS: FoldSetting = { by: 'auto', tokens: 'auto' }

/** Bounds that follow from the room, and from what replies need. */
const GROWING: Policy['window'] = { kind: 'tokens', low: null, high: null, follow: true }

/** The policies that come with the house, by name. */
export const presets: Readonly<Record<PresetName, Policy>> = {
  /** Grows, then drops whole turns at once, so that providers' prompt caches hit. */
  steady: { ...PLAIN, name: 'steady', window: GROWING, recall: RECALL, fold: FOLDS },
  /** The last five messages and the new one. */
  recent: { ...PLAIN, name: 'recent', window: { kind: 'last', messages: 5 } },
  /** The first two messages, a note, and the last seventeen. */
  'head-tail': { ...PLAIN, name: 'head-tail', window: { kind: 'head-tail', max: 20, head: 2, recent: 17, noteOver: 10 } },
  /** The whole conversation. */
  full: { ...PLAIN, name: 'full', recall: RECALL },
  /** One text: the last twenty entries of what was said, and the running cycle. */
  transcript: { ...PLAIN, name: 'transcript', window: { kind: 'last', messages: 20 }, render: 'transcript' },
  /** Several voices, each with its own past, and a reference to what the others said last. */
  council: {
    ...PLAIN,
    name: 'council',
    view: 'own',
    window: GROWING,
    stamps: true,
    references: 'last-round',
    recall: RECALL,
    fold: FOLDS,
  },
}

export type PresetName = 'steady' | 'recent' | 'head-tail' | 'full' | 'transcript' | 'council'

/** The same policy as it was before there was memory: no recall, no folds, and a window that does not follow. */
export function withoutMemory(policy: Policy): Policy {
  const { follow: _, ...window } = policy.window.kind === 'tokens' ? policy.window : { ...policy.window, follow: undefined }
  return { ...policy, window, recall: null, fold: null }
}
