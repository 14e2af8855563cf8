/** The chats of the fake Telegram, and what people see in them. */

/** A message of the bot as people see it. */
export type ShownMessage = {
  readonly id: number
  readonly chat: number
  readonly topic?: number
  readonly text: string
  readonly entities: readonly ShownEntity[]
  /** The data of its buttons, row by row. */
  readonly buttons: readonly (readonly { readonly text: string; readonly data: string }[])[]
  readonly replyTo?: number
  /** How often the message was edited. */
  readonly edits: number
}

export type ShownEntity = {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
}

type Payload = Readonly<Record<string, unknown>>

/** The messages in the chats, by the rules of the Bot API. A call that breaks a rule is refused in the API's words. */
export type FakeChats = {
  readonly send: (payload: Payload) => ShownMessage | string
  readonly edit: (payload: Payload) => ShownMessage | string
  readonly remove: (payload: Payload) => true | string
  readonly in: (chat: number) => readonly ShownMessage[]
  /** The next message number. People's messages have numbers too. */
  readonly nextId: () => number
}

const MOST_UNITS = 4096
const MOST_ENTITIES = 100
const LOOKS = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'text_link', 'blockquote'])

export function createFakeChats(): FakeChats {
  const messages = new Map<number, ShownMessage>()
  let last = 0
  const nextId = (): number => {
    last += 1
    return last
  }
  const looks = (payload: Payload): Pick<ShownMessage, 'text' | 'entities' | 'buttons'> | string => {
    const { text, entities = [], reply_markup: markup } = payload
    if (typeof text !== 'string' || text.trim() === '') return 'Bad Request: message text is empty'
    if (text.length > MOST_UNITS) return 'Bad Request: message is too long'
    if (!text.isWellFormed()) return 'Bad Request: strings must be encoded in UTF-8'
    const given = entities as readonly ShownEntity[]
    const wrong =
      given.length > MOST_ENTITIES
        ? 'too many'
        : given.map(entity => whyNoEntity(entity, text, given)).find(why => why !== undefined)
    if (wrong !== undefined) return `Bad Request: can't parse entities: ${wrong}`
    const rows = ((markup as { inline_keyboard?: unknown } | undefined)?.inline_keyboard ?? []) as readonly (readonly {
      readonly text: string
      readonly callback_data: string
    }[])[]
    if (rows.flat().some(({ callback_data: data }) => Buffer.byteLength(data) > 64)) return 'Bad Request: BUTTON_DATA_INVALID'
    return {
      ...{ text, entities: given },
      buttons: rows.map(row => row.map(button => ({ text: button.text, data: button.callback_data }))),
    }
  }
  const known = ({ chat_id: chat, message_id: id }: Payload): ShownMessage | undefined => {
    const message = messages.get(Number(id))
    return message?.chat === chat ? message : undefined
  }
  return {
    nextId,
    send: payload => {
      const look = looks(payload)
      if (typeof look === 'string') return look
      const reply = payload.reply_parameters as { readonly message_id: number } | undefined
      const message: ShownMessage = {
        ...{ id: nextId(), chat: Number(payload.chat_id), ...look, edits: 0 },
        ...(payload.message_thread_id === undefined ? {} : { topic: Number(payload.message_thread_id) }),
        ...(reply === undefined ? {} : { replyTo: reply.message_id }),
      }
      messages.set(message.id, message)
      return message
    },
    edit: payload => {
      const before = known(payload)
      if (before === undefined) return 'Bad Request: message to edit not found'
      const look = looks(payload)
      if (typeof look === 'string') return look
      const same =
        JSON.stringify([before.text, before.entities, before.buttons]) ===
        JSON.stringify([look.text, look.entities, look.buttons])
      if (same)
        return 'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message'
      const after = { ...before, ...look, edits: before.edits + 1 }
      messages.set(before.id, after)
      return after
    },
    remove: payload => {
      const message = known(payload)
      if (message === undefined) return 'Bad Request: message to delete not found'
      messages.delete(message.id)
      return true
    },
    in: chat => [...messages.values()].filter(message => message.chat === chat),
  }
}

function whyNoEntity(entity: ShownEntity, text: string, all: readonly ShownEntity[]): string | undefined {
  const { type, offset, length, url } = entity
  if (!LOOKS.has(type)) return `unknown type ${type}`
  if (!Number.isInteger(offset) || !Number.isInteger(length) || offset < 0 || length < 1 || offset + length > text.length)
    return `${type} is outside of the text`
  if ([offset, offset + length].some(at => isInsideCharacter(text, at))) return `${type} cuts a character`
  if (type === 'text_link' && !/^https?:\/\//.test(url ?? '')) return 'a link without an address'
  if (type !== 'code' && type !== 'pre') return undefined
  const isMixed = all.some(
    other =>
      other !== entity && other.type !== 'blockquote' && other.offset < offset + length && offset < other.offset + other.length,
  )
  return isMixed ? `${type} and something else overlap` : undefined
}

const isInsideCharacter = (text: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at))
