/** The channels of the settings: what file and environment give together, and what is wrong with it. */
import type { Settings, TelegramSetting } from '../../model/settings/config.ts'
import { isLoopbackHost, whyForbidden } from '../../provider/transport/addresses.ts'
import { type Environment, isRecord, variableIn } from '../variables.ts'

/** The usual variable for a bot's token. */
export const TELEGRAM_TOKEN_NAME = 'TELEGRAM_BOT_TOKEN'

/**
 * Merges the channels of the file with the environment; they are not checked yet. A token in the environment opens no channel:
 * only a channel that the file names is opened. If the file names a variable that is not set, the bot has no token yet.
 */
export function givenChannels(written: unknown, read: unknown, environment: Environment): unknown {
  if (!isRecord(written) || !isRecord(read) || !isRecord(written.telegram) || !isRecord(read.telegram)) return read
  const { botToken: named } = written.telegram
  const { botToken, ...rest } = read.telegram
  const variable = variableIn(named)
  const isUnset = variable !== undefined && !environment[variable]
  const token = environment[TELEGRAM_TOKEN_NAME] || (isUnset ? undefined : botToken)
  return { ...read, telegram: { ...rest, ...(token === undefined ? {} : { botToken: token }) } }
}

/** Everything that is wrong with the channels, one line each. No line repeats a token. */
export function wrongWithChannels({ telegram }: Settings['channels']): readonly string[] {
  if (telegram === undefined) return []
  const { botToken, apiRoot } = telegram
  const lines = [
    ['botToken', botToken === undefined ? undefined : whyNoToken(botToken, apiRoot !== undefined)],
    ['apiRoot', apiRoot === undefined ? undefined : whyNoRoot(apiRoot)],
  ] as const
  return lines.flatMap(([key, why]) => (why === undefined ? [] : [`channels.telegram.${key}: ${why}`]))
}

/** A bot with its token and its address. */
export type Bot = { readonly token: string; readonly root: string; readonly chats: readonly number[] }

const TELEGRAM = 'https://api.telegram.org'

export const botOf = ({ botToken, apiRoot = TELEGRAM, chats }: TelegramSetting): Bot | undefined =>
  botToken === undefined ? undefined : { token: botToken, root: apiRoot.replace(/\/+$/, ''), chats }

/** A private server may use tokens of another form, as long as they fit into a URL. */
const whyNoToken = (token: string, isElsewhere: boolean): string | undefined =>
  (isElsewhere ? /^[\w:-]{1,200}$/ : /^\d{1,20}:[\w-]{1,100}$/).test(token)
    ? undefined
    : `is not the token of a bot, which is a number, a colon and letters; @BotFather gives one. Set ${TELEGRAM_TOKEN_NAME}, or write "$NAME" here`

function whyNoRoot(root: string): string | undefined {
  const url = URL.canParse(root) ? new URL(root) : undefined
  if (url === undefined || !/^https?:\/\//i.test(root)) return 'is not an address; write it as in "https://name:port"'
  if (url.username !== '' || url.password !== '' || /[?#]/.test(root))
    return 'has more in it than a place; write it as in "https://name:port"'
  const forbidden = whyForbidden(url)
  if (forbidden !== undefined) return forbidden
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return undefined
  return `the token would travel unencrypted to ${url.host}; use https://, or a tunnel to 127.0.0.1`
}
