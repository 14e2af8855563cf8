/** What is known of a stream that has ended: its first and last bytes (the same whole, if nothing was lost), and how much it was. */
export type Captured = {
  readonly front: Uint8Array
  readonly back: Uint8Array
  readonly bytes: number
  /** Newlines. */
  readonly lines: number
}

/** Keeps the beginning and the end of a stream in a fixed amount of memory. */
export type Capture = {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => number
  readonly captured: () => Captured
}

export const NOTHING: Captured = { front: new Uint8Array(), back: new Uint8Array(), bytes: 0, lines: 0 }

const NEWLINE = 10

/** A capture that keeps `each` bytes of either end. */
export function createCapture(each: number): Capture {
  const head = createShelf(each)
  let ring: Buffer | undefined
  let bytes = 0
  let lines = 0

  /** Where in the ring a byte of the stream stands, by its distance from the head's end. */
  const turn = (chunk: Uint8Array, from: number): void => {
    ring ??= Buffer.alloc(each)
    const kept = chunk.subarray(Math.max(0, chunk.length - each))
    const at = (from + chunk.length - kept.length) % each
    const fits = Math.min(kept.length, each - at)
    ring.set(kept.subarray(0, fits), at)
    ring.set(kept.subarray(fits), 0)
  }

  return {
    bytes: () => bytes,
    add: chunk => {
      const taken = head.add(chunk)
      const rest = chunk.subarray(taken)
      if (rest.length > 0) turn(rest, Math.max(0, bytes - each))
      bytes += chunk.length
      lines += newlinesIn(chunk)
    },
    captured: () => {
      const front = head.bytes()
      const behind = Math.max(0, bytes - each)
      const at = behind % each
      if (ring === undefined) return { front, back: front, bytes, lines }
      const back = behind < each ? ring.subarray(0, behind) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)])
      if (behind > each) return { front, back, bytes, lines }
      const whole = Buffer.concat([front, back])
      return { front: whole, back: whole, bytes, lines }
    },
  }
}

/** Takes what fits, copied, so that no larger chunk is held in memory by a part of it. */
function createShelf(size: number) {
  let shelf = Buffer.alloc(0)
  let length = 0
  return {
    bytes: (): Uint8Array => shelf.subarray(0, length),
    add: (chunk: Uint8Array): number => {
      const taken = Math.min(chunk.length, size - length)
      if (taken > 0 && length + taken > shelf.length) {
        const larger = Buffer.alloc(Math.min(size, Math.max(4096, 2 * (length + taken))))
        larger.set(shelf.subarray(0, length))
        shelf = larger
      }
      shelf.set(chunk.subarray(0, taken), length)
      length += taken
      return taken
    },
  }
}

export function newlinesIn(bytes: Uint8Array): number {
  let count = 0
  // Ten times as quick as an iterator, and all of a flood goes through here.
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === NEWLINE) count += 1
  return count
}
