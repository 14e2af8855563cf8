/** What a provider streams while it answers, and what followers hear beside events. */
import type { Fault } from '../fault.ts'
import type { CallId, TurnId } from '../ids.ts'
import type { CallExtra } from './call-extra.ts'

/** What a provider counted; `input` is without the cached part. */
export type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly costUsd?: number
}

/**
 * A fragment of a reply in flight, as a provider speaks it.
 * The last delta of every stream is `done` or `fault`; a stream that merely stops is itself a fault.
 */
export type Delta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  /** `call` opens with the tool's name; further deltas of the same call add to its arguments, and to what only its server understands. */
  | { readonly type: 'call'; readonly call: CallId; readonly tool: string; readonly text: string; readonly extra?: CallExtra }
  /** Closes the thinking before it with its provider's seal; only so can it be sent back within its turn. */
  | { readonly type: 'sealed'; readonly signature: string }
  /** Thinking that only its provider can read. */
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Nothing was said yet, and the request is sent once more after a pause. */
  | { readonly type: 'retrying'; readonly fault: Fault; readonly afterMs: number }
  /** `length`: the reply was cut at its limit. */
  | { readonly type: 'done'; readonly stop?: 'length' }
  /** `again`: asking once more may help, as long as nothing was said. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly again?: boolean }

/** A delta as followers hear it: where in the reply it belongs, so that joining pieces needs no guessing. */
export type HeardDelta = {
  readonly turn: TurnId
  readonly step: number
  readonly kind: 'text' | 'think' | 'call'
  readonly part: number
  /** UTF-16 units before this text within its part. */
  readonly offset: number
  readonly text: string
  readonly call?: CallId
  readonly tool?: string
}

/** Something worth telling followers that is not a fact of the conversation. */
export type Notice = {
  /**
   * `budget`: a reply is asked for that is shorter than usual, because no more money is left.
   * `window`: something of the conversation is no longer sent, or only a part.
   */
  readonly kind: 'degraded' | 'unsaved' | 'saved' | 'retrying' | 'truncated' | 'reloaded' | 'budget' | 'window'
  readonly message: string
  readonly turn?: TurnId
  /** How long it takes until something happens. */
  readonly afterMs?: number
}
