/** Turns a failed Bot API call into a fault that can be logged: it repeats no address, because addresses contain the token. */
import { GrammyError, HttpError } from 'grammy'
import { type Fault, fault } from '../../model/fault.ts'

export function botApiFault(cause: unknown, token: string, isStopped: boolean): Fault {
  if (isStopped) return fault('cancelled', 'the door to Telegram is closed')
  if (cause instanceof GrammyError) return refusalOf(cause, token)
  if (!(cause instanceof HttpError)) throw cause
  const { name, type, code } = (cause.error ?? {}) as { readonly name?: string; readonly type?: string; readonly code?: string }
  if (name === 'AbortError' || type === 'aborted') return fault('timeout', 'Telegram did not answer in time')
  if (type === 'invalid-json') return fault('overloaded', 'Telegram gave an answer that cannot be read')
  return fault('unreachable', `Telegram cannot be reached${code === undefined ? '' : ` (${code})`}`)
}

/** A text of Telegram's may repeat the token. */
const withoutToken = (text: string, token: string): string => text.replaceAll(token, '…')

function refusalOf({ error_code: code, description, parameters }: GrammyError, token: string): Fault {
  const said = withoutToken(description ?? 'no reason is given', token)
  switch (code) {
    case 404:
      return fault(
        'not-found',
        'Telegram knows no such bot, or no such call; check TELEGRAM_BOT_TOKEN and channels.telegram.apiRoot',
      )
    case 401:
      return fault('unauthorized', 'Telegram does not know this bot’s token; ask @BotFather for one and set TELEGRAM_BOT_TOKEN')
    case 403:
      return fault('denied', `Telegram refuses: ${said}`)
    case 409:
      return fault('conflict', 'another program asks for this bot’s messages; stop it, or take away its webhook')
    case 429:
      return fault('throttled', 'Telegram asks for patience', Math.max(1, parameters.retry_after ?? 1) * 1000)
    default:
      return code >= 500
        ? fault('overloaded', `Telegram is in trouble (${code})`)
        : fault('rejected', `Telegram refuses: ${said}`)
  }
}
