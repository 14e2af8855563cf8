import { Api } from 'grammy'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Formatted, plain } from './formatted.ts'
import { troubleOf } from './trouble.ts'

/** Where something is said: a chat, and in a forum the topic. */
export type Place = { readonly chat: number; readonly topic?: number }

export type Button = { readonly text: string; readonly data: string }

export type Sending = {
  /** The message that this answers. */
  readonly replyTo?: number
  /** Rows of buttons under it; none takes away those that were there. */
  readonly buttons?: readonly (readonly Button[])[]
}

/** The bot as Telegram knows it. */
export type Me = { readonly id: number; readonly username: string }

/** The calls that this door makes, each an answer or a fault that never has the token in it. */
export type BotApi = {
  readonly me: (withinMs?: number) => Promise<Result<Me, Fault>>
  readonly commands: (list: readonly { readonly command: string; readonly description: string }[]) => Promise<Result<null, Fault>>
  /** Whatever happened since; confirms everything before `offset`. Waits for so long where nothing did. */
  readonly updates: (offset: number | undefined, waitSeconds: number) => Promise<Result<readonly unknown[], Fault>>
  readonly send: (place: Place, what: Formatted, sending?: Sending) => Promise<Result<number, Fault>>
  readonly edit: (place: Place, message: number, what: Formatted, sending?: Sending) => Promise<Result<null, Fault>>
  readonly remove: (place: Place, message: number) => Promise<Result<null, Fault>>
  readonly typing: (place: Place) => Promise<Result<null, Fault>>
  /** Tells the phone that a press was heard, perhaps with a few words. */
  readonly pressed: (id: string, words?: string) => Promise<Result<null, Fault>>
  readonly file: (id: string, mostBytes: number) => Promise<Result<Buffer, Fault>>
}

export type BotApiOptions = { readonly token: string; readonly root: string; readonly abort: AbortSignal }

const CALL_MS = 15_000
const FILE_MS = 60_000
const ALLOWED_UPDATES = ['message', 'callback_query'] as const

export function createBotApi({ token, root, abort }: BotApiOptions): BotApi {
  const api = new Api(token, { apiRoot: root })
  const call = async <Value>(ms: number, make: (signal: Signal) => Promise<Value>): Promise<Result<Value, Fault>> => {
    try {
      return ok(await make(AbortSignal.any([abort, AbortSignal.timeout(ms)]) as Signal))
    } catch (cause) {
      return err(troubleOf(cause, token, abort.aborted))
    }
  }
  const done = async (made: Promise<Result<unknown, Fault>>): Promise<Result<null, Fault>> => {
    const result = await made
    return result.ok ? ok(null) : result
  }
  /** Words matter more than their looks: what is refused with them goes out without. */
  const formatted = async <Value>(
    what: Formatted,
    make: (what: Formatted) => Promise<Result<Value, Fault>>,
  ): Promise<Result<Value, Fault>> => {
    const made = await make(what)
    const isAboutLooks = !made.ok && made.fault.kind === 'rejected' && /entit/i.test(made.fault.message)
    return isAboutLooks && what.entities.length > 0 ? make(plain(what.text)) : made
  }
  const rest = ({ entities }: Formatted, { buttons = [] }: Sending): object => ({
    entities,
    link_preview_options: { is_disabled: true },
    ...(buttons.length === 0
      ? {}
      : { reply_markup: { inline_keyboard: buttons.map(row => row.map(({ text, data }) => ({ text, callback_data: data }))) } }),
  })

  return {
    me: async (withinMs = CALL_MS) => {
      const me = await call(withinMs, signal => api.getMe(signal))
      return me.ok ? ok({ id: me.value.id, username: me.value.username }) : me
    },
    commands: list => done(call(CALL_MS, signal => api.setMyCommands([...list], {}, signal))),
    updates: (offset, waitSeconds) =>
      call(waitSeconds * 1000 + CALL_MS, signal =>
        api.getUpdates(
          { ...(offset === undefined ? {} : { offset }), timeout: waitSeconds, allowed_updates: [...ALLOWED_UPDATES] },
          signal,
        ),
      ),
    send: (place, what, sending = {}) =>
      formatted(what, async each => {
        const sent = await call(CALL_MS, signal =>
          api.sendMessage(
            place.chat,
            each.text,
            {
              ...rest(each, sending),
              ...topicOf(place),
              ...(sending.replyTo === undefined
                ? {}
                : { reply_parameters: { message_id: sending.replyTo, allow_sending_without_reply: true } }),
            },
            signal,
          ),
        )
        return sent.ok ? ok(sent.value.message_id) : sent
      }),
    edit: (place, message, what, sending = {}) =>
      formatted(what, async each => {
        const edited = await call(CALL_MS, signal =>
          api.editMessageText(place.chat, message, each.text, rest(each, sending), signal),
        )
        const isTheSame = !edited.ok && /message is not modified/i.test(edited.fault.message)
        return edited.ok || isTheSame ? ok(null) : edited
      }),
    remove: (place, message) => done(call(CALL_MS, signal => api.deleteMessage(place.chat, message, signal))),
    typing: place => done(call(CALL_MS, signal => api.sendChatAction(place.chat, 'typing', topicOf(place), signal))),
    pressed: (id, words) =>
      done(
        call(CALL_MS, signal => api.answerCallbackQuery(id, words === undefined ? {} : { text: words.slice(0, 200) }, signal)),
      ),
    file: async (id, mostBytes) => {
      const file = await call(CALL_MS, signal => api.getFile(id, signal))
      if (!file.ok) return file
      const { file_path: path, file_size: size = 0 } = file.value
      if (size > mostBytes) return err(TOO_LARGE)
      if (path === undefined || !/^[\w./-]+$/.test(path) || path.includes('..')) return err(NO_FILE)
      return download(`${root}/file/bot${token}/${path}`, mostBytes, AbortSignal.any([abort, AbortSignal.timeout(FILE_MS)]))
    },
  }
}

/** What grammY calls a signal; the same thing under an older name. */
type Signal = NonNullable<Parameters<Api['getMe']>[0]>

const topicOf = ({ topic }: Place): { readonly message_thread_id?: number } =>
  topic === undefined ? {} : { message_thread_id: topic }

const TOO_LARGE: Fault = fault('too-large', 'the file is larger than a bot may fetch')
const NO_FILE: Fault = fault('unreachable', 'Telegram did not give the file')

/** Not one byte more than allowed is kept, whatever was announced. */
async function download(url: string, mostBytes: number, signal: AbortSignal): Promise<Result<Buffer, Fault>> {
  try {
    const response = await fetch(url, { signal, redirect: 'error' })
    if (!response.ok || response.body === null) return err(NO_FILE)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body) {
      bytes += chunk.length
      if (bytes > mostBytes) return err(TOO_LARGE)
      chunks.push(chunk)
    }
    return ok(Buffer.concat(chunks))
  } catch {
    // The cause knows the address, and the address knows the token.
    return err(NO_FILE)
  }
}
