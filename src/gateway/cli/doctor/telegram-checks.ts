// Checks the Telegram bot of the settings.
import { botOf, TELEGRAM_TOKEN_NAME } from '../../workspace/channels.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../output/phrase.ts'
import type { HealthCheck } from './checks.ts'

const ANSWER_MS = 3000

/**
 * Checks the bot of the settings: whether it has a token, whether Telegram knows it, and whether any chat may talk to it. Sends
 * a request only if the bot is set up.
 */
export async function telegramChecks({ settings }: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const name = 'Telegram'
  const setting = settings.channels.telegram
  if (setting === undefined) {
    const remedy = 'name it in turnwise.json to open that door: "channels": { "telegram": {} }'
    return environment[TELEGRAM_TOKEN_NAME]
      ? [{ name, state: 'warn', found: `not set up, though ${TELEGRAM_TOKEN_NAME} is set`, remedy }]
      : [{ name, state: 'ok', found: 'not set up' }]
  }
  const bot = botOf(setting)
  if (bot === undefined)
    return [{ name, state: 'warn', found: 'the bot has no token', remedy: `set ${TELEGRAM_TOKEN_NAME}; @BotFather gives one` }]
  const { createBotApi } = await import('../../telegram/bot-api.ts')
  const me = await createBotApi({ ...bot, abort: new AbortController().signal }).me(ANSWER_MS)
  if (!me.ok) {
    const remedy =
      me.fault.kind === 'unauthorized' || me.fault.kind === 'not-found'
        ? `ask @BotFather for a token and set ${TELEGRAM_TOKEN_NAME}`
        : 'check the network, and channels.telegram.apiRoot'
    return [{ name, state: 'warn', found: me.fault.message, remedy }]
  }
  const found = `@${me.value.username} answers, ${counted(bot.chats.length, 'chat')} in the settings`
  if (bot.chats.length > 0) return [{ name, state: 'ok', found }]
  return [{ name, state: 'ok', found, remedy: 'the bot answers no chat until one is paired: "turnwise telegram pair"' }]
}
