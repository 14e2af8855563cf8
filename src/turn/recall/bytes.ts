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
  readonly isAtEnd: () => boolean
}

/** Reads what `byteWriter` wrote. */
export function byteReader(bytes: Uint8Array): ByteReader {
  let at = 0
  const number = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[at++]
      if (byte === undefined) throw new RangeError('the bytes end inside a number')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  return {
    number,
    text: () => {
      const length = number()
      at += length
      return DECODER.decode(bytes.subarray(at - length, at))
    },
    isAtEnd: () => at >= bytes.length,
  }
}

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()
