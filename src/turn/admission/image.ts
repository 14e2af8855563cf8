/** Reads an image's type and size from its bytes, and estimates how many tokens a model counts for it. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

export const IMAGE_TYPES: readonly ImageType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The type of an image by its first bytes. Undefined for bytes that are not an image that models can see. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (begins(bytes, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (begins(bytes, '\xff\xd8\xff')) return 'image/jpeg'
  if (begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a')) return 'image/gif'
  return begins(bytes, 'RIFF') && nameAt(bytes, 8) === 'WEBP' ? 'image/webp' : undefined
}

const PIXELS_PER_TOKEN = 750
const LEAST = 85
const MOST = 1600

/** About how many tokens a model counts for an image. The maximum if its size cannot be read. */
export function imageTokens(bytes: Buffer, type: ImageType): number {
  const size = sizeOf(bytes, type)
  if (size === undefined || size.width === 0 || size.height === 0) return MOST
  return Math.min(MOST, Math.max(LEAST, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN)))
}

export type Size = { readonly width: number; readonly height: number }

/** The size in pixels, from the header. Undefined if the header is cut off or unknown. */
export function sizeOf(bytes: Buffer, type: ImageType): Size | undefined {
  switch (type) {
    case 'image/png':
      return nameAt(bytes, 12) === 'IHDR' && bytes.length >= 24
        ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : undefined
    case 'image/gif':
      return bytes.length >= 10 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined
    case 'image/jpeg':
      return jpegSize(bytes)
    case 'image/webp':
      return webpSize(bytes)
  }
}

/** Segment by segment up to the one that begins a frame; between segments there may be any number of `ff`. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isAlone(marker)) at += 2
    else if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2))
  }
  return undefined
}

const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
/** Tables and arithmetic codes share the numbers of frames. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined
  switch (nameAt(bytes, 12)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

const begins = (bytes: Buffer, magic: string): boolean => bytes.toString('latin1', 0, magic.length) === magic
const nameAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4)
