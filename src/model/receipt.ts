/** A receipt: what is in a request, what was left out, and why. */
import type { ReceiptId, SessionId } from './ids.ts'
import type { Abilities, Stretch } from './plan.ts'
import type { RecallFound, RecallQuote, RecallSetting } from './recall.ts'
import type { Sampling } from './sampling.ts'
import type { VoiceId } from './voice.ts'

export type InReason =
  | 'system.agent'
  | 'system.agents-md'
  | 'system.project'
  | 'skill.full'
  | 'skill.listed'
  | 'system.phase'
  | 'tools.schema'
  | 'head.first'
  | 'note.omitted'
  | 'note.turn'
  | 'note.clock'
  | 'pin.person'
  | 'recent.window'
  | 'recent.excerpt'
  | 'summary.folded'
  | 'recall.match'
  | 'reference.last-round'
  | 'current.message'
  | 'current.cycle'

export type OutReason =
  | 'out.window'
  | 'out.budget'
  | 'out.excluded'
  | 'out.other-voice'
  | 'out.thinking'
  | 'out.failed-turn'
  | 'out.duplicate'
  | 'out.malformed'
  | 'out.folded'
  | 'out.store-unavailable'

/** Neighbours with one kind and one reason share a line, so a receipt is short however long the past. */
export type InLine = {
  readonly kind: 'system' | 'tools' | 'note' | 'summary' | 'message' | 'recall' | 'reference' | 'current'
  readonly from?: number
  readonly to?: number
  /** Messages that begin on this line, as a person would count them. */
  readonly count?: number
  readonly role?: 'user' | 'assistant'
  readonly tokens: number
  readonly reason: InReason
  readonly source?: string
  /** The session that a recalled message is from. */
  readonly session?: SessionId
  readonly hash: string
}

export type OutLine = { readonly from?: number; readonly to?: number; readonly count: number; readonly reason: OutReason }

/** Everything that is not in the log and yet shaped the request, by hash where it is text: enough to build it again. */
export type ReceiptInputs = {
  readonly turn: string
  readonly cause: number
  readonly ordinal: number
  readonly wire: string
  /** The version of the assembly that built the request; absent on receipts from before there was a second one. */
  readonly assembly?: number
  readonly window: number
  /** The most a reply of the model may have, where that was known. */
  readonly output?: number
  readonly thinking: boolean
  /** Sampling as the request, the session and the agent set it; absent if none of them did. */
  readonly sampling?: Sampling
  /** Absent on old receipts, which did not record what a model can do. */
  readonly abilities?: Abilities
  readonly policy: string
  readonly system: readonly { readonly source: string; readonly reason: string; readonly hash: string }[]
  readonly tools: string
  /** Replaces the skills if their full text takes too much. Absent if the request has no skills in full. */
  readonly listed?: {
    readonly text: string
    readonly tools: string
    /** The skills are listed as soon as their full text takes more than a quarter of the request. */
    readonly isAuto?: true
  }
  readonly asides: readonly {
    readonly kind: string
    readonly reason: string
    readonly hash: string
    readonly required?: readonly Stretch[]
  }[]
  /** The audience of the message that caused the turn; absent if it was for all. */
  readonly to?: readonly string[]
  /** The names of the voices that may be quoted. */
  readonly voices: string
  /** Where the last request of this voice and policy began. */
  readonly begins: number | null
  /** Marks made after this seq do not count for this turn. */
  readonly marksThrough: number
  /** How much the request before it showed, where it goes on from one: of the turn before, or of the step before. */
  readonly last?: WindowState
  /** The turn began without its history, and went on so. */
  readonly isBare?: boolean
  /** The request that this one goes on from, word for word, and the instruction behind it: how a fold reads the cache. */
  readonly after?: { readonly turn: string; readonly step: number; readonly instruction: string }
  /** What was looked up, under a policy that recalls. */
  readonly recall?: RecallInputs
  /** What was not read, because the policy cannot use it or the store did not answer. */
  readonly gaps: readonly Gap[]
}

/** By which rules messages were looked up, in what, for which words, and what recall had to spend before. */
export type RecallInputs = {
  readonly rules: string
  /** Absent where nothing was looked up. */
  readonly found?: Pick<RecallFound, 'indexedThrough' | 'vectors' | 'terms'>
  readonly budget: RecallSetting['tokens']
  /** Where else it was looked up, and in how many chats; absent if only in the session. */
  readonly from?: { readonly from: RecallSetting['from']; readonly chats: number }
  readonly balance?: number
  /** Why nothing could be looked up. */
  readonly failed?: string
}

/** What recall did for a request. All tokens are as the model counts them. */
export type RecallReceipt = {
  /** How many messages are quoted, in how many tokens, of at most so many. */
  readonly messages: number
  readonly tokens: number
  readonly most: number
  /** Tokens of the conversation that the request does not show. */
  readonly hidden: number
  /** The new message asks about something that the window does not show. */
  readonly looksBack: boolean
  /** What recall may spend later: hiding the past saves, quotes and cut windows cost. Absent where a policy gives a number. */
  readonly balance?: number
  /** The most tokens that request and window were built with: needed to build them again. */
  readonly limits: readonly [request: number, window: number]
  /** Why nothing could be recalled. */
  readonly failed?: string
}

