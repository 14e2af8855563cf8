// Splits a stream of bytes into lines.
import { badAt, type FilePosition } from './place.ts'

/** The largest text file that a message takes, 18 MiB, where JSON needs six characters for each; with what stands around it. */
const MOST_BYTES = 112 << 20
const NEWLINE = 0x0a

/** Takes a stream of bytes apart into lines, and counts them in its place. */
export class LineSplitter {
  readonly #place: FilePosition
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #held: Uint8Array[] = []
  #bytes = 0

  constructor(place: FilePosition) {
    this.#place = place
    place.line = 1
  }

  /** Each line without its end; the place is that line's until the next one is asked for. */
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

  /** What stands behind the last line's end. */
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
