/** The Telegram channel of a workspace, made of its settings; closed where the bot has no token. */
import type { Engine } from '../../engine.ts'
import type { TelegramSetting } from '../../model/settings/config.ts'
import { createChannel } from '../channel/channel.ts'
import { type Channel, closedChannel } from '../channel/closed-channel.ts'
import type { Pairings } from '../channel/pairing.ts'
import { botOf, TELEGRAM_TOKEN_NAME } from '../workspace/channels.ts'
import { PACE, type TelegramPace } from './pace.ts'
import { createTelegramAdapter } from './telegram-adapter.ts'

export type TelegramOptions = {
  readonly engine: Engine
  readonly setting: TelegramSetting
  /** Gets a line for everything that an operator should know, once. */
  readonly onTrouble: (line: string) => void
  readonly onBug: (cause: unknown) => void
  readonly pace?: Partial<TelegramPace>
  readonly clock?: () => number
  /** Where several nodes share the channel: whether this one may still act. */
  readonly isMine?: () => boolean
  /** The codes that let chats in, where all nodes find them. */
  readonly pairings?: Pairings
}

const NO_TOKEN = `Telegram: the bot has no token; set ${TELEGRAM_TOKEN_NAME}, or channels.telegram.botToken`

/** Settings and our API write the id of a chat as Telegram does: as a number. */
export function createTelegramChannel({ setting, pace, ...rest }: TelegramOptions): Channel<number> {
  const bot = botOf(setting)
  if (bot === undefined) return closedChannel(NO_TOKEN, rest.onTrouble)
  const channel = createChannel({
    ...rest,
    adapter: signals => createTelegramAdapter(bot, { ...PACE, ...pace }, signals),
    chats: bot.chats.map(String),
  })
  return {
    ...channel,
    status: () => {
      const status = channel.status()
      return { ...status, chats: status.chats.map(chat => ({ ...chat, id: Number(chat.id) })) }
    },
    forget: chat => channel.forget(String(chat)),
  }
}
