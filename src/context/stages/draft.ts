/** The shapes a conversation has on its way through the stages, and small facts about them that several stages need. */
import type { Attachment, Call, Part, ResultImage } from '../../model/event.ts'
import type { CallId, SessionId, TurnId } from '../../model/ids.ts'
import type { Aside, Material, PlanItem } from '../../model/plan.ts'
import type { OutReason } from '../../model/receipt.ts'
import type { VoiceId } from '../../model/voice.ts'

export type Heard = {
  readonly kind: 'heard'
  /** The seq of the reply during which it came. That reply had not heard it, so it is placed after it. */
  readonly after?: number
  readonly message: string
  readonly seq: number
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly tokens: number
  /** Only part of it is shown. */
  readonly isExcerpt?: true
}

export type Summary = {
  readonly kind: 'summary'
  readonly message: string
  readonly seq: number
  readonly through: number
  readonly text: string
  readonly tokens: number
}

export type CallAnswer = {
  readonly call: CallId
  readonly ok: boolean
  readonly text: string
  /** Its images, as far as they are shown; `tokens` counts them. */
  readonly images?: readonly ResultImage[]
  /** The seq and the tokens of its event; absent where no event settled the call. */
  readonly seq?: number
  readonly tokens?: number
}

/** One reply with every result it asked for. */
export type SaidBeat = {
  readonly kind: 'said'
  readonly message: string
  readonly seq: number
  /** The seq of the last result, or of the reply itself. */
  readonly to: number
  readonly turn: TurnId
  /** Whose words these are, where the start of the turn was read. */
  readonly voice: VoiceId | undefined
  readonly parts: readonly Part[]
  readonly answers: readonly CallAnswer[]
  readonly tokens: number
  /** It was cut off, and nothing that goes on with it has been said yet. */
  readonly isBroken?: boolean
  /** Every reply it is made of, where it was cut off and went on. */
  readonly replies?: readonly number[]
  /** Only part of the answer it belongs to is shown. */
  readonly isExcerpt?: true
  /** Tells the model, before the reply, how many steps of the turn are not shown. */
  readonly stepsNote?: string
}

/** The smallest thing a context keeps or loses whole. */
export type Beat = Heard | Summary | SaidBeat

/** Something that was said and is not sent. */
export type LeftOut = {
  readonly from: number
  readonly to: number
  /** The messages it belongs to, so that a line can count them as a person would. */
  readonly messages: readonly string[]
  /** Messages known only by their number. */
  readonly more?: number
  /** The seq of the summary that stands for them. */
  readonly fold?: number
  readonly reason: OutReason
}

/** A conversation on its way to becoming a plan. */
export type Draft = {
  readonly beats: readonly Beat[]
  /** What other voices said; heard at most as a reference. */
  readonly others: readonly SaidBeat[]
  readonly left: readonly LeftOut[]
}

/** Words of the house between the messages. */
export type Note = { readonly role: 'user' | 'assistant'; readonly text: string }

/** Tells the model how many messages are missing; the words stay the same until more are dropped. */
export const omittedNote = (omitted: number): Note => ({
  role: 'user',
  text: `[${omitted} earlier ${omitted === 1 ? 'message is' : 'messages are'} not shown.]`,
})

/** Tells the model how many steps of its own turn are missing. */
export const stepsNote = (steps: number): string =>
  `[${steps} earlier ${steps === 1 ? 'step of this turn is' : 'steps of this turn are'} not shown.]`

/** A draft in which everything has found its place. */
export type PlacedDraft = {
  readonly head: readonly Beat[]
  readonly note: Note | null
  readonly pins: readonly Beat[]
  readonly past: readonly Beat[]
  readonly current: readonly Beat[]
  readonly others: readonly SaidBeat[]
  readonly left: readonly LeftOut[]
  /** What people pinned in other chats, before everything else. */
  readonly pinned?: FrontBlock | null
  /** Summaries of what has left the window, after the head. */
  readonly folds?: FrontBlock | null
}

/** A bracketed text before the conversation; each of its parts has a line of its own on the receipt. */
export type FrontBlock = Pick<PlanItem, 'kind' | 'reason'> & { readonly text: string; readonly parts: readonly PlacedQuote[] }

/** A placed draft with the bracketed texts beside the new message. */
export type Aware = PlacedDraft & {
  readonly asides: readonly PlacedAside[]
  /** How many entries of a transcript the whole past would be; the first two versions counted events instead. */
  readonly entries?: number
}

/** An aside, with the events it quotes where it quotes any. */
export type PlacedAside = Aside & {
  readonly from?: number
  readonly to?: number
  /** What it quotes, where each quote has a line of its own on the receipt. */
  readonly quotes?: readonly PlacedQuote[]
}

/** One quoted message or summary: its first and last event, the line that is sent, and the text that it quotes. */
export type PlacedQuote = {
  /** The session that the message is from; absent for a summary. */
  readonly session?: SessionId
  readonly from: number
  readonly to: number
  readonly line: string
  readonly text: string
}

/** The texts that were gathered to go beside the new message, without blank ones. */
export const givenAsides = ({ asides }: Material): readonly PlacedAside[] => asides.filter(aside => aside.text.trim() !== '')

/** A text that may be left out if there is no room for it: Turnwise added it, it was not said in this session. */
export const isOptional = ({ reason, required }: Aside): boolean =>
  required === undefined && (reason === 'reference.last-round' || reason === 'recall.match')

/** The past was too long to be read whole, and no earlier request says where to begin. */
export const isPartlyRead = ({ begins, gaps, degraded, turn }: Material): boolean =>
  begins === null && gaps.length > 0 && degraded === null && turn.step === 1

/** What a person sees as one message: something received, or a turn's whole answer. */
export const messageOf = (beat: Beat): string => beat.message

/** The place of a beat: its own seq, or after the reply that was being said when it came. */
export const orderOf = (beat: Beat): number => (beat.kind === 'heard' && beat.after !== undefined ? beat.after + 0.5 : beat.seq)

export const endOf = (beat: Beat): number => (beat.kind === 'said' ? beat.to : beat.seq)

export const leftOut = (beat: Beat, reason: OutReason): LeftOut => ({
  from: beat.seq,
  to: endOf(beat),
  messages: [messageOf(beat)],
  reason,
})

/** The seqs by which a person may mark a beat. */
export const seqsOf = (beat: Beat): readonly number[] => (beat.kind === 'said' ? (beat.replies ?? [beat.seq]) : [beat.seq])

/** What every provider adds around a message, roughly. */
export const PER_MESSAGE = 4

/** A beat's tokens as it will be sent. */
export const weightOf = (beat: Beat): number =>
  beat.tokens +
  PER_MESSAGE * (beat.kind === 'said' ? 1 + Math.min(1, beat.answers.length) + (beat.stepsNote === undefined ? 0 : 1) : 1)

export const isCall = (part: Part): part is Call => part.type === 'call'
