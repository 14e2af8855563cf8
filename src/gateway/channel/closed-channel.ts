/** A channel as the gateway uses it, and one that is closed: not set up, or without what it needs to run. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import type { Pairing } from './pairing.ts'

/** `Id` is how the channel's settings and its API write a chat. */
export type ChannelStatus<Id = string> = {
  /** Whether it listens: the channel answers, and so does the log. */
  readonly running: boolean
  /** Our name there, once the channel has said it. */
  readonly bot: string | null
  readonly chats: readonly { readonly id: Id; readonly source: 'settings' | 'paired'; readonly session: string | null }[]
  /** Codes that are not used yet. */
  readonly pairings: number
  readonly trouble?: string
}

export type Channel<Id = string> = {
  readonly start: () => void
  readonly status: () => ChannelStatus<Id>
  /** Makes a code that lets one more chat in. */
  readonly pair: () => Promise<Result<Pairing, Fault>>
  /** Takes a paired chat off the list. */
  readonly forget: (chat: Id) => Promise<Result<null, Fault>>
  readonly trouble: () => string | undefined
  /** Takes nothing more, sends what is ready, and closes after this time at the latest. */
  readonly stop: (graceMs?: number) => Promise<void>
}

/** Says why it is closed to everyone who asks. With `onTrouble` the operator should mend it, and gets the line at the start. */
export function closedChannel<Id>(why: string, onTrouble?: (line: string) => void): Channel<Id> {
  const closed = fault('conflict', why)
  return {
    start: () => onTrouble?.(why),
    status: () => ({ running: false, bot: null, chats: [], pairings: 0, trouble: why }),
    pair: async () => err(closed),
    forget: async () => err(closed),
    trouble: () => (onTrouble === undefined ? undefined : why),
    stop: async () => {},
  }
}

export const inSettings = (channel: string, chat: string): Fault =>
  fault('conflict', `chat ${chat} is in the settings; take it out of channels.${channel}.chats`)

export const notPaired = (chat: string): Fault => fault('not-found', `chat ${chat} is not paired`)
