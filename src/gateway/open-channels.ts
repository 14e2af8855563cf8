/** Opens the channels that the settings name; a new channel is one more line here. */
import type { Engine } from '../engine.ts'
import type { Leases } from '../log/open-store.ts'
import type { Settings, TelegramSetting } from '../model/settings/config.ts'
import type { Channel } from './channel/closed-channel.ts'
import { oneNodeChannel } from './channel/one-node-channel.ts'
import { botOf } from './workspace/channels.ts'

export type Channels = {
  /** The Telegram channel, for which the HTTP API has routes. */
  readonly telegram?: Channel<number>
  readonly start: () => void
  /** What an operator should fix, one line for each channel with trouble. */
  readonly troubles: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** What a channel needs from the gateway. */
type ChannelHost = {
  readonly engine: Engine
  readonly onTrouble: (line: string) => void
  readonly onBug: (cause: unknown) => void
  /** Where several nodes share the store: one of them runs each channel. */
  readonly leases?: Leases | undefined
  /** How long a channel stays with a node that says nothing any more. */
  readonly leaseMs?: number | undefined
}

export async function openChannels(settings: Settings['channels'], host: ChannelHost): Promise<Channels> {
  const telegram = settings.telegram === undefined ? undefined : await openTelegram(settings.telegram, host)
  const all = [telegram].filter(channel => channel !== undefined)
  return {
    ...(telegram === undefined ? {} : { telegram }),
    start: () => {
      for (const channel of all) channel.start()
    },
    troubles: () => all.map(({ trouble }) => trouble()).filter(line => line !== undefined),
    stop: async () => {
      await Promise.all(all.map(({ stop }) => stop()))
    },
  }
}

/** Loads the library that speaks to Telegram only for a workspace that uses it. */
async function openTelegram(setting: TelegramSetting, { leases, leaseMs, ...host }: ChannelHost): Promise<Channel<number>> {
  const { createTelegramChannel } = await import('./telegram/telegram-channel.ts')
  // A bot without a token runs nowhere, and every node says so.
  const bot = botOf(setting)
  if (leases === undefined || bot === undefined) return createTelegramChannel({ ...host, setting })
  return oneNodeChannel({
    ...host,
    ...{ leases, name: 'telegram', title: 'Telegram', chats: bot.chats, pace: leaseMs === undefined ? {} : { leaseMs } },
    make: (isMine, pairings) => createTelegramChannel({ ...host, setting, isMine, pairings }),
  })
}
