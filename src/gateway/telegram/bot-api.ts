/** The calls of the Bot API that this channel makes; each gives an answer, or a fault that never has the token in it. */
import { Api } from 'grammy'
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { MenuCommand, Place, SendOptions } from '../channel/adapter.ts'
import { plain, type RichText } from '../channel/text/rich-text.ts'
import { botApiFault } from './faults.ts'

export type BotApi = {
  /** The bot as Telegram knows it. It has no name if a self-hosted server gives none. */
  readonly me: (withinMs?: number) => Promise<Result<{ readonly username: string }, Fault>>
  readonly commands: (list: readonly MenuCommand[]) => Promise<Result<null, Fault>>
  /** The updates from `offset` on, which confirms all before it. Waits this long for the first. */
  readonly updates: (offset: number | undefined, waitSeconds: number) => Promise<Result<readonly unknown[], Fault>>
  readonly send: (place: Place, text: RichText, sending?: SendOptions) => Promise<Result<string, Fault>>
  readonly edit: (place: Place, message: string, text: RichText, sending?: SendOptions) => Promise<Result<null, Fault>>
  readonly remove: (place: Place, message: string) => Promise<Result<null, Fault>>
  readonly typing: (place: Place) => Promise<Result<null, Fault>>
  /** Tells the phone that a press was heard, perhaps with a few words. */
  readonly pressed: (id: string, words?: string) => Promise<Result<null, Fault>>
  readonly file: (id: string, mostBytes: number) => Promise<Result<Buffer, Fault>>
}

export type BotApiOptions = { readonly token: string; readonly root: string; readonly abort: AbortSignal }

const CALL_MS = 15_000
const FILE_MS = 60_000
const ALLOWED_UPDATES = ['message', 'callback_query'] as const

const meSchema = z.object({ username: z.string() }).catch({ username: '' })
const updatesSchema = z.array(z.unknown())
const sentSchema = z.object({ message_id: z.int() })

