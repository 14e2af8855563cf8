/** Starts a fake Telegram: a Bot API server on loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { watchSockets } from '../fake-sockets.ts'
import { createFakeChats, type ShownMessage } from './chat.ts'
import { createFakeQueue } from './queue.ts'

export type { ShownEntity, ShownMessage } from './chat.ts'

/** What goes wrong with one call. `cut` breaks the connection before the call takes effect, or after it and before the answer. */
export type TelegramFault =
  | { readonly code: 400 | 401 | 403 | 404 | 409 | 500 | 502; readonly description?: string }
  | { readonly code: 429; readonly retryAfter: number }
  | { readonly cut: 'before' | 'after' }
  /** The call is never answered. */
  | { readonly hang: true }

export type TelegramCall = {
  readonly method: string
  readonly payload: Readonly<Record<string, unknown>>
  /** When the call arrived, in milliseconds since 1970. */
  readonly at: number
  /** The error the call was refused with, by a rule or by the script. */
  readonly refused?: string
}

/** A Bot API server on loopback, and the chats behind it. */
export type FakeTelegram = {
  /** The root of its URL, and the only token it knows. */
  readonly root: string
  readonly token: string
  readonly username: string
  /** A person writes a message, with any fields. Returns the number of the update. */
  readonly writes: (message: { readonly chat?: number; readonly text?: string } & Readonly<Record<string, unknown>>) => number
  readonly presses: (chat: number, message: number, data: string) => number
  /** Adds any kind of update. */
  readonly tells: (update: Readonly<Record<string, unknown>>) => number
  /** Delivers an update again that was confirmed long ago, so many times. */
  readonly repeats: (update: number, times?: number) => void
  /** From now on each update is delivered so many times, or the newest comes first. */
  readonly brings: (how: { readonly times?: number; readonly reversed?: boolean }) => void
  /** The number up to which all updates are confirmed. */
  readonly confirmed: () => number
  /** The bot's messages in a chat now. */
  readonly shows: (chat?: number) => readonly ShownMessage[]
  readonly calls: readonly TelegramCall[]
  /** Makes the next calls of a method fail, one fault after the other. */
  readonly fails: (method: string, ...faults: readonly TelegramFault[]) => void
  /** Makes all calls fail until it is called with undefined. */
  readonly failsAlways: (fault: TelegramFault | undefined) => void
  /** Adds a file that can be fetched by its id. */
  readonly holds: (id: string, bytes: Uint8Array) => void
  /** Resolves when the condition is true. It is checked whenever the server is called, never after a guessed time. */
  readonly until: (holds: () => boolean, what: string | (() => string)) => Promise<void>
  readonly close: () => Promise<void>
}

export const FAKE_CHAT = 4242
const DEADLINE_MS = 20_000

