import type { Policy } from '../model/policy.ts'

/** Kept free for the reply unless a policy says otherwise. */
export const DEFAULT_RESERVE = 4096

/** The policies that come with the house, by name. */
export const presets: Readonly<Record<string, Policy>> = {
  /** The whole conversation, until the model's window is full. */
  full: { name: 'full', version: 1, window: { kind: 'all' }, budget: { tokens: null, reserve: DEFAULT_RESERVE } },
  /** The last five messages and the new one. */
  recent: {
    name: 'recent',
    version: 1,
    window: { kind: 'last', messages: 5 },
    budget: { tokens: null, reserve: DEFAULT_RESERVE },
  },
}
