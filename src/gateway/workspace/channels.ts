/** The channels of the settings: what file and environment give together, and what is wrong with it. */
import type { Settings, TelegramSetting } from '../../model/settings/config.ts'
import { isLoopbackHost, whyForbidden } from '../../provider/transport/addresses.ts'
import { type Environment, isRecord, variableIn } from '../variables.ts'

/** The variable that a bot's token is usually kept in. */
export const TELEGRAM_TOKEN_NAME = 'TELEGRAM_BOT_TOKEN'

/**
 * The channels of file and environment together, not checked yet. A token in the environment opens no channel by itself: only a
 * channel that the file names is opened. Where the variable that the file names is unset, the bot has no token yet.
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

/** Everything that is wrong with the channels, a line each; no line repeats a token. */
export function wrongWithChannels({ telegram }: Settings['channels']): readonly string[] {
  if (telegram === undefined) return []
  const { botToken, apiRoot } = telegram
  const lines = [
    ['botToken', botToken === undefined ? undefined : whyNoToken(botToken, apiRoot !== undefined)],
    ['apiRoot', apiRoot === undefined ? undefined : whyNoRoot(apiRoot)],
  ] as const
  return lines.flatMap(([key, why]) => (why === undefined ? [] : [`channels.telegram.${key}: ${why}`]))
}

/** A bot that has its token, as it is reached. */
export type Bot = { readonly token: string; readonly root: string; readonly chats: readonly number[] }

const TELEGRAM = 'https://api.telegram.org'

export const botOf = ({ botToken, apiRoot = TELEGRAM, chats }: TelegramSetting): Bot | undefined =>
  botToken === undefined ? undefined : { token: botToken, root: apiRoot.replace(/\/+$/, ''), chats }

/** A server of one's own may give tokens of another form, as long as they can stand in an address. */
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