export async function startFakeTelegram(
  options: { readonly port?: number; readonly token?: string } = {},
): Promise<FakeTelegram> {
  const { token = '123456:fake-token-of-a-fake-bot', port = 0 } = options
  const username = 'turnwise_fake_bot'
  const chats = createFakeChats()
  const queue = createFakeQueue()
  const calls: TelegramCall[] = []
  const scripted = new Map<string, TelegramFault[]>()
  const files = new Map<string, Uint8Array>()
  const watchers = new Set<() => void>()
  let always: TelegramFault | undefined

  const answerOf = async (method: string, payload: TelegramCall['payload'], gone: AbortSignal): Promise<Answer> => {
    switch (method) {
      case 'getMe':
        return ok({ id: 123_456, is_bot: true, first_name: 'Fake', username })
      case 'getUpdates':
        return queue.take(payload, gone)
      case 'sendMessage':
        return messageOf(chats.send(payload))
      case 'editMessageText':
        return messageOf(chats.edit(payload))
      case 'deleteMessage': {
        const removed = chats.remove(payload)
        return removed === true ? ok(true) : refused(400, removed)
      }
      case 'sendMessageDraft':
        return Number(payload.draft_id) === 0 ? refused(400, 'Bad Request: DRAFT_ID_INVALID') : ok(true)
      case 'setMyCommands':
      case 'sendChatAction':
      case 'answerCallbackQuery':
        return ok(true)
      case 'getFile': {
        const bytes = files.get(String(payload.file_id))
        const path = `documents/${encodeURIComponent(String(payload.file_id))}`
        return bytes === undefined
          ? refused(400, 'Bad Request: wrong file_id')
          : ok({ file_id: payload.file_id, file_unique_id: 'u', file_size: bytes.length, file_path: path })
      }
      default:
        return refused(404, 'Not Found: method not found')
    }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, kind, given, ...rest] = /^\/(bot|file\/bot)([^/]+)\/(.*)$/.exec(request.url ?? '') ?? []
    if (given !== token) return send(response, refused(401, 'Unauthorized'))
    const name = rest.join('/')
    if (kind === 'file/bot') {
      const bytes = files.get(decodeURIComponent(name.replace(/^documents\//, '')))
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
      return
    }
    const payload = await bodyOf(request)
    const fault = scripted.get(name)?.shift() ?? always
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const happens = fault === undefined || ('cut' in fault && fault.cut === 'after')
    const answer = happens ? await answerOf(name, payload, gone.signal) : faultAnswer(fault)
    calls.push({ method: name, payload, at: Date.now(), ...(answer?.ok === false ? { refused: answer.description } : {}) })
    if (fault !== undefined && 'cut' in fault) request.socket.destroy()
    else if (answer !== undefined && !response.destroyed) send(response, answer)
    for (const watch of [...watchers]) watch()
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const sockets = watchSockets(server, () => false)
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const { port: listening } = server.address() as AddressInfo

  const tells: FakeTelegram['tells'] = update => queue.put(update)
  return {
    root: `http://127.0.0.1:${listening}`,
    ...{ token, username, calls, tells },
    writes: ({ chat = FAKE_CHAT, text, ...more }) =>
      tells({
        message: {
          message_id: chats.nextId(),
          date: 0,
          chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' },
          from: { id: Math.abs(chat), is_bot: false, first_name: 'Somebody' },
          ...(text === undefined ? {} : { text }),
          ...more,
        },
      }),
    presses: (chat, message, data) =>
      tells({
        callback_query: {
          ...{ id: `press-${calls.length}-${message}`, chat_instance: '1', data },
          from: { id: Math.abs(chat), is_bot: false, first_name: 'Somebody' },
          message: { message_id: message, date: 0, chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' } },
        },
      }),
    repeats: queue.repeat,
    brings: queue.brings,
    confirmed: queue.confirmed,
    shows: (chat = FAKE_CHAT) => chats.in(chat),
    fails: (method, ...faults) => {
      scripted.set(method, [...(scripted.get(method) ?? []), ...faults])
    },
    failsAlways: fault => {
      always = fault
    },
    holds: (id, bytes) => {
      files.set(id, bytes)
    },
    until: (holds, what) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (!holds()) return
          stop()
          resolve()
        }
        const timer = setTimeout(() => {
          stop()
          const last = calls
            .slice(-12)
            .map(call => `${call.method} ${JSON.stringify(call.payload).slice(0, 160)} ${call.refused ?? ''}`)
          reject(new Error(`it never came to this: ${typeof what === 'string' ? what : what()}\n${last.join('\n')}`))
        }, DEADLINE_MS)
        // Some changes come without a call, such as an answer in the log, so the condition is also checked now and then.
        const often = setInterval(look, 10)
        const stop = (): void => {
          clearTimeout(timer)
          clearInterval(often)
          watchers.delete(look)
        }
        watchers.add(look)
        look()
      }),
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      sockets.destroy()
      await closed
    },
  }
}

type Answer = { readonly ok: true; readonly result: unknown } | Refusal
type Refusal = {
  readonly ok: false
  readonly error_code: number
  readonly description: string
  readonly parameters?: { readonly retry_after: number }
}

const ok = (result: unknown): Answer => ({ ok: true, result })
const refused = (code: number, description: string): Refusal => ({ ok: false, error_code: code, description })

const messageOf = (shown: ShownMessage | string): Answer =>
  typeof shown === 'string'
    ? refused(400, shown)
    : ok({ message_id: shown.id, date: 0, chat: { id: shown.chat, type: 'private' }, text: shown.text })

/** Returns undefined for faults that cut the connection or hang. */
function faultAnswer(fault: TelegramFault): Refusal | undefined {
  if (!('code' in fault)) return undefined
  if (fault.code === 429)
    return {
      ...refused(429, `Too Many Requests: retry after ${fault.retryAfter}`),
      parameters: { retry_after: fault.retryAfter },
    }
  return refused(fault.code, fault.description ?? `scripted ${fault.code}`)
}

/** The proxies in front of the real server do not answer in JSON. */
function send(response: ServerResponse, answer: Answer): void {
  if (!answer.ok && answer.error_code >= 502)
    response.writeHead(answer.error_code, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>')
  else response.writeHead(answer.ok ? 200 : answer.error_code, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

async function bodyOf(request: IncomingMessage): Promise<TelegramCall['payload']> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as TelegramCall['payload'])
}
