/** Checks the images that a tool gives with its result, and keeps those that models can see. */
import type { KeptText } from '../../log/ports.ts'
import type { ResultImage } from '../../model/event.ts'
import type { Settlement, ToolImage } from '../../tool/toolbox.ts'
import { IMAGE_TYPES, imageTokens, imageTypeOf, sizeOf } from '../admission/image.ts'
import { hash } from '../step/measure.ts'

/** The most images of one result, and what they may weigh in bytes: one by one as much as every provider takes, and together. */
const MOST_IMAGES = 8
const MOST_IMAGE_BYTES = 3_750_000
const MOST_BYTES = 12_000_000
/** Providers refuse an image with a longer side. */
const MOST_PIXELS = 8000
const MOST_NAME = 100

/** A result whose images are checked: those that the log names, their base64, and a line in its content for each that is missing. */
export type KeptResult = Omit<Settlement, 'images'> & {
  readonly images: readonly ResultImage[]
  readonly texts: readonly KeptText[]
}

/** One image that a provider refuses would spoil every later request, so only sound ones are kept. The content says why others are not. */
export function keepImages({ images: given = [], ...settlement }: Settlement): KeptResult {
  const images: ResultImage[] = []
  const texts: KeptText[] = []
  const refused: string[] = []
  let bytes = 0
  let more = 0
  for (const each of given) {
    if (images.length === MOST_IMAGES) {
      more += 1
      continue
    }
    const found = kept(each, MOST_BYTES - bytes)
    if (typeof found === 'string') refused.push(`[${nameOf(each)} is not shown: ${found}]`)
    else {
      bytes += found.bytes
      images.push(found)
      texts.push({ hash: found.hash, text: each.data })
    }
  }
  const unsaid = refused.length - MOST_IMAGES
  const lines = [
    ...refused.slice(0, MOST_IMAGES),
    ...(unsaid > 0 ? [`[${counted(unsaid)} cannot be shown]`] : []),
    ...(more > 0 ? [`[${counted(more)} not shown: at most ${MOST_IMAGES} go with one result]`] : []),
  ]
  if (lines.length === 0) return { ...settlement, images, texts }
  const { content } = settlement
  return { ...settlement, content: [...(content === undefined ? [] : [content]), ...lines].join('\n'), images, texts }
}

const counted = (images: number): string => (images === 1 ? '1 more image is' : `${images} more images are`)

/** An image as the log names it, or why it is not kept. */
function kept(image: ToolImage, room: number): ResultImage | string {
  const mediaType = image.mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const type = IMAGE_TYPES.find(known => known === mediaType)
  if (type === undefined) return `only ${IMAGE_TYPES.map(kindOf).join(', ')} can be`
  if (image.data.length * 0.75 > MOST_IMAGE_BYTES + 2) return `it has more than ${megabytes(MOST_IMAGE_BYTES)} MB`
  const bytes = Buffer.from(image.data, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== image.data) return 'its data is not base64'
  if (bytes.length > MOST_IMAGE_BYTES) return `it has more than ${megabytes(MOST_IMAGE_BYTES)} MB`
  if (bytes.length > room) return `the images of one result have at most ${megabytes(MOST_BYTES)} MB together`
  const found = imageTypeOf(bytes)
  if (found !== type) return `its bytes are not ${kindOf(type)}${found === undefined ? '' : ` but ${kindOf(found)}`}`
  const size = sizeOf(bytes, type)
  if (size === undefined || size.width === 0 || size.height === 0 || !isWhole(bytes, type)) return 'its bytes are damaged'
  if (Math.max(size.width, size.height) > MOST_PIXELS) return `it is larger than ${MOST_PIXELS} pixels`
  return {
    ...{ type: 'image', name: nameOf(image), mediaType: type, hash: hash(image.data) },
    ...{ bytes: bytes.length, tokens: imageTokens(bytes, type) },
  }
}

const kindOf = (mediaType: string): string => mediaType.slice('image/'.length)
const megabytes = (bytes: number): string => String(bytes / 1_000_000)

/** One line, without characters that cannot be encoded. */
const nameOf = ({ name }: ToolImage): string =>
  name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, ' ')
    .trim()
    .slice(0, MOST_NAME)
    .toWellFormed() || 'image'

/** Whether a PNG consists of chunks up to its end. Of the other kinds, only the header is read. */
function isWhole(bytes: Buffer, type: ResultImage['mediaType']): boolean {
  if (type !== 'image/png') return true
  for (let at = 8; at + 12 <= bytes.length; ) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true
    at += 12 + bytes.readUInt32BE(at)
  }
  return false
}
