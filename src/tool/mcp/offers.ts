// Lists and reads the resources and prompts of an MCP server, within limits.
import type { Client, ContentBlock } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { readableDescription } from './listing.ts'

export type OfferedResource = {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mediaType?: string
}

export type OfferedPrompt = {
  readonly name: string
  readonly description?: string
  readonly arguments: readonly { readonly name: string; readonly description?: string; readonly required: boolean }[]
}

/** A file or picture in the shape that messages take. */
export type OfferedPart = {
  readonly type: 'file' | 'image'
  readonly name: string
  readonly mediaType: string
  /** In base64. */
  readonly data: string
}

/** What a server has beside tools. Every method throws as the library does. */
export type Offers = {
  readonly resources: () => Promise<readonly OfferedResource[]>
  readonly read: (uri: string) => Promise<readonly OfferedPart[]>
  readonly prompts: () => Promise<readonly OfferedPrompt[]>
  readonly prompt: (
    name: string,
    args: Readonly<Record<string, string>>,
  ) => Promise<{ readonly text: string; readonly parts: readonly OfferedPart[] }>
}

const MOST_LISTED = 500
const MOST_PAGES = 50
const MOST_PARTS = 16
const MOST_BYTES = 24 * 1024 * 1024
const MOST_LETTERS = 256 * 1024
const MOST_WORDS = 500
const OFFER_MS = 10_000

type OwnStream = <T>(work: () => Promise<T>) => Promise<T>

export function createOffers(client: Client, withOwnStream: OwnStream): Offers {
  const ask = <T>(method: string, params: Record<string, unknown>, answer: z.ZodType<T>): Promise<T> =>
    withOwnStream(() => client.request({ method, params }, answer, { timeout: OFFER_MS }))
  /** Entries that cannot be read are left out alone. */
  const listed = async <T>(method: string, key: string, entry: z.ZodType<T>): Promise<readonly T[]> => {
    const found: T[] = []
    const cursors = new Set<string>()
    for (let cursor: string | undefined, pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await ask(method, cursor === undefined ? {} : { cursor }, Page)
      const entries = page[key]
      for (const each of Array.isArray(entries) ? entries.slice(0, MOST_LISTED) : []) {
        const { success, data } = entry.safeParse(each)
        if (success && found.length < MOST_LISTED) found.push(data)
      }
      cursor = page.nextCursor
      if (cursor === undefined || cursors.has(cursor) || found.length >= MOST_LISTED) break
      cursors.add(cursor)
    }
    return found
  }
  const has = (kind: 'resources' | 'prompts'): boolean => client.getServerCapabilities()?.[kind] !== undefined
  return {
    resources: async () => (has('resources') ? (await listed('resources/list', 'resources', Resource)).map(resourceOf) : []),
    read: async uri => {
      const { contents } = await withOwnStream(() => client.readResource({ uri }, { timeout: OFFER_MS }))
      return bounded(contents.map(partOf))
    },
    prompts: async () => (has('prompts') ? (await listed('prompts/list', 'prompts', Prompt)).map(promptOf) : []),
    prompt: async (name, args) => {
      const { messages } = await withOwnStream(() => client.getPrompt({ name, arguments: { ...args } }, { timeout: OFFER_MS }))
      const blocks = messages.map(({ content }) => content)
      const text = blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n\n')
      if (text.length > MOST_LETTERS) throw new Error('its text is too long')
      return { text: readableDescription(text, MOST_LETTERS), parts: bounded(blocks.flatMap(partsOfBlock)) }
    },
  }
}

const Words = z.string().optional().catch(undefined)
const Page = z.looseObject({ nextCursor: z.string().optional() })
const Resource = z.object({ uri: z.string().min(1).max(2000), name: Words, title: Words, description: Words, mimeType: Words })
const Argument = z.object({
  name: z.string().min(1).max(200),
  description: Words,
  required: z.boolean().optional().catch(undefined),
})
const Prompt = z.object({
  name: z.string().min(1).max(200),
  description: Words,
  title: Words,
  arguments: z.array(Argument).max(50).optional().catch(undefined),
})

const described = (text: string | undefined): { description?: string } =>
  text === undefined || text === '' ? {} : { description: readableDescription(text, MOST_WORDS) }

const resourceOf = ({ uri, name, title, description, mimeType }: z.infer<typeof Resource>): OfferedResource => ({
  uri,
  name: readableDescription(title ?? name ?? uri, 200),
  ...described(description),
  ...(mimeType === undefined ? {} : { mediaType: safeMediaType(mimeType, 'application/octet-stream') }),
})

const promptOf = ({ name, title, description, arguments: args = [] }: z.infer<typeof Prompt>): OfferedPrompt => ({
  name,
  ...described(description ?? title),
  arguments: args.map(each => ({ name: each.name, ...described(each.description), required: each.required === true })),
})

type Content = { readonly uri: string; readonly mimeType?: string | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
)

const SEEN = /^image\/(png|jpeg|gif|webp)$/

function partOf(content: Content): OfferedPart {
  const { uri, mimeType } = content
  const isText = 'text' in content
  const mediaType = safeMediaType(mimeType ?? '', isText ? 'text/plain' : 'application/octet-stream')
  const data = isText ? Buffer.from(content.text).toString('base64') : content.blob
  return { type: !isText && SEEN.test(mediaType) ? 'image' : 'file', name: fileNameOf(uri), mediaType, data }
}

function partsOfBlock(block: ContentBlock): readonly OfferedPart[] {
  if (block.type === 'resource') return [partOf(block.resource)]
  if (block.type === 'image') return [partOf({ uri: 'image', mimeType: block.mimeType, blob: block.data })]
  return []
}

const safeMediaType = (given: string, otherwise: string): string => {
  const [type = ''] = given.toLowerCase().split(';')
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim() : otherwise
}

/** The last part of an address as the name of a file: no path, nothing hidden. */
function fileNameOf(uri: string): string {
  const [path = ''] = uri.split(/[?#]/)
  const last = path.split('/').findLast(piece => piece !== '') ?? ''
  const name = readableDescription(decoded(last), 100).replace(/[/\\:\n\t]/g, '_')
  return name === '' || /^\.+$/.test(name) ? 'resource' : name
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function bounded(parts: readonly OfferedPart[]): readonly OfferedPart[] {
  if (parts.length > MOST_PARTS) throw new Error(`it has more than ${MOST_PARTS} parts`)
  if (parts.reduce((sum, { data }) => sum + data.length * 0.75, 0) > MOST_BYTES) throw new Error('it is too large')
  return parts
}
