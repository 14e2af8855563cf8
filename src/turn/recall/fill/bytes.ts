/** Numbers and texts as bytes, and back: whole numbers take as few bytes as they need. */

export type ByteWriter = {
  readonly number: (value: number) => void
  readonly text: (value: string) => void
  readonly done: () => Uint8Array
}

/** Writes whole numbers from 0 up, seven bits to a byte, and texts behind their length. */
export function byteWriter(): ByteWriter {
  let bytes = new Uint8Array(256)
  let length = 0
  const grow = (by: number): void => {
    if (length + by <= bytes.length) return
    const larger = new Uint8Array(Math.max(bytes.length * 2, length + by))
    larger.set(bytes)
    bytes = larger
  }
  const number = (value: number): void => {
    grow(8)
    let rest = value
    while (rest >= 0x80) {
      bytes[length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    bytes[length++] = rest
  }
  return {
    number,
    text: value => {
      const encoded = ENCODER.encode(value)
      number(encoded.length)
      grow(encoded.length)
      bytes.set(encoded, length)
      length += encoded.length
    },
    done: () => bytes.slice(0, length),
  }
}

export type ByteReader = {
  readonly number: () => number
  readonly text: () => string
  /** The next text if it is one of these, else undefined. */
  readonly textAmong: (texts: AmongTexts) => string | undefined
  /** Moves on without reading. */
  readonly skipNumbers: (many: number) => void
  readonly skipText: () => void
  readonly at: () => number
  readonly isAtEnd: () => boolean
}

/** Reads what `byteWriter` wrote, from its beginning or from a place in it. */
export function byteReader(bytes: Uint8Array, from = 0): ByteReader {
  let at = from
  const { length: end } = bytes
  const number = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      if (at >= end) throw new RangeError('the bytes end inside a number')
      const byte = bytes[at++] as number
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  /** Moves behind a text. Damaged bytes may give any length, and a text of that length must not even be begun. */
  const skipText = (): number => {
    const length = number()
    at += length
    if (at > bytes.length) throw new RangeError('the bytes end inside a text')
    return length
  }
  return {
    number,
    text: () => {
      const length = skipText()
      return textOf(bytes, at - length, at)
    },
    textAmong: ({ keys, texts }) => {
      const length = skipText()
      if (!keys.has(keyOf(length, bytes[at - length] ?? 0, bytes[at - 1] ?? 0))) return undefined
      const text = textOf(bytes, at - length, at)
      return texts.has(text) ? text : undefined
    },
    skipNumbers: many => {
      for (let left = many; left > 0; at += 1) {
        if (at >= end) throw new RangeError('the bytes end inside a number')
        if ((bytes[at] as number) < 0x80) left -= 1
      }
    },
    skipText,
    at: () => at,
    isAtEnd: () => at >= end,
  }
}

/** Texts to look for, with what is known of each without reading it: its length, and its first and last byte. */
export type AmongTexts = { readonly texts: ReadonlySet<string>; readonly keys: ReadonlySet<number> }

export const amongTexts = (texts: ReadonlySet<string>): AmongTexts => ({
  texts,
  keys: new Set(
    [...texts].map(text => {
      const encoded = ENCODER.encode(text)
      return keyOf(encoded.length, encoded[0] ?? 0, encoded.at(-1) ?? 0)
    }),
  ),
})

const keyOf = (length: number, first: number, last: number): number => (length * 256 + first) * 256 + last

/** Short texts of plain letters are made by hand: that is several times faster. A decoder refuses bytes that threads share. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number
    if (byte >= 0x80) return DECODER.decode(bytes.slice(from, to))
    text += String.fromCharCode(byte)
  }
  return text
}

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()
