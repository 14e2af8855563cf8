/** What a kind of window has to provide. Each kind is one file in this folder and one line in kinds.ts. */
import type { Material } from '../../model/plan.ts'
import type { Gap } from '../../model/receipt.ts'
import type { Policy, Window } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Bounds } from '../bounds.ts'
import type { Beat, Note } from '../stages/draft.ts'

/** A window as settings write it: its kind, and the fields of that kind. */
export type AnyWindow = { readonly kind: string }

/** A kind of window: given the fields of one window, the rules for it. */
export type WindowKind<Setting extends AnyWindow> = (window: Setting) => WindowRules<Setting | Window>

/** Everything the engine and its doors need to know about one window. */
export type WindowRules<Setting extends AnyWindow = AnyWindow> = {
  /** Why a policy with this window cannot work, or undefined if it can. */
  readonly whyRefused: (policy: Pick<Policy, 'budget' | 'render'>) => string | undefined
  /** For a window that grows and drops: the tokens of the past it grows to and drops to; null for one that counts messages. */
  readonly grows: Grows | null
  /** Its bounds change with what replies need. */
  readonly follows?: true
  /** Which part of the log to read: enough to choose from, with room for events that become no message. */
  readonly read: (reading: ReadingInput) => PartToRead
  /** Which messages of the past to send if they fit. A window that grows begins where the last request did, and asks nothing here. */
  readonly choose: (units: readonly Unit[], choosing: Choosing) => Choice
  /** The window for a second try, after a provider refused a request as too long: for requests of at most so many tokens. */
  readonly smaller: (tokens: number) => Setting
  /** The window that shows the same messages once the turn goes on as one transcript. */
  readonly asTranscript: () => Setting
  readonly words: WindowWords
  /** A long conversation under this window: what happens to each of so many messages before the new one. */
  readonly picture: (past: number) => readonly Fate[]
}

/** How many tokens of the past a window grows to, and how many it drops to. */
export type PastBounds = {
  readonly high: number
  readonly low: number
  /** The most tokens of the whole request, where the policy gives a number; the past alone is bounded otherwise. */
  readonly request?: number
  /** The part of the request that is used whenever there is that much to say, also if a drop then leaves more than `low`. */
  readonly leastOfLimit?: number
}

/** The bounds of the past in a request of at most `limit` tokens, of which `fixed` are system text, tools and the new message. */
export type Grows = (request: { readonly limit: number; readonly fixed: number }) => PastBounds

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
    | {
        readonly voice: VoiceId
        readonly policy: string
        readonly before: number
        readonly orTokens: number
        /** At least so many tokens, also where the last request began later. */
        readonly atLeast?: number
      }
  /** At least so many messages before the one that is answered, however long they are. */
  readonly least?: number
  readonly head?: { readonly messages: number; readonly least: number; readonly tokens: number }
}

/** One message of the past as a person counts them: something received, or the whole answer of a turn. */
export type Unit = { readonly key: string; readonly beats: readonly Beat[] }

/** What a window is chosen by. */
export type Choosing = { readonly material: Material; readonly isTranscript: boolean }

/** Which messages of the past are sent: the first `head`, then a note, then everything from index `recent` on. */
export type Choice = {
  readonly head: number
  readonly recent: number
  /** The words about what is omitted; null for a window that says nothing of it. */
  readonly note: ((omitted: number) => Note) | null
  /** The note is left out where no more than this many are omitted, unless the budget took some of them. */
  readonly noteOver?: number
  /** How many messages of the beginning stay where the budget cuts what would else be sent whole. */
  readonly headIfCut?: number
}

export const EVERYTHING: Choice = { head: 0, recent: 0, note: null }

/** An excerpt is at most this part of a request: so many messages may be sent in part. */
export const EXCERPTS = 8

/** How many messages to read for a window of so many: blank and failed ones fill no window. */
export const withSpare = (messages: number): number => messages * 2 + 8

export const unreadMessages = (gaps: readonly Gap[]): number => gaps.reduce((sum, gap) => sum + gap.messages, 0)

/** How many messages that were not read the voice could have heard. */
export const hearableMessages = (gaps: readonly Gap[]): number =>
  gaps.reduce((sum, gap) => sum + (gap.hearable ?? gap.messages), 0)

/** The last messages are read however long they are: the last exchange, with room for what becomes no message. */
export const LEAST_READ = 6

export const formatNumber = (value: number): string => value.toLocaleString('en')

export const repeated = (fate: Fate, many: number): readonly Fate[] => Array.from({ length: Math.max(0, many) }, () => fate)

export const NOT_FOR_TRANSCRIPTS = 'a transcript has a window of kind "all" or "last"'
