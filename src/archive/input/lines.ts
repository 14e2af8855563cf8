// Splits a stream of bytes into lines.
import { badAt, type FilePosition } from './place.ts'

/**
 * The longest line. A message takes a text file of up to 18 MiB, JSON may need six characters for each byte, and the rest of
 * the line needs room too.
 */
const MOST_BYTES = 112 << 20
const NEWLINE = 0x0a

/** Splits a stream of bytes into lines, and counts them in `place`. */
export class LineSplitter {
  readonly #place: FilePosition
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #held: Uint8Array[] = []
  #bytes = 0

  constructor(place: FilePosition) {
    this.#place = place
    place.line = 1
  }

  /** Gives each line without its line break. `place` is at that line until the next one is asked for. */
  *push(chunk: Uint8Array): Generator<string> {
    let at = 0
    while (at < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline === -1 ? chunk.length : newline
      this.#hold(chunk.subarray(at, end))
      at = end + 1
      if (newline === -1) return
      yield this.#whole()
      this.#place.line = (this.#place.line ?? 0) + 1
    }
  }

  /** Gives the text after the last line break. */
  *end(): Generator<string> {
    if (this.#bytes > 0) yield this.#whole()
  }

  #hold(piece: Uint8Array): void {
    this.#bytes += piece.length
    if (this.#bytes > MOST_BYTES) throw badAt(this.#place, `the line is longer than ${MOST_BYTES >> 20} MiB`)
    this.#held.push(piece)
  }

  #whole(): string {
    const [only] = this.#held
    const bytes = this.#held.length === 1 && only !== undefined ? only : Buffer.concat(this.#held)
    this.#held = []
    this.#bytes = 0
    try {
      return this.#decoder.decode(bytes)
    } catch {
      throw badAt(this.#place, 'is not text in UTF-8')
    }
  }
}
