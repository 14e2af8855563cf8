/** The session as the page shows it: a fold of everything heard so far. */
import type { EndReason, Exchange, Mark, Reach } from '../../../src/model/event.ts'
import type { Fault } from '../../../src/model/fault.ts'
import type { Notice } from '../../../src/model/message/delta.ts'
import type { SynthesisMode } from '../../../src/model/settings/council.ts'
import type { PartView, StepView } from '../../../src/model/turn-view/step-view.ts'
import { type FoldsView, NO_FOLDS } from './folds.ts'

export type { Run } from '../../../src/model/turn-view/step-view.ts'

export type ViewPart = PartView

/** Where a pin counts beyond its own chat. */
export type WiderReach = Exclude<Reach, 'session'>

/** One model call of a turn, with what only this page knows about it. */
export type Step = StepView & {
  readonly mark: Mark | null
  /** Where its pin counts, if that is more than this chat. */
  readonly reach?: WiderReach
  /** When this page heard it think, in milliseconds since 1970; absent where it did not listen then. */
  readonly thought?: { readonly from: number; readonly to: number }
}

export type Ending = {
  readonly reason: EndReason
  readonly fault: Fault | null
  /** When the provider would be asked again, in milliseconds since 1970, where it said so. */
  readonly retryAt?: number
}

/** A file that came with a message or a result. */
export type FileChip = {
  readonly kind: 'image' | 'file'
  readonly name: string
  readonly mediaType: string
  /** Under which its bytes are kept; a text file has its words instead. */
  readonly hash?: string
  readonly text?: string
}

export type MessageEntry = {
  readonly kind: 'message'
  readonly seq: number
  readonly at: string
  readonly text: string
  /** Absent if it has no files. */
  readonly files?: readonly FileChip[]
  readonly from: string
  /** Only these voices hear it; absent if every voice does. */
  readonly to?: readonly string[]
  /** Which round among advisors it begins, if the gateway wrote the message. */
  readonly exchange?: Exchange
  /** Said while a turn ran, and no request has heard it yet. */
  readonly waits?: true
  readonly mark: Mark | null
  /** Where its pin counts, if that is more than this chat. */
  readonly reach?: WiderReach
}

/** A stretch of a turn without a message in between; a turn that was spoken into has several. */
export type ReplyEntry = {
  readonly kind: 'reply'
  readonly seq: number
  readonly at: string
  readonly turn: string
  readonly voice: string
  /** The message it answers. */
  readonly cause: number
  /** How the voice was called then, where the log says so. */
  readonly name: string | null
  /** What kind of synthesis it is, if it is one. */
  readonly mode: SynthesisMode | null
  /** A later turn goes on with it. */
  readonly resumed: boolean
  readonly steps: readonly Step[]
  /** Null while this stretch is the one that may still grow; `'continued'` when a later stretch took over. */
  readonly end: Ending | 'continued' | null
}

/** A note about the conversation that is not a message. */
export type LineEntry = {
  readonly kind: 'line'
  readonly seq: number
  /** Why an event can no longer be read. */
  readonly text: string
}

export type ViewEntry = MessageEntry | ReplyEntry | LineEntry

/** Where the newest request begins, how many messages it leaves out, and which voice sent it. */
export type Boundary = {
  readonly begins: number
  readonly left: number
  /** How many of those are quoted; absent if none is. */
  readonly quoted?: number
  /** How many of the others are summarized; absent if none is. */
  readonly folded?: number
  readonly voice: string
  readonly turn: string
  readonly model: string
}

/** By seq: messages that the newest request has in part, and pinned ones that did not fit in it. */
export type NotWhole = { readonly excerpts: readonly number[]; readonly unpinned: readonly number[] }

export const ALL_WHOLE: NotWhole = { excerpts: [], unpinned: [] }

/** A notice, and when this page heard it. */
export type HeardNotice = Notice & { readonly heard?: number }

/** A session as it is shown: a fold of everything heard so far. */
export type View = {
  /** The seq of the last event heard; where a reconnect goes on. */
  readonly cursor: number
  readonly entries: readonly ViewEntry[]
  /** Turns that have not ended, oldest first. */
  readonly running: readonly string[]
  readonly notices: readonly HeardNotice[]
  /** How many messages no request has heard yet. */
  readonly waiting: number
  /** Null while everything said is sent. */
  readonly boundary: Boundary | null
  readonly notWhole: NotWhole
  readonly folds: FoldsView
}

export const EMPTY_VIEW: View = {
  cursor: 0,
  entries: [],
  running: [],
  notices: [],
  waiting: 0,
  boundary: null,
  notWhole: ALL_WHOLE,
  folds: NO_FOLDS,
}
