import { z } from 'zod'
import type { Place } from './bot-api.ts'

/** A file that came with a message; its bytes are still with Telegram. */
export type Sent = { readonly id: string; readonly name: string; readonly mediaType: string; readonly bytes: number }

/** Something a person wrote. */
export type Written = {
  readonly kind: 'written'
  readonly update: number
  readonly place: Place
  readonly message: number
  readonly text: string
  readonly files: readonly Sent[]
  /** The words are somebody else's. */
  readonly isForwarded: boolean
  /** What it is, where it is nothing that can be taken: a voice message, a sticker. */
  readonly strange?: string
}

/** A button that a person pressed. */
export type Press = {
  readonly kind: 'press'
  readonly update: number
  readonly id: string
  readonly place: Place
  readonly message: number
  readonly data: string
}

/** What Telegram tells of, as far as this door cares; anything else is nothing, and is acknowledged. */
export type Incoming = Written | Press | { readonly kind: 'nothing'; readonly update: number }

const place = {
  message_id: z.int(),
  chat: z.object({ id: z.int(), type: z.string().default('private') }),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
}
const person = z.object({ id: z.int(), is_bot: z.boolean().default(false) })
const file = z.object({
  file_id: z.string(),
  file_size: z.int().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
})
const messageSchema = z.object({
  ...place,
  from: person.optional(),
  sender_chat: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  is_automatic_forward: z.boolean().optional(),
  forward_origin: z.object({ type: z.string(), sender_user: z.object({ id: z.int() }).optional() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  photo: z.array(file).optional(),
  document: file.optional(),
})
const pressSchema = z.object({ id: z.string(), from: person, message: z.object(place).optional(), data: z.string().optional() })
const updateSchema = z.object({ update_id: z.int(), message: z.unknown().optional(), callback_query: z.unknown().optional() })

/** What cannot be taken, as people call it. An animation comes as a document too, so it is looked for first. */
const STRANGE: Readonly<Record<string, string>> = {
  voice: 'a voice message',
  audio: 'an audio file',
  video: 'a video',
  video_note: 'a video message',
  animation: 'an animation',
  sticker: 'a sticker',
  location: 'a place',
  venue: 'a place',
  contact: 'a contact',
  poll: 'a poll',
  dice: 'a die',
  game: 'a game',
  story: 'a story',
}

/** The one place where an update becomes known; without a number it is not even one. */
export function parseUpdate(value: unknown): Incoming | undefined {
  const parsed = updateSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { update_id: update, message, callback_query: press } = parsed.data
  return (message !== undefined ? written(update, message) : pressed(update, press)) ?? { kind: 'nothing', update }
}

function written(update: number, value: unknown): Written | undefined {
  const parsed = messageSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { message_id: message, chat, from, sender_chat, via_bot, is_automatic_forward, forward_origin: origin } = parsed.data
  const { text, caption, photo = [], document } = parsed.data
  // Alone with the bot there is nobody else it could be from.
  const isFromPerson = from === undefined ? chat.type === 'private' : !from.is_bot
  const isPersons = isFromPerson && sender_chat === undefined && via_bot === undefined
  if (!isPersons || is_automatic_forward === true || !TALKS.includes(chat.type)) return undefined
  const strange = Object.entries(STRANGE).find(([key]) => key in (value as object))?.[1]
  const picture = photo.at(-1)
  const files = [
    ...(picture === undefined ? [] : [sent(picture, 'photo.jpg', 'image/jpeg')]),
    ...(document === undefined || strange !== undefined ? [] : [sent(document, 'file', 'application/octet-stream')]),
  ]
  const words = text ?? caption ?? ''
  if (words === '' && files.length === 0 && strange === undefined) return undefined
  return {
    kind: 'written',
    update,
    place: placeOf(parsed.data),
    message,
    text: words,
    files,
    isForwarded: origin !== undefined && origin.sender_user?.id !== (from ?? chat).id,
    ...(strange === undefined ? {} : { strange }),
  }
}

/** A channel's posts are nobody's word to us. */
const TALKS = ['private', 'group', 'supergroup']

function pressed(update: number, value: unknown): Press | undefined {
  const parsed = pressSchema.safeParse(value)
  if (!parsed.success || parsed.data.from.is_bot) return undefined
  const { id, message, data } = parsed.data
  if (message === undefined || data === undefined) return undefined
  return { kind: 'press', update, id, place: placeOf(message), message: message.message_id, data }
}

const placeOf = (given: z.infer<z.ZodObject<typeof place>>): Place => ({
  chat: given.chat.id,
  ...(given.is_topic_message === true && given.message_thread_id !== undefined ? { topic: given.message_thread_id } : {}),
})

const sent = (given: z.infer<typeof file>, name: string, mediaType: string): Sent => ({
  id: given.file_id,
  name: given.file_name ?? name,
  mediaType: given.mime_type ?? mediaType,
  bytes: given.file_size ?? 0,
})
