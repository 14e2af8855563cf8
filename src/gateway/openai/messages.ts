/** The messages of a chat completion, read and turned into what the engine takes. */
import { z } from 'zod'
import type { StatelessRequest } from '../../engine.ts'
import { describedAs } from '../http/schemas/schema.ts'

type StatelessMessage = StatelessRequest['messages'][number]

/** Refused by name: a client should read what is wrong, not that nothing fits. */
const refused = <Type extends string>(type: Type, why: string) => z.object({ type: z.literal(type) }).refine(() => false, why)

const text = z.object({ type: z.literal('text'), text: z.string() })

const image = z
  .object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })
  .transform(({ image_url: { url } }, context) => {
    const [, mediaType, data] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(url) ?? []
    if (mediaType !== undefined && data !== undefined)
      return { type: 'image' as const, name: 'image', mediaType: mediaType.toLowerCase(), data }
    const why = url.startsWith('data:')
      ? 'a data: URL must have its type and be base64, as in data:image/png;base64,…'
      : 'nothing is fetched from elsewhere; send the image itself, as a data: URL'
    context.addIssue({ code: 'custom', path: ['image_url', 'url'], message: why })
    return z.NEVER
  })

const asParts = (content: unknown): unknown => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)
const asPartsOrNone = (content: unknown): unknown => (content === undefined || content === null ? [] : asParts(content))

/** Content as a client may send it: a text, or a list of such parts. */
const described = (...parts: readonly [z.ZodType, ...z.ZodType[]]) => z.union([z.string(), z.array(z.union(parts))])

const LISTED = 'must be a text, or a list of parts'

const userContent = describedAs(
  z.preprocess(
    asParts,
    z.array(
      z.discriminatedUnion(
        'type',
        [
          text,
          image,
          refused('input_audio', 'audio is not understood here'),
          refused('file', 'files are not taken here; send their text'),
        ],
        { error: 'must be a part of the type "text" or "image_url"' },
      ),
      { error: LISTED },
    ),
  ),
  () => described(text, image),
)

const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() })
const assistantContent = describedAs(
  z.preprocess(
    asPartsOrNone,
    z.array(z.discriminatedUnion('type', [text, refusal], { error: 'must be a part of the type "text"' }), { error: LISTED }),
  ),
  () => described(text, refusal).nullish(),
)
const textContent = describedAs(
  z.preprocess(asParts, z.array(text, { error: 'must be a text, or a list of parts of the type "text"' })),
  () => described(text),
)

const call = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
})

const message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer']), content: textContent }),
    z.object({ role: z.literal('user'), content: userContent }),
    z.object({ role: z.literal('assistant'), content: assistantContent, tool_calls: z.array(call).nullish() }),
    z.object({ role: z.literal('tool'), content: textContent, tool_call_id: z.string().min(1) }),
  ],
  { error: 'must be system, developer, user, assistant or tool' },
)

type Message = z.infer<typeof message>

const joined = (parts: readonly { readonly type: string; readonly text?: string; readonly refusal?: string }[]): string =>
  parts.map(part => part.text ?? part.refusal ?? '').join('')

function statelessMessage(each: Message): StatelessMessage {
  switch (each.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: joined(each.content) }
    case 'user': {
      const parts = each.content.flatMap(part => (part.type === 'image' ? [part] : []))
      const said = each.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
      return { role: 'user', text: said, ...(parts.length === 0 ? {} : { parts }) }
    }
    case 'assistant': {
      const calls = (each.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        call: id,
        tool: name,
        text: args,
      }))
      return { role: 'assistant', text: joined(each.content), ...(calls.length === 0 ? {} : { calls }) }
    }
    case 'tool':
      return { role: 'tool', call: each.tool_call_id, text: joined(each.content) }
  }
}

/** As many as OpenAI takes. Reading more would delay all other requests. */
const MOST_MESSAGES = 2048

/** The conversation as a client tells it. */
export const statelessMessages: z.ZodType<readonly StatelessMessage[]> = z
  .array(message.transform(statelessMessage))
  .min(1)
  .max(MOST_MESSAGES)

/** Only what brings an image may be larger than a conversation in words. */
export function bringsImages(body: unknown): boolean {
  const messages = isRecord(body) && Array.isArray(body.messages) ? body.messages : []
  return messages.some(each => {
    const content: unknown = isRecord(each) ? each.content : undefined
    return Array.isArray(content) && content.some(part => isRecord(part) && part.type === 'image_url')
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null
