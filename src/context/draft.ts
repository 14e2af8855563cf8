import type { Call } from '../model/event.ts'
import type { CallId, TurnId } from '../model/ids.ts'
import type { OutReason } from '../model/receipt.ts'

export type Heard = { readonly kind: 'heard'; readonly seq: number; readonly text: string; readonly tokens: number }

export type Summary = {
  readonly kind: 'summary'
  readonly seq: number
  readonly through: number
  readonly text: string
  readonly tokens: number
}

export type Answer = { readonly call: CallId; readonly ok: boolean; readonly text: string }

/** One reply with every result it asked for. */
export type Said = {
  readonly kind: 'said'
  readonly seq: number
  /** The seq of the last result, or of the reply itself. */
  readonly to: number
  readonly turn: TurnId
  readonly parts: readonly ({ readonly type: 'text'; readonly text: string } | Call)[]
  readonly answers: readonly Answer[]
  readonly tokens: number
}

/** The smallest thing a context keeps or loses whole. */
export type Beat = Heard | Summary | Said

/** Something that was said and is not sent. */
export type LeftOut = {
  readonly from: number
  readonly to: number
  /** The messages it belongs to, so that a line can count them as a person would. */
  readonly messages: readonly string[]
  /** Messages known only by their number, because they were not read. */
  readonly unread?: number
  readonly reason: OutReason
}

/** A conversation on its way to becoming a plan. */
export type Draft = { readonly beats: readonly Beat[]; readonly left: readonly LeftOut[] }

/** What a person sees as one message: something received, or a turn's whole answer. */
export const messageOf = (beat: Beat): string => (beat.kind === 'said' ? `turn ${beat.turn}` : `${beat.kind} ${beat.seq}`)

/** Takes out the beats that `why` gives a reason for, and writes each of them down. */
export function leaveOut(draft: Draft, why: (beat: Beat) => OutReason | undefined): Draft {
  const beats: Beat[] = []
  const left: LeftOut[] = [...draft.left]
  for (const beat of draft.beats) {
    const reason = why(beat)
    if (reason === undefined) beats.push(beat)
    else left.push({ from: beat.seq, to: beat.kind === 'said' ? beat.to : beat.seq, messages: [messageOf(beat)], reason })
  }
  return { beats, left }
}
