// The items that reading a file gives: sessions, facts, remarks.
import type { Fact } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import { fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'

/** The formats that can be imported, named after the programs that write them. */
export const IMPORT_FORMATS = ['turnwise', 'port42', 'space', 'chatgpt', 'claude', 'openai'] as const

export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** What a reader finds in a file, in the order of the file. */
export type ArchiveItem =
  /** Begins a session. The items that follow belong to it, up to the next session. */
  | { readonly type: 'session'; readonly session: FoundSession }
  | FoundFact
  | { readonly type: 'text'; readonly hash: string; readonly text: string }
  /** Tells the person what the import left out or changed. */
  | { readonly type: 'remark'; readonly message: string }

/** A fact with its weight in tokens. The weight is always counted here and never taken from the file. */
export type FoundFact = {
  readonly type: 'fact'
  readonly fact: Fact
  readonly at: string
  readonly tokens: number
  readonly messages: number
}

export type FoundSession = {
  /** Only our own archive has a session id of ours. */
  readonly id?: SessionId
  /** Only in our own archive: the session as it was exported. */
  readonly kept?: Session
  readonly title: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** The agent's name, as the file gives it. */
  readonly agent?: string
  readonly advisors?: readonly FoundAdvisor[]
  readonly archived?: boolean
  readonly origin: ImportFormat
}

export type FoundAdvisor = { readonly id: string; readonly name: string }

/** The file cannot be read, or not any further. The message begins with the place. */
export class BadFile extends Error {
  readonly fault: Fault

  constructor(why: Fault) {
    super(why.message)
    this.name = 'BadFile'
    this.fault = why
  }
}

export const badFile = (message: string): BadFile => new BadFile(fault('invalid', message))
