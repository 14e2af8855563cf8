/** A policy: how a voice looks at a session, as settings write it. */
import type { FoldSetting } from '../fold.ts'
import type { RecallSetting } from '../recall.ts'

/** Which part of the past a voice looks at. What each kind does is in its file in `src/context/window/`. */
export type Window =
  | { readonly kind: 'all' }
  /** The last messages before the new one. */
  | { readonly kind: 'last'; readonly messages: number }
  /** Everything up to `max` messages; beyond that the first `head`, a note if more than `noteOver` are left out, and the last `recent`. */
  | {
      readonly kind: 'head-tail'
      readonly max: number
      readonly head: number
      readonly recent: number
      readonly noteOver: number
    }
  /** Grows until a whole request has `high` tokens, then drops whole turns until it has `low`; null follows from the budget. */
  | {
      readonly kind: 'tokens'
      readonly low: number | null
      readonly high: number | null
      /** Whether `high` grows where replies need more than the window shows. Only without numbers. */
      readonly follow?: boolean
    }

/** How a voice looks at a session: plain data, named and versioned. */
export type Policy<Shown extends { readonly kind: string } = Window> = {
  readonly name: string
  readonly version: number
  /** Everything that was said, or only what the person and the voice itself said. */
  readonly view: 'all' | 'own'
  readonly window: Shown
  /** Whether thinking is sent back within the turn it belongs to; it never is later. */
  readonly thinking: 'never' | 'current'
  /** Whether a person's messages carry the minute they were said. */
  readonly stamps: boolean
  /** What a voice hears of the others. */
  readonly references: 'none' | 'last-round'
  readonly render: 'messages' | 'transcript'
  /** How older messages that matter are quoted. Null, or absent in policies from before there was recall, turns it off. */
  readonly recall?: RecallSetting | null
  /** How what leaves the window is summarized. Null, or absent in policies from before there were folds, turns it off. */
  readonly fold?: FoldSetting | null
  readonly budget: {
    /** The most tokens of a request; null means the model's window less the reply's limit. */
    readonly tokens: number | null
    /** The reply's limit, kept free for it; null means what the model can put out. */
    readonly reserve: number | null
  }
}

export const policyLabel = (policy: Pick<Policy, 'name' | 'version'>): string => `${policy.name}@${policy.version}`
