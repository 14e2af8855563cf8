// Files beside a draft: what is accepted, how large, and as which part.
import { MOST_PARTS } from '../../../../src/model/message/attachment.ts'
import type { AttachedPart } from '../../wire/client.ts'

/** A file beside a text that is not said yet. Its bytes are here until the gateway has them. */
export type DraftFile = {
  readonly id: string
  readonly kind: 'image' | 'pdf' | 'text'
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** What was done to it on the way, in words. */
  readonly note?: string
  /** The file is a long text that was pasted; it can be put into the field instead. */
  readonly isPasted?: true
}

/** A file as a browser hands it over. */
export type Given = { readonly name: string; readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export type Taken = { readonly ok: true; readonly file: Omit<DraftFile, 'id'> } | { readonly ok: false; readonly why: string }

/** A longer pasted text becomes a file: people do not edit so much in a small field. */
export const LONGEST_PASTE = 30_000

/** The gateway takes 24 MiB for a whole message; the text and the file names need a little of that. */
const MOST_CHARACTERS = (24 << 20) - (1 << 20)

/** Every provider takes an image of this size. */
export const LARGEST_IMAGE: { readonly bytes: number; readonly edge: number } = { bytes: 3_500_000, edge: 4096 }

const IMAGES: readonly (readonly [type: string, magic: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

const POSSIBLE = 'Images (PNG, JPEG, GIF, WebP), PDF and text files can be attached.'

/** What a file is, by its own bytes: a name or a type may be wrong. What cannot be sent is refused in words. */
export function takeFile({ name, type, bytes }: Given): Taken {
  const called = nameFor(name)
  if (bytes.length === 0) return { ok: false, why: `“${called}” is empty.` }
  const begin = String.fromCharCode(...bytes.subarray(0, 16))
  const image = IMAGES.find(([, magic]) => magic.test(begin))
  if (image !== undefined) return { ok: true, file: { kind: 'image', name: called, mediaType: image[0], bytes } }
  if (begin.startsWith('%PDF-')) return { ok: true, file: { kind: 'pdf', name: called, mediaType: 'application/pdf', bytes } }
  if (type.startsWith('image/') && type !== 'image/svg+xml')
    return { ok: false, why: `“${called}” is an image that models do not read; save it as PNG or JPEG first.` }
  if (isText(bytes)) return { ok: true, file: { kind: 'text', name: called, mediaType: textType(type), bytes } }
  return { ok: false, why: `“${called}” cannot be read by a model. ${POSSIBLE}` }
}

/** A name on one line, as the gateway takes it; what a clipboard hands over has often none. */
function nameFor(name: string): string {
  const visible = [...name.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(-120).join('')
  return visible === '' ? 'file' : visible
}

const textType = (type: string): string => (/^text\/[\w.+-]+$|^application\/json$/.test(type) ? type : 'text/plain')

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** A pasted text as a file. */
export function pastedFile(text: string): Omit<DraftFile, 'id'> {
  const bytes = new TextEncoder().encode(text)
  const note = `${text.length.toLocaleString('en')} characters`
  return { kind: 'text', name: 'Pasted text.txt', mediaType: 'text/plain', bytes, note, isPasted: true }
}

export const draftFileText = ({ bytes }: Pick<DraftFile, 'bytes'>): string => new TextDecoder().decode(bytes)

/** Why one more file cannot be attached; null if it can. */
export function whyFileDoesNotFit(files: readonly DraftFile[], file: Pick<DraftFile, 'name' | 'bytes'>): string | null {
  if (files.length >= MOST_PARTS) return `At most ${MOST_PARTS} files go with one message.`
  const together = [...files, file].reduce((sum, { bytes }) => sum + encodedLength(bytes), 0)
  if (together <= MOST_CHARACTERS) return null
  return `“${file.name}” does not fit: the files of one message may have ${sizeWords((MOST_CHARACTERS * 3) / 4)} together.`
}

const encodedLength = ({ length }: Uint8Array): number => Math.ceil(length / 3) * 4

/** As the gateway takes it. */
export const partOf = ({ kind, name, mediaType, bytes }: DraftFile): AttachedPart => ({
  type: kind === 'image' ? 'image' : 'file',
  name,
  mediaType,
  data: base64Of(bytes),
})

const SLICE = 0x6000

/** In slices that are a multiple of three, so that the pieces can simply be joined. */
export function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += SLICE) text += btoa(String.fromCharCode(...bytes.subarray(at, at + SLICE)))
  return text
}

/** The size an image is scaled to, or null where it is small enough. Many bytes in few pixels are only packed anew. */
export function scaledSize(
  { width, height }: { readonly width: number; readonly height: number },
  bytes: number,
): { readonly width: number; readonly height: number } | null {
  const edge = Math.max(width, height)
  if (edge <= LARGEST_IMAGE.edge && bytes <= LARGEST_IMAGE.bytes) return null
  const share = Math.min(1, 2048 / edge)
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A model that a message would go to, and what it can take. */
export type ReadingModel = { readonly name: string; readonly images: boolean; readonly files: boolean }

/** What is known beforehand not to reach a model; null where everything does, or nothing is known. */
export function unseenWords(files: readonly DraftFile[], readers: readonly ReadingModel[]): string | null {
  const blind = (can: (reader: ReadingModel) => boolean): string =>
    [...new Set(readers.filter(one => !can(one)).map(({ name }) => name))].join(', ')
  const noImages = files.some(({ kind }) => kind === 'image') ? blind(({ images }) => images) : ''
  const noFiles = files.some(({ kind }) => kind === 'pdf') ? blind(({ files: can }) => can) : ''
  const said = [
    noImages === '' ? [] : [`${noImages} does not see images; it is told only their names.`],
    noFiles === '' ? [] : [`${noFiles} does not read PDF files; it is told only their names.`],
  ].flat()
  return said.length === 0 ? null : said.join(' ')
}

/** Whether what is pasted are the files and not the words: office programs bring a picture of their text along. */
export function pastesFiles(names: readonly string[], text: string, hasHtml: boolean): boolean {
  if (names.length === 0) return false
  return text.trim() === ''
    ? true
    : !hasHtml && text.split(/[\r\n]+/).every(line => names.includes(line.trim().split('/').at(-1) ?? ''))
}