export function createBotApi({ token, root, abort }: BotApiOptions): BotApi {
  const api = new Api(token, { apiRoot: root })
  const call = async <Value>(ms: number, make: (signal: Signal) => Promise<Value>): Promise<Result<Value, Fault>> => {
    try {
      return ok(await make(AbortSignal.any([abort, AbortSignal.timeout(ms)]) as Signal))
    } catch (cause) {
      return err(botApiFault(cause, token, abort.aborted))
    }
  }
  const done = async (made: Promise<Result<unknown, Fault>>): Promise<Result<null, Fault>> => {
    const result = await made
    return result.ok ? ok(null) : result
  }
  const sendOnce = async (place: Place, text: RichText, sending: SendOptions): Promise<Result<string, Fault>> => {
    const { replyTo } = sending
    const reply =
      replyTo === undefined ? {} : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }
    const more = { ...rest(text, sending), ...topicOf(place), ...reply }
    const sent = await call(CALL_MS, signal => api.sendMessage(Number(place.chat), text.text, more, signal))
    const read = sentSchema.safeParse(sent.ok ? sent.value : undefined)
    // A message without an id was sent all the same: sent again, people would see it twice.
    return sent.ok ? (read.success ? ok(String(read.data.message_id)) : err(NO_NUMBER)) : sent
  }
  const editOnce = async (place: Place, message: string, text: RichText, sending: SendOptions): Promise<Result<null, Fault>> => {
    const edited = await call(CALL_MS, signal =>
      api.editMessageText(Number(place.chat), Number(message), text.text, rest(text, sending), signal),
    )
    const isTheSame = !edited.ok && /message is not modified/i.test(edited.fault.message)
    return edited.ok || isTheSame ? ok(null) : edited
  }
  const rest = ({ entities }: RichText, { buttons = [] }: SendOptions): object => ({
    entities,
    link_preview_options: { is_disabled: true },
    ...(buttons.length === 0
      ? {}
      : { reply_markup: { inline_keyboard: buttons.map(row => row.map(({ text, data }) => ({ text, callback_data: data }))) } }),
  })

  return {
    me: async (withinMs = CALL_MS) => {
      const me = await call(withinMs, signal => api.getMe(signal))
      return me.ok ? ok(meSchema.parse(me.value)) : me
    },
    commands: list => done(call(CALL_MS, signal => api.setMyCommands([...list], {}, signal))),
    updates: async (offset, waitSeconds) => {
      const wish = { timeout: waitSeconds, allowed_updates: [...ALLOWED_UPDATES], ...(offset === undefined ? {} : { offset }) }
      const asked = await call(waitSeconds * 1000 + CALL_MS, signal => api.getUpdates(wish, signal))
      const read = updatesSchema.safeParse(asked.ok ? asked.value : undefined)
      return asked.ok ? (read.success ? ok(read.data) : err(UNREADABLE)) : asked
    },
    // The words matter more than styles and the reply: what Telegram refuses with them is sent without.
    send: async (place, text, sending = {}) => {
      const { replyTo: _, ...bare } = sending
      const sent = await sendOnce(place, text, sending)
      return isRejected(sent) && sent.fault !== NO_NUMBER ? sendOnce(place, plain(text.text), bare) : sent
    },
    edit: async (place, message, text, sending = {}) => {
      const edited = await editOnce(place, message, text, sending)
      const isAboutStyles = isRejected(edited) && /entit/i.test(edited.fault.message) && text.entities.length > 0
      return isAboutStyles ? editOnce(place, message, plain(text.text), sending) : edited
    },
    remove: (place, message) => done(call(CALL_MS, signal => api.deleteMessage(Number(place.chat), Number(message), signal))),
    typing: place => done(call(CALL_MS, signal => api.sendChatAction(Number(place.chat), 'typing', topicOf(place), signal))),
    pressed: (id, words) =>
      done(
        call(CALL_MS, signal => api.answerCallbackQuery(id, words === undefined ? {} : { text: words.slice(0, 200) }, signal)),
      ),
    file: async (id, mostBytes) => {
      const file = await call(CALL_MS, signal => api.getFile(id, signal))
      if (!file.ok) return file
      const { file_path: path, file_size: size = 0 } = file.value
      if (size > mostBytes) return err(TOO_LARGE)
      if (path === undefined || path.includes('..')) return err(NEVER_A_FILE)
      const address = path.split('/').map(encodeURIComponent).join('/')
      return download(`${root}/file/bot${token}/${address}`, mostBytes, AbortSignal.any([abort, AbortSignal.timeout(FILE_MS)]))
    },
  }
}

/** grammY's own type of the same signal. */
type Signal = NonNullable<Parameters<Api['getMe']>[0]>

const topicOf = ({ topic }: Place): { readonly message_thread_id?: number } =>
  topic === undefined ? {} : { message_thread_id: Number(topic) }

const TOO_LARGE: Fault = fault('too-large', 'the file is larger than a bot may fetch')
const NO_FILE: Fault = fault('unreachable', 'Telegram did not give the file')
const NEVER_A_FILE: Fault = fault('rejected', 'Telegram does not have the file')
const NO_NUMBER: Fault = fault('rejected', 'Telegram gave a message no number')
const UNREADABLE: Fault = fault('overloaded', 'Telegram gave an answer that cannot be read')

const isRejected = (result: Result<unknown, Fault>): result is { readonly ok: false; readonly fault: Fault } =>
  !result.ok && result.fault.kind === 'rejected'

/** Stops at the limit, also where Telegram announced a smaller file. */
async function download(url: string, mostBytes: number, signal: AbortSignal): Promise<Result<Buffer, Fault>> {
  try {
    const response = await fetch(url, { signal, redirect: 'error' })
    if (!response.ok || response.body === null) return err(response.status < 500 ? NEVER_A_FILE : NO_FILE)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body) {
      bytes += chunk.length
      if (bytes > mostBytes) return err(TOO_LARGE)
      chunks.push(chunk)
    }
    return ok(Buffer.concat(chunks))
  } catch {
    // The cause has the address in it, and the address the token.
    return err(NO_FILE)
  }
}
