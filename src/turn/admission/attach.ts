/** Checks the files that come with a message, and turns them into attachments and kept texts. */
import type { KeptText } from '../../log/ports.ts'
import type { Attachment } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { MOST_PARTS } from '../../model/message/attachment.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { hash } from '../step/measure.ts'
import { IMAGE_TYPES, imageTokens, imageTypeOf } from './image.ts'

/** A file or image as a door takes it: its bytes in base64. */
export type InboundPart = {
  readonly type: 'image' | 'file'
  readonly name: string
  readonly mediaType: string
  readonly data: string
}

/** The attachments that the log records for a message, and the texts that are kept beside the log. */
export type Attached = { readonly attachments: readonly Attachment[]; readonly texts: readonly KeptText[] }

type Kept = { readonly attachment: Attachment; readonly text?: KeptText }

/** Files become attachments: text files their text, images and PDF files a hash and a size. The first that cannot is named. */
export function attach(parts: readonly InboundPart[]): Result<Attached, Fault> {
  if (parts.length > MOST_PARTS) return err(fault('invalid', `parts: at most ${MOST_PARTS} files go with one message`))
  const kept: Kept[] = []
  for (const [index, part] of parts.entries()) {
    const one = keep(part)
    if (!one.ok) return err(fault('invalid', `parts.${index}${one.fault}`))
    kept.push(one.value)
  }
  return ok({ attachments: kept.map(each => each.attachment), texts: kept.flatMap(({ text }) => text ?? []) })
}

/** What is wrong is said from the place of the part on: `.name: …`. */
function keep(part: InboundPart): Result<Kept, string> {
  if (!NAME.test(part.name)) return err('.name: must be 1 to 200 visible characters on one line')
  const bytes = Buffer.from(part.data, 'base64')
  // Node accepts both base64 alphabets and skips other characters. So text that does not encode back to itself was not base64.
  if (bytes.toString('base64') !== part.data) return err('.data: is not base64, in the standard alphabet and padded')
  const mediaType = part.mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const file = { type: part.type, name: part.name, mediaType }
  if (part.type === 'image') return image(file, bytes, part.data)
  if (mediaType === 'application/pdf') return pdf(file, bytes, part.data)
  return isText(mediaType) ? textFile(file, bytes) : err(`.mediaType: ${strange(mediaType)}`)
}

/** No line breaks, and no characters that cannot be encoded. */
const NAME = /^(?=.*\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u

type Named = Pick<InboundPart, 'type' | 'name' | 'mediaType'>

function image(file: Named, bytes: Buffer, data: string): Result<Kept, string> {
  const type = IMAGE_TYPES.find(known => known === file.mediaType)
  if (type === undefined) return err(`.mediaType: ${strange(file.mediaType)}`)
  const found = imageTypeOf(bytes)
  if (found !== type) return err(`: the bytes are not ${type}${found === undefined ? '' : ` but ${found}`}`)
  return ok(kept(file, bytes, data, imageTokens(bytes, type)))
}

function pdf(file: Named, bytes: Buffer, data: string): Result<Kept, string> {
  const text = bytes.toString('latin1')
  if (!text.startsWith('%PDF-')) return err(': the bytes are not application/pdf')
  return ok(kept(file, bytes, data, TOKENS_PER_PAGE * pagesOf(text)))
}

const TOKENS_PER_PAGE = 2000
const MOST_PAGES = 100

/** The larger of two counts: uncompressed page objects, and what a linearized file says. At least one. */
function pagesOf(text: string): number {
  const written = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0
  const [, said = '0'] = /\/Linearized[^>]*\/N\s+(\d{1,6})/.exec(text.slice(0, 1024)) ?? []
  return Math.min(MOST_PAGES, Math.max(1, written, Number(said)))
}

function kept(file: Named, bytes: Buffer, data: string, tokens: number): Kept {
  const text = { hash: hash(data), text: data }
  return { attachment: { ...file, hash: text.hash, bytes: bytes.length, tokens }, text }
}

function textFile({ name, mediaType }: Named, bytes: Buffer): Result<Kept, string> {
  if (bytes.includes(0)) return err(': the bytes are not text')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return ok({ attachment: { type: 'text', name, mediaType, text } })
  } catch {
    return err(': the bytes are not text in UTF-8')
  }
}

const isText = (mediaType: string): boolean => TEXT.test(mediaType)

const TEXT =
  /^(?:text\/[\w.+-]+|[\w.-]+\/[\w.-]+\+(?:json|xml|yaml)|application\/(?:x-)?(?:json|json5|jsonl|jsonlines|ndjson|xml|yaml|toml|csv|javascript|ecmascript|typescript|sh|shellscript|python|ruby|perl|php|httpd-php|sql|graphql|tex|latex|subrip))$/

const strange = (mediaType: string): string =>
  `"${mediaType.slice(0, 100)}" cannot be sent; images (${IMAGE_TYPES.join(', ')}) go as type "image", PDF (application/pdf) and text files (text/*, JSON, XML, YAML, source code) as type "file"`
