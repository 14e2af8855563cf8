// A stream of bytes that is read in pieces of any size.
import { badFile } from './found.ts'

const NOTHING: Uint8Array = new Uint8Array(0)

/** A stream of bytes. Its reader chooses how much to read at a time. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = NOTHING
  #taken = 0

  constructor(chunks: AsyncIterator<Uint8Array>) {
    this.#chunks = chunks
  }

  /** How many bytes were taken so far. */
  get taken(): number {
    return this.#taken
  }

  /** Returns the next bytes without taking them. It returns fewer only at the end of the stream. */
  async peek(length: number): Promise<Uint8Array> {
    if (this.#rest.length < length) {
      const pieces = [this.#rest]
      for (let held = this.#rest.length; held < length; ) {
        const next = await this.#chunks.next()
        if (next.done === true) break
        pieces.push(next.value)
        held += next.value.length
      }
      this.#rest = Buffer.concat(pieces)
    }
    return this.#rest.subarray(0, length)
  }

  async take(length: number): Promise<Uint8Array> {
    const bytes = await this.peek(length)
    if (bytes.length < length) throw badFile('the ZIP ends in the middle; it was cut off')
    this.skip(length)
    return bytes
  }

  /** Takes the bytes that have already arrived, at most `most` of them. It returns no bytes at the end of the stream. */
  async some(most: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) if ((await this.peek(1)).length === 0) return NOTHING
    const bytes = this.#rest.subarray(0, most)
    this.skip(bytes.length)
    return bytes
  }

  /** Takes bytes that were peeked before. */
  skip(length: number): void {
    this.#rest = this.#rest.subarray(length)
    this.#taken += length
  }

  /** Puts bytes back that were taken but belong to what follows. */
  giveBack(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest])
    this.#taken -= bytes.length
  }
}
