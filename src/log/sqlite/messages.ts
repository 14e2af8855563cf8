/** The messages between the main thread and the threads of the database, typed by the store's own operations. */

import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import type { SqlitePast } from './store/past.ts'
import type { SqliteStore } from './store/store.ts'

export type WorkerSettings = {
  readonly file: string
  readonly role: 'write' | 'read'
  readonly synchronous: 'FULL' | 'NORMAL'
  readonly isForCopy: boolean
}

/** The first message of a thread: whether it could open the file. */
export type Greeting = { readonly ready: true } | { readonly ready: false; readonly why: string }

/** Everything a thread can be asked for. The thread that writes answers all but `past` and `cells`. */
export type Operations = SqliteStore & SqlitePast
export type Operation = keyof Operations

/** What each operation takes, … */
export type Arguments = { readonly [Name in Operation]: Parameters<Operations[Name]> }
/** … and what it gives when nothing is wrong. */
export type Answers = {
  readonly [Name in Operation]: Extract<Awaited<ReturnType<Operations[Name]>>, { readonly ok: true }>['value']
}

export type ThreadRequest<Name extends Operation = Operation> = {
  readonly [Each in Name]: {
    readonly id: number
    readonly operation: Each
    readonly args: Arguments[Each]
    /** After this moment the caller has given up, so nothing may be written for it. */
    readonly deadline: number
  }
}[Name]

export type CloseRequest = { readonly id: number; readonly operation: 'close' }

/** The caller knows by the id which operation's answer this is. */
export type ThreadReply = { readonly id: number; readonly result: Result<unknown, Fault> }

/** Asks a thread for one of its operations. */
export type AskThread<Allowed extends Operation = Operation> = <Name extends Allowed>(
  operation: Name,
  ...args: Arguments[Name]
) => Promise<Result<Answers[Name], Fault>>

/** Asks the thread that writes. */
export type AskWriter = AskThread<keyof SqliteStore>