/** A stretch of a session that was not read, and how many messages begin in it. */
export type Gap = {
  readonly from: number
  readonly to: number
  readonly messages: number
  /**
   * How many of those messages the voice could have heard, without those that are excluded, failed, malformed or pinned: the
   * number that a note gives. Absent on receipts from before notes counted so.
   */
  readonly hearable?: number
}

/** How much of the past and of the running turn a request shows. The next request of the same voice and policy goes on from it. */
export type WindowState = {
  /** The seq of the first message that is shown after head, note and pins; null if nothing is. */
  readonly begins: number | null
  /** Messages of the past that are shown in part. Decided at a drop, the same bytes until the next one. */
  readonly excerpts?: readonly Excerpt[]
  /** How many messages of the beginning are shown, under a policy that shows some. */
  readonly head?: number
  /** The budget took something that the policy would have sent. */
  readonly cut?: true
  /** Pinned messages that did not fit, by seq. */
  readonly unpinned?: readonly number[]
  /** The folds that are shown, by the seqs of their events, oldest first. Chosen at a drop. */
  readonly folds?: readonly number[]
  /** Messages that a person pinned in other chats, as they are shown. */
  readonly pinned?: readonly RecallQuote[]
  /** How the window follows what the conversation needs, under a policy that lets it. */
  readonly follow?: FollowState
  /** Results of tools that are shown in part, by the seq of their event. Decided when they were first shown. */
  readonly results?: readonly Excerpt[]
  /** Steps of a turn that are not shown, because the turn grew too long. */
  readonly hidden?: readonly HiddenSteps[]
  /** Replies of the running turn up to this seq are sent without their thinking. */
  readonly thoughtless?: number
  /** Earlier messages that are quoted beside the new one. Decided at the first step of a turn. */
  readonly recalled?: readonly RecallQuote[]
  /** For this turn the window is only its last part, from `shows` on; the next turn goes on from `begins`. */
  readonly narrowed?: true
  readonly shows?: number
  /** The most tokens of each answer that the reference quotes; 0 if it has none. Decided at the first step of a turn. */
  readonly quoted?: number
}

/** How large a window has become by what replies needed, and from what that follows. */
export type FollowState = {
  /** By how much its `high` is multiplied; 1 at first. */
  readonly times: number
  /** How many words of each of the last turns' replies came from beyond the window, newest last; at most twenty. */
  readonly beyond: readonly number[]
  /** Replies up to this seq are counted. */
  readonly through: number
  /** Why the size changed with this request, or why it did not although replies needed more. */
  readonly reason?: 'grown' | 'shrunk' | 'limit' | 'balance'
}

/** Something that is shown in part: its seq, and the most tokens, as we count, that are shown. */
export type Excerpt = { readonly seq: number; readonly tokens: number }

/** Steps of one turn that are not shown: from their first reply through their last result, and how many steps they are. */
export type HiddenSteps = { readonly from: number; readonly through: number; readonly steps: number }

/** How many messages a voice sees, whole or in part, of all that it could see; the new one is among them. */
export type SeenCount = {
  readonly messages: number
  readonly of: number
  /** How many of the others are under a fold that it sees. */
  readonly folded?: number
}

/** What had to give way so that a request fits, in the order in which it did. */
export type Rung = 'asides' | 'thinking' | 'history' | 'skills' | 'required'

/** What assembly can say by itself; digest, id and inputs are added where the bytes are made. */
export type ReceiptDraft = {
  readonly through: number
  readonly window: WindowState
  /** Absent on receipts from before it was counted. */
  readonly seen?: SeenCount
  readonly policy: string
  readonly model: string
  readonly voice: VoiceId
  readonly tokens: {
    readonly estimated: number
    /** What the provider counted; null until the reply is there. */
    readonly reported: number | null
    readonly cached: number | null
    readonly factor: number
    readonly limit: number
    readonly reserved: number
    /** How much of the estimate is images and PDF files, which every provider counts in its own way. */
    readonly files?: number
  }
  /** What recall did, under a policy that recalls. */
  readonly recall?: RecallReceipt
  /** What of the sampling was sent: with an effort that the model has, and without what it never takes. */
  readonly sampling?: Sampling
  readonly degraded: { readonly reason: string } | null
  readonly ladder: readonly Rung[]
  readonly in: readonly InLine[]
  readonly out: readonly OutLine[]
}

/** What a provider's prompt cache can reuse: items up to `stableThrough`, until `brokenBy`. */
export type CacheLint = {
  /** The seq of the last item that is the same as in the request before; null if not even the first one is. */
  readonly stableThrough: number | null
  /** The share of this request's bytes that the one before began with. */
  readonly stableShare: number
  /** The first item that differs and why it is there; null when the last request was only added to. */
  readonly brokenBy: { readonly item: string; readonly reason: string } | null
}

/** The account of one request: what went in, what stayed out, and why. */
export type Receipt = ReceiptDraft & {
  /** Null for a dry run, which is not kept. */
  readonly id: ReceiptId | null
  /** Of the exact bytes of the request body. */
  readonly digest: string
  /** How much of the last request of this voice this one begins with; null where there is none to compare with. */
  readonly cache: CacheLint | null
  readonly timings: { readonly readMs: number; readonly assembleMs: number }
  /** How many words of the reply came from beyond the window; known once the reply is there. */
  readonly beyond?: number
  /** The model saw much less than was sent; known once the reply is there. */
  readonly truncated?: { readonly sent: number; readonly seen: number }
  readonly inputs: ReceiptInputs
}
