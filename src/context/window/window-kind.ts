/** What a kind of window has to provide. Each kind is one file in this folder and one line in kinds.ts. */
import type { Material } from '../../model/plan.ts'
import type { Gap } from '../../model/receipt.ts'
import type { Policy, Window } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Bounds } from '../bounds.ts'
import type { Beat, Note } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'

/** A window as settings write it: its kind, and the fields of that kind. */
export type AnyWindow = { readonly kind: string }

/** A kind of window: given the fields of one window, the rules for it. */
export type WindowKind<Setting extends AnyWindow> = (window: Setting) => WindowRules<Setting | Window>

/** Everything the engine and its doors need to know about one window. */
export type WindowRules<Setting extends AnyWindow = AnyWindow> = {
  /** Why a policy with this window cannot work, or undefined if it can. */
  readonly whyRefused: (policy: Pick<Policy, 'budget' | 'render'>) => string | undefined
  /** The tokens it grows to and drops to, each null where it follows from the budget; null for a window that counts messages. */
  readonly tokenBounds: TokenBounds | null
  /** It shows the whole past, so a past that is too long to read counts as a request that is too long. */
  readonly showsEverything: boolean
  /** Each request begins where the one before it began, so planning one means knowing the one before. */
  readonly continuesFromLast: boolean
  /** Which part of the log to read: enough to choose from, with room for events that become no message. */
  readonly read: (reading: ReadingInput) => PartToRead
  /** Which messages of the past to send. */
  readonly choose: (units: readonly Unit[], choosing: Choosing) => Choice
  /** The window for a second try, after a provider refused a request as too long: for requests of at most so many tokens. */
  readonly smaller: (tokens: number) => Setting
  /** The window that shows the same messages once the turn goes on as one transcript. */
  readonly asTranscript: () => Setting
  readonly words: WindowWords
  /** A long conversation under this window: what happens to each of so many messages before the new one. */
  readonly picture: (past: number) => readonly Fate[]
}

export type TokenBounds = { readonly low: number | null; readonly high: number | null }

/** How people read a window. */
export type WindowWords = {
  /** A few words for a list: "the last 5 messages and the new one". */
  readonly short: string
  /** The same as a sentence. */
  readonly sentence: string
  /** What happens when a request is nearly full. */
  readonly nearlyFull: string
}

/** What happens to one message of a long conversation. */
export type Fate = 'kept' | 'sometimes' | 'note' | 'out' | 'new'

/** What is known about a session before it is read. */
export type ReadingInput = {
  readonly voice: VoiceId
  /** The policy's name and version, as receipts have it. */
  readonly policy: string
  /** The seq of the message that the turn answers. */
  readonly cause: number
  /** Tokens of everything in the log. */
  readonly tokens: number
  /** Where the first request of this turn began; null if it showed everything, undefined if there was none. */
  readonly turnBegan: number | null | undefined
  /** Where the request before this turn began, if the caller knows better than the log. */
  readonly began: number | undefined
  readonly bounds: Bounds
  /** How many tokens to read for a request of so many tokens, with room to spare. */
  readonly enough: (tokens: number) => number
  /** The same, but only enough for `low` where there is more than that: the window will drop to `low` anyway. */
  readonly enoughOrLow: (tokens: number) => number
}

/** The part of the log to read, as the log's own query words it. */
export type PartToRead = {
  readonly from:
    | 'start'
    | { readonly messages: number; readonly tokens: number; readonly before: number }
    | { readonly tokens: number; readonly before: number }
    | { readonly seq: number }
    | { readonly voice: VoiceId; readonly policy: string; readonly before: number; readonly orTokens: number }
  readonly head?: { readonly messages: number; readonly least: number; readonly tokens: number }
}

/** One message of the past as a person counts them: something received, or the whole answer of a turn. */
export type Unit = { readonly key: string; readonly beats: readonly Beat[] }

/** What a window is chosen by. */
export type Choosing = {
  /** The running turn, which is always sent. */
  readonly current: readonly Beat[]
  readonly material: Material
  readonly measure: Measure
  readonly bounds: Bounds
  readonly isTranscript: boolean
  readonly isPinned: (unit: Unit) => boolean
}

/** Which messages of the past are sent: the first `head`, then a note, then everything from index `recent` on. */
export type Choice = { readonly head: number; readonly recent: number; readonly note: ((omitted: number) => Note) | null }

export const EVERYTHING: Choice = { head: 0, recent: 0, note: null }

/** How many messages to read for a window of so many: blank and failed ones fill no window. */
export const withSpare = (messages: number): number => messages * 2 + 8

export const unreadMessages = (gaps: readonly Gap[]): number => gaps.reduce((sum, gap) => sum + gap.messages, 0)

export const formatNumber = (value: number): string => value.toLocaleString('en')

export const repeated = (fate: Fate, many: number): readonly Fate[] => Array.from({ length: Math.max(0, many) }, () => fate)

export const NOT_FOR_TRANSCRIPTS = 'a transcript has a window of kind "all" or "last"'
