import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import type { Pairing } from './pairing.ts'

/** How the door stands, for whoever asks. */
export type TelegramStatus = {
  /** Whether it listens: Telegram answers, and so does the store. */
  readonly running: boolean
  /** The name of the bot, once Telegram has said it. */
  readonly bot: string | null
  readonly chats: readonly { readonly id: number; readonly source: 'settings' | 'paired'; readonly session: string | null }[]
  /** Codes that wait to be said. */
  readonly pairings: number
  readonly trouble?: string
}

/** The door to Telegram; closed, it still says why. */
export type TelegramDoor = {
  readonly start: () => void
  readonly status: () => TelegramStatus
  readonly pair: () => Result<Pairing, Fault>
  /** Takes a paired chat off the list. */
  readonly forget: (chat: number) => Promise<Result<null, Fault>>
  readonly trouble: () => string | undefined
  /** Takes nothing more, lets go out what is ready, and is closed after so long at most. */
  readonly stop: (graceMs?: number) => Promise<void>
}

const NOT_SET = 'Telegram is not set up: turnwise.json has no channels.telegram; docs/telegram.md says how'

/** A door that nobody asked for, or that has no key and says so. */
export function closedDoor(trouble?: string, onTrouble: (line: string) => void = () => {}): TelegramDoor {
  const why = fault('conflict', trouble ?? NOT_SET)
  return {
    start: () => (trouble === undefined ? undefined : onTrouble(trouble)),
    status: () => ({ running: false, bot: null, chats: [], pairings: 0, trouble: why.message }),
    pair: () => err(why),
    forget: async () => err(why),
    trouble: () => trouble,
    stop: async () => {},
  }
}
