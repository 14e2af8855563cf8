// Turns an MCP server's answer into text and images for the model.
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { bound } from '../process/bound-output.ts'
import { newlinesIn } from '../process/capture.ts'
import type { Settlement, ToolImage } from '../toolbox.ts'
import { isSchemaDeeperThan, quotedName } from './listing.ts'

const MOST_LEVELS = 64

/** Turns a server's answer to a call into what the model reads. */
export function settlementOfAnswer({ content, structuredContent, isError }: CallToolResult): Settlement {
  const hasText = content.some(block => block.type === 'text' && block.text !== '')
  const lines = content.map(lineOf)
  if (!hasText && structuredContent !== undefined) lines.push(structured(structuredContent))
  const text = bounded(lines.join('\n'))
  const images = content.flatMap(imageOf)
  const said = { ...(text === '' ? {} : { content: text }), ...(images.length === 0 ? {} : { images }) }
  return isError === true ? { ok: false, outcome: 'the tool reports a failure', ...said } : { ok: true, outcome: 'done', ...said }
}

/** The image that a block is, under the name that its address or its place gives it. */
function imageOf(block: ContentBlock, index: number): readonly ToolImage[] {
  if (block.type === 'image') return [{ name: numbered(index, block.mimeType), mediaType: block.mimeType, data: block.data }]
  if (block.type !== 'resource' || !('blob' in block.resource)) return []
  const { uri, mimeType = '', blob } = block.resource
  if (!/^\s*image\//i.test(mimeType)) return []
  const name = uri
    .split(/[?#]/, 1)[0]
    ?.split('/')
    .findLast(part => part !== '')
  return [{ name: name ?? numbered(index, mimeType), mediaType: mimeType, data: blob }]
}

const numbered = (index: number, mimeType: string): string => `image-${index + 1}.${kindOf(mimeType)}`

function lineOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${kindOf(block.mimeType)}, ${sizeOf(block.data.length * 0.75)}]`
    case 'resource_link':
      return `[link ${quotedName(block.uri)}]`
    case 'resource': {
      const { uri, mimeType } = block.resource
      const bytes = 'text' in block.resource ? Buffer.byteLength(block.resource.text) : block.resource.blob.length * 0.75
      return `[resource ${quotedName(uri)}${mimeType === undefined ? '' : ` ${kindOf(mimeType)}`}, ${sizeOf(bytes)}]`
    }
  }
}

const kindOf = (mimeType: string): string =>
  mimeType
    .replace(/^(image|audio)\//, '')
    .replace(/[^\w.+/-].*/s, '')
    .slice(0, 40)
const sizeOf = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1024))} KB`

const structured = (content: unknown): string =>
  isSchemaDeeperThan(content, MOST_LEVELS) ? '[data that is nested too deeply to be shown]' : JSON.stringify(content, null, 1)

function bounded(text: string): string {
  const all = Buffer.from(text)
  return bound({ front: all, back: all, bytes: all.length, lines: newlinesIn(all) })
}
