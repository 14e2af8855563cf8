/** The messages between the thread that answers and the one that keeps the recall index. */
import type { RecallState, RecallStore } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { RecallFound } from '../../model/recall.ts'
import type { Result } from '../../model/result.ts'
import type { EncodedIndex } from './fill/encode-messages.ts'
import type { EventSource, EventsAt, FilledIndex } from './fill/fill-index.ts'
import type { RecallQuery } from './look-up/look-up.ts'

export type RecallThreadSettings = {
  /** Where the word vectors are; null for words alone. */
  readonly vectorsFile: string | null
  /** The encoder to use, if one was switched on. */
  readonly encoder: string | null
}

/** What the index can be asked for. */
export type RecallRequest =
  /** By which rules and vectors rows are made now. */
  | { readonly type: 'made' }
  | { readonly type: 'fill'; readonly session: SessionId; readonly limit: number }
  | { readonly type: 'encode'; readonly session: SessionId }
  /** Other sessions are read only so long; those that are in memory by then are asked. */
  | { readonly type: 'look'; readonly session: SessionId; readonly query: RecallQuery; readonly withinMs: number }
  /** Reads the words of sessions that are asked beside others. */
  | { readonly type: 'warm'; readonly sessions: readonly SessionId[] }

export type Made = Pick<RecallState, 'version' | 'vectors'>

export type RecallAnswer = Made | EncodedIndex | FilledIndex | RecallFound

/** What the thread needs of the store. */
export type StoreMethod = keyof RecallStore | keyof EventSource | keyof EventsAt

export type FromRecallThread =
  | { readonly type: 'call'; readonly call: number; readonly method: StoreMethod; readonly args: readonly unknown[] }
  | { readonly type: 'answer'; readonly id: number; readonly result: Result<RecallAnswer, Fault> }

export type ForRecallThread =
  | { readonly type: 'result'; readonly call: number; readonly result: Result<unknown, Fault> }
  | { readonly type: 'ask'; readonly id: number; readonly request: RecallRequest }
