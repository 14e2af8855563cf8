/** Recall: older messages that matter for the new one and are quoted beside it. */
import type { Recorded } from './event.ts'
import type { SessionId } from './ids.ts'
import type { RecallInputs, RecallReceipt, WindowState } from './receipt.ts'

/** How a policy recalls: at most so many tokens of quotes, or as many as hiding the past has paid for. */
export type RecallSetting = { readonly tokens: number | 'auto'; readonly from: RecallFrom }

/** Where messages are looked up: in the session alone, in all sessions of its project too, or in every session. */
export type RecallFrom = 'session' | 'project' | 'everywhere'

/** The wider of two. */
export const wider = (a: RecallFrom, b: RecallFrom): RecallFrom => (RECALL_FROM.indexOf(a) < RECALL_FROM.indexOf(b) ? b : a)

export const RECALL_FROM: readonly RecallFrom[] = ['session', 'project', 'everywhere']

/** A chat that a quote or a pin comes from, as it was called when it was quoted. */
export type SourceChat = { readonly session: SessionId; readonly title: string }

/** The rules by which messages are found and chosen; receipts name them. */
export const RECALL_RULES = 'recall@1'

/** A stretch of one of a message's texts: the index of the text, and where the stretch begins and ends in it. */
export type TextSlice = readonly [text: number, from: number, to: number]

/** A message that the index found, with how well it answers the new one. */
export type Candidate = {
  /** The events it is made of, in order: a received message, or the replies and results of an answer. */
  readonly seqs: readonly number[]
  /** Who said it, as it is quoted; null where the text itself begins with the name. */
  readonly author: string | null
  readonly score: number
  /** How well its own words match, compared with the other candidates. */
  readonly match: number
  /** It has a word of the question, a related one, or an author or day that the question names. */
  readonly isRelated: boolean
  /** Its tokens, as they were counted when it was said. */
  readonly tokens: number
  /** Its passages, best first; only of a message that is too long to be quoted whole. */
  readonly passages?: readonly TextSlice[]
  /** The other chat that it was said in; absent if it was said here. */
  readonly chat?: SourceChat
}

/** What a look-up in the index gives. */
export type RecallFound = {
  /** The index was filled up to this seq, or the new message came next. */
  readonly indexedThrough: number
  /** The hash of the word vectors that were used; null if words alone were compared. */
  readonly vectors: string | null
  /** The words that were looked for. */
  readonly terms: readonly string[]
  /** The new message begins like a question about the past. */
  readonly asksAboutPast: boolean
  /** Tokens of all indexed messages that the voice could see, and how many of them are answers of its own. */
  readonly tokens: number
  readonly answers: number
  /** In how many other chats it was looked up, and how many tokens of theirs the voice could see; absent if only this one was asked. */
  readonly elsewhere?: { readonly chats: number; readonly tokens: number }
  readonly candidates: readonly Candidate[]
}

/** A quote as a request has it: which events it quotes, by whom, and which parts of a long message. */
export type RecallQuote = Pick<Candidate, 'seqs' | 'author' | 'chat'> & { readonly slices?: readonly TextSlice[] }

/** What assembly may know of the past beyond what it reads: found for this turn, or chosen before. */
export type RecallMaterial = {
  /** The session whose messages are quoted. */
  readonly session: SessionId
  /** Absent where nothing was looked up: at a later step, when a request is built again, or because the look-up failed. */
  readonly found?: RecallFound
  /** Why nothing could be looked up. */
  readonly failed?: string
  /** What recall may spend before this turn; absent where no request has counted it yet. */
  readonly balance?: number
  /** What was decided before: the quotes of an earlier step, or of the request that is built again. */
  readonly chosen?: Pick<WindowState, 'recalled' | 'shows'> & { readonly receipt: RecallReceipt }
  /** The events of all messages of the session that are or may be quoted. */
  readonly events: readonly Recorded[]
  /** Where else it was looked up. */
  readonly from?: RecallInputs['from']
  /** The events of messages of other chats, each with its own session. */
  readonly elsewhere?: readonly Recorded[]
}
