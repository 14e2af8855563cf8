import type { RunFacts } from '../../../src/model/approval.ts'
import type { EndReason, Exchange, Mark, Took } from '../../../src/model/event.ts'
import type { Fault } from '../../../src/model/fault.ts'
import type { Notice, Usage } from '../../../src/model/message/delta.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import type { SynthesisMode } from '../../../src/model/settings/council.ts'

/** What became of a tool call. */
export type Run =
  | { readonly state: 'asked' | 'running' }
  /** A person is asked; `argv` is exactly what would be run. */
  | { readonly state: 'waits'; readonly approval: string; readonly argv: readonly string[]; readonly facts: RunFacts }
  | {
      readonly state: 'settled'
      readonly ok: boolean
      readonly outcome: string
      readonly content: string
      readonly ms: number
      /** What was run in the end, where a resolver worked out a part of it. */
      readonly argv?: readonly string[]
    }

export type ViewPart =
  | { readonly type: 'text' | 'think'; readonly text: string }
  /** `args` is text: what has arrived of it while the call streams, readable JSON afterwards. */
  | { readonly type: 'call'; readonly call: string; readonly tool: string; readonly args: string; readonly run: Run }

/** One model call of a turn. `open` may still be added to; what is `finished` or `broken` is as it stands in the log. */
export type Step = {
  readonly step: number
  /** Where its reply stands in the log; null until it does. */
  readonly seq: number | null
  readonly mark: Mark | null
  readonly state: 'open' | 'finished' | 'broken'
  readonly parts: readonly ViewPart[]
  readonly receipt: Receipt | null
  readonly usage: Usage | null
  readonly fault: Fault | null
  /** It reached the limit of its length. */
  readonly stop?: 'length'
  /** As the gateway measured it; absent until it has, and in logs from before it did. */
  readonly took?: Took
  /** When this page heard it think, in milliseconds since 1970; absent where it did not listen then. */
  readonly thought?: { readonly from: number; readonly to: number }
}

export type Ending = {
  readonly reason: EndReason
  readonly fault: Fault | null
  /** When the provider would be asked again, in milliseconds since 1970, where it said so. */
  readonly retryAt?: number
}

/** A file that came with a message. */
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
  /** Absent where it brought none. */
  readonly files?: readonly FileChip[]
  readonly from: string
  /** Heard by these alone; absent where everybody hears it. */
  readonly to?: readonly string[]
  /** Which round among advisors it begins, where nobody but the house said it. */
  readonly exchange?: Exchange
  /** Said while a turn ran, and no request has heard it yet. */
  readonly waits?: true
  readonly mark: Mark | null
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

/** Something about the conversation that nobody said. */
export type LineEntry = {
  readonly kind: 'line'
  readonly seq: number
  readonly what: 'folded' | 'damaged'
  readonly text: string
}

export type Entry = MessageEntry | ReplyEntry | LineEntry

/** Where the newest request began to look, how many messages before that it was not given, and whose request it was. */
export type Boundary = { readonly begins: number; readonly left: number; readonly voice: string; readonly turn: string }

/** A notice, and when this page heard it. */
export type HeardNotice = Notice & { readonly heard?: number }

/** A session as it is shown: a fold of everything heard so far. */
export type View = {
  /** The seq of the last event heard; where a reconnect goes on. */
  readonly cursor: number
  readonly entries: readonly Entry[]
  /** Turns that have not ended, oldest first. */
  readonly running: readonly string[]
  readonly notices: readonly HeardNotice[]
  /** How many messages no request has heard yet. */
  readonly waiting: number
  /** Null while everything said is sent. */
  readonly boundary: Boundary | null
}

export const EMPTY_VIEW: View = { cursor: 0, entries: [], running: [], notices: [], waiting: 0, boundary: null }
