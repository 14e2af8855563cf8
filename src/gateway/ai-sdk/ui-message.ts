/** Reads what a `useChat` client posts, and turns it into a message for the engine. */
import { z } from 'zod'
import type { Inbound, InboundPart } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { MOST_PARTS } from '../../model/message/attachment.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A message as `useChat` sends it; of its parts only text and files are for us. */
type UiMessage = { readonly id: string; readonly role: string; readonly parts: readonly { readonly type: string }[] }
type TextPart = { readonly type: 'text'; readonly text: string }
type FilePart = {
  readonly type: 'file'
  readonly mediaType: string
  readonly filename?: string | undefined
  readonly url: string
}

const uiMessage: z.ZodType<UiMessage> = z.looseObject({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/, '1 to 200 visible characters'),
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string() })).max(1000),
})
const textPart: z.ZodType<TextPart> = z.looseObject({ type: z.literal('text'), text: z.string() })
const filePart: z.ZodType<FilePart> = z.looseObject({
  type: z.literal('file'),
  mediaType: z.string(),
  filename: z.string().optional(),
  url: z.string(),
})

/**
 * What a `useChat` client posts. The new message alone is enough; a client that sends its whole conversation is heard, too,
 * but only its last message counts: the context comes from the log.
 */
export type ChatRequest = {
  readonly id: string
  readonly message?: UiMessage | undefined
  readonly messages?: readonly unknown[] | undefined
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined
}

export const chatRequest: z.ZodType<ChatRequest> = z.looseObject({
  id: z.string(),
  message: uiMessage.optional(),
  messages: z.array(z.unknown()).optional(),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
})

/** The message that is new in a request. */
export function newest({ message, messages = [] }: ChatRequest): Result<UiMessage, Fault> {
  if (message !== undefined) return ok(message)
  if (messages.length === 0) return err(fault('invalid', 'message: is missing; send {"id": a session, "message": a UI message}'))
  const last = uiMessage.safeParse(messages.at(-1))
  if (last.success) return ok(last.data)
  return err(complaint(`messages.${messages.length - 1}`, last.error))
}

const complaint = (where: string, { issues }: z.ZodError): Fault =>
  fault('invalid', issues.map(({ path, message }) => `${[where, ...path.map(String)].join('.')}: ${message}`).join('; '))

/** A UI message as the engine takes one; its id is its key, so that sending it twice says it once. */
export function spoken(message: UiMessage): Result<Pick<Inbound, 'text' | 'parts' | 'key'>, Fault> {
  if (message.role !== 'user') return err(fault('invalid', 'message.role: only what a person says can be sent, so "user"'))
  const texts: string[] = []
  const parts: InboundPart[] = []
  for (const [index, each] of message.parts.entries()) {
    const where = `message.parts.${index}`
    if (each.type === 'text') {
      const text = textPart.safeParse(each)
      if (!text.success) return err(complaint(where, text.error))
      texts.push(text.data.text)
    }
    if (each.type === 'file') {
      const file = filePart.safeParse(each)
      const taken = file.success ? attached(file.data, index, where) : err(complaint(where, file.error))
      if (!taken.ok) return taken
      parts.push(taken.value)
    }
  }
  const text = texts.join('\n\n')
  if (parts.length > MOST_PARTS) return err(fault('invalid', `message.parts: at most ${MOST_PARTS} files`))
  if (text.trim() === '' && parts.length === 0) return err(fault('invalid', 'message.parts: there is no text and no file in it'))
  return ok({ text, key: message.id, ...(parts.length === 0 ? {} : { parts }) })
}

function attached({ mediaType, filename, url }: FilePart, index: number, where: string): Result<InboundPart, Fault> {
  const [, data] = /^data:[^,]*;base64,([A-Za-z0-9+/=\s]*)$/.exec(url) ?? []
  if (data === undefined)
    return err(fault('invalid', `${where}.url: must be a data: URL in base64; nothing is fetched from elsewhere`))
  const type = mediaType.startsWith('image/') ? 'image' : 'file'
  return ok({ type, mediaType, name: filename ?? `${type}-${index + 1}`, data })
}

/** Whether a body may be larger than words are. */
export function bringsFiles(body: unknown): boolean {
  const read = chatRequest.safeParse(body)
  const last = read.success ? newest(read.data) : undefined
  return last?.ok === true && last.value.parts.some(({ type }) => type === 'file')
}
