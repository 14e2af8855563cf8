/** Opens the channels that the settings name; a new channel is one more line here. */
import type { Engine } from '../engine.ts'
import type { Settings, TelegramSetting } from '../model/settings/config.ts'
import type { Channel } from './channel/closed-channel.ts'

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
async function openTelegram(setting: TelegramSetting, host: ChannelHost): Promise<Channel<number>> {
  const { createTelegramChannel } = await import('./telegram/telegram-channel.ts')
  return createTelegramChannel({ ...host, setting })
}
