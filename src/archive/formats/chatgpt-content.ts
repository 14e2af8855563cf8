// The shape of ChatGPT messages, and the text in them.
import { z } from 'zod'
import { importedFileName } from './legible.ts'

type Words = string | null | undefined

/** The reference to an image or another file. */
type Pointer = {
  readonly content_type?: Words
  readonly asset_pointer?: Words
  readonly text?: Words
  readonly metadata?: { readonly dalle?: { readonly prompt?: Words } | null | undefined } | null | undefined
}

export type ChatgptContent = {
  readonly content_type?: Words
  readonly parts?: readonly (string | Pointer | null)[] | null | undefined
  readonly text?: Words
  /** The text of a recap. */
  readonly content?: Words
  readonly thoughts?: readonly { readonly summary?: Words; readonly content?: Words }[] | null | undefined
  /** The text of a web page that the model looked at. */
  readonly result?: Words
  readonly title?: Words
  readonly url?: Words
}

export type ChatgptMessage = {
  readonly author: { readonly role: string; readonly name?: Words }
  readonly create_time?: unknown
  readonly recipient?: Words
  readonly content?: ChatgptContent | null | undefined
  readonly metadata?:
    | {
        readonly is_visually_hidden_from_conversation?: boolean | null | undefined
        readonly attachments?: readonly { readonly name?: unknown }[] | null | undefined
      }
    | null
    | undefined
}

export type ChatgptConversation = {
  readonly title?: unknown
  readonly create_time?: unknown
  readonly update_time?: unknown
  readonly current_node?: Words
  readonly is_archived?: boolean | null | undefined
  readonly mapping: Readonly<Record<string, { readonly message?: ChatgptMessage | null | undefined; readonly parent?: Words }>>
}

/** A field of an unexpected type counts as missing, because exports change from month to month. */
const words = z.string().nullish().catch(null)

const pointer: z.ZodType<Pointer> = z.object({
  content_type: words,
  asset_pointer: words,
  text: words,
  metadata: z
    .object({ dalle: z.object({ prompt: words }).nullish() })
    .nullish()
    .catch(null),
})

const content: z.ZodType<ChatgptContent> = z.object({
  content_type: words,
  parts: z
    .array(z.union([z.string(), pointer, z.null()]).catch(null))
    .nullish()
    .catch(null),
  text: words,
  content: words,
  thoughts: z
    .array(z.object({ summary: words, content: words }))
    .nullish()
    .catch(null),
  result: words,
  title: words,
  url: words,
})

const message: z.ZodType<ChatgptMessage> = z.object({
  author: z.object({ role: z.string(), name: words }),
  create_time: z.unknown().optional(),
  recipient: words,
  content: content.nullish(),
  metadata: z
    .object({
      is_visually_hidden_from_conversation: z.boolean().nullish().catch(null),
      attachments: z
        .array(z.object({ name: z.unknown().optional() }))
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
})

/** The part of ChatGPT's export that is imported. */
export const chatgptConversation: z.ZodType<ChatgptConversation> = z.object({
  title: z.unknown().optional(),
  create_time: z.unknown().optional(),
  update_time: z.unknown().optional(),
  current_node: words,
  is_archived: z.boolean().nullish().catch(null),
  mapping: z.record(z.string(), z.object({ message: message.nullish(), parent: words })),
})

/** Citation marks, written in private-use characters that people cannot read. */
const CITATION = /\ue200[^\ue201]*\ue201/g

/** The text of a message. It names images and files that are missing from the export in brackets. */
export function chatgptText({ content, metadata, author }: ChatgptMessage): string {
  const parts = (content?.parts ?? []).map(part => (typeof part === 'string' ? part : part === null ? '' : pointed(part)))
  const page = [content?.title, content?.url].filter(part => part != null && part !== '').join(' ')
  const files =
    author.role === 'user'
      ? (metadata?.attachments ?? []).map(({ name }) => `[file: ${importedFileName(name, 'without a name')}]`)
      : []
  return [...parts, page, content?.text ?? '', content?.result ?? '', ...files]
    .filter(part => part.trim() !== '')
    .join('\n\n')
    .replace(CITATION, '')
}

function pointed({ content_type, asset_pointer, text, metadata }: Pointer): string {
  if (text != null) return text
  const kind = (content_type ?? 'part').replace(/_asset_pointer$/, '').replace(/_/g, ' ')
  const what = metadata?.dalle?.prompt ?? asset_pointer?.replace(/^[\w-]+:\/\//, '')
  return `[${kind}: ${importedFileName(what, 'without a name')}]`
}

/** The model's thought, if the content is nothing else. */
export function thoughtOf(content: ChatgptContent | null | undefined): string | undefined {
  if (content?.content_type === 'reasoning_recap') return content.content ?? content.text ?? ''
  if (content?.content_type !== 'thoughts') return undefined
  return (content.thoughts ?? [])
    .map(thought => [thought.summary, thought.content].filter(part => part != null && part !== '').join('\n'))
    .join('\n\n')
}
