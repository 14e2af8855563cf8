/** Reads updates of the Bot API: messages that people wrote, and buttons that they pressed. */
import { z } from 'zod'
import type { Place, Press, SentFile, Written } from '../channel/adapter.ts'

/** An update of Telegram with its number. An update that this channel does not use has no `incoming`, and is acknowledged. */
export type Update = { readonly number: number; readonly incoming: Written | Press | undefined }

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

/** What cannot be taken, as people call it. An animation comes as a document too, so this is looked at first. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
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

/** Nothing for a value that has no number, which is no update at all. */
export function parseUpdate(value: unknown): Update | undefined {
  const parsed = updateSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { update_id: number, message, callback_query: press } = parsed.data
  return { number, incoming: message !== undefined ? written(number, message) : pressed(press) }
}

function written(update: number, value: unknown): Written | undefined {
  const parsed = messageSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { message_id: message, chat, from, sender_chat, via_bot, is_automatic_forward, forward_origin: origin } = parsed.data
  const { text, caption, photo = [], document } = parsed.data
  // In a private chat only its person can have written it.
  const isFromPerson = from === undefined ? chat.type === 'private' : !from.is_bot
  const isPersons = isFromPerson && sender_chat === undefined && via_bot === undefined
  if (!isPersons || is_automatic_forward === true || !TALKS.includes(chat.type)) return undefined
  const unsupported = Object.entries(UNSUPPORTED).find(([key]) => key in (value as object))?.[1]
  const picture = photo.at(-1)
  const files = [
    ...(picture === undefined ? [] : [sent(picture, 'photo.jpg', 'image/jpeg')]),
    ...(document === undefined || unsupported !== undefined ? [] : [sent(document, 'file', 'application/octet-stream')]),
  ]
  const words = text ?? caption ?? ''
  if (words === '' && files.length === 0 && unsupported === undefined) return undefined
  return {
    kind: 'written',
    update: String(update),
    place: placeOf(parsed.data),
    message: String(message),
    text: words,
    files,
    isForwarded: origin !== undefined && origin.sender_user?.id !== (from ?? chat).id,
    ...(unsupported === undefined ? {} : { unsupported }),
  }
}

/** Posts of a channel are not written to the bot. */
const TALKS = ['private', 'group', 'supergroup']

function pressed(value: unknown): Press | undefined {
  const parsed = pressSchema.safeParse(value)
  if (!parsed.success || parsed.data.from.is_bot) return undefined
  const { id, message, data } = parsed.data
  if (message === undefined || data === undefined) return undefined
  return { kind: 'press', id, place: placeOf(message), message: String(message.message_id), data }
}

const placeOf = (given: z.infer<z.ZodObject<typeof place>>): Place => ({
  chat: String(given.chat.id),
  ...(given.is_topic_message === true && given.message_thread_id !== undefined ? { topic: String(given.message_thread_id) } : {}),
})

const sent = (given: z.infer<typeof file>, name: string, mediaType: string): SentFile => ({
  id: given.file_id,
  name: given.file_name ?? name,
  mediaType: given.mime_type ?? mediaType,
  bytes: given.file_size ?? 0,
})
