// The items that reading a file gives: sessions, facts, remarks.
import type { Fact } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import { fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'

/** The files that are understood, by who writes them. */
export const IMPORT_FORMATS = ['turnwise', 'port42', 'space', 'chatgpt', 'claude', 'openai'] as const

export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** What a file holds, in its order. */
export type ArchiveItem =
  /** Begins a session; what follows is its, up to the next one. */
  | { readonly type: 'session'; readonly session: FoundSession }
  | FoundFact
  | { readonly type: 'text'; readonly hash: string; readonly text: string }
  /** Something that was left out or changed, said to the person. */
  | { readonly type: 'remark'; readonly message: string }

/** Weighed here, whatever the file says of it. */
export type FoundFact = {
  readonly type: 'fact'
  readonly fact: Fact
  readonly at: string
  readonly tokens: number
  readonly messages: number
}

export type FoundSession = {
  /** Only our own archive has one of ours. */
  readonly id?: SessionId
  /** Our own archive: the session as it was exported. */
  readonly kept?: Session
  readonly title: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** As the file names it. */
  readonly agent?: string
  readonly advisors?: readonly FoundAdvisor[]
  readonly archived?: boolean
  readonly origin: ImportFormat
}

export type FoundAdvisor = { readonly id: string; readonly name: string }

/** The file cannot be read, or not further; the message begins with the place. */
export class BadFile extends Error {
  readonly fault: Fault

  constructor(why: Fault) {
    super(why.message)
    this.name = 'BadFile'
    this.fault = why
  }
}

export const badFile = (message: string): BadFile => new BadFile(fault('invalid', message))
