// Splits a stream of bytes into the JSON objects it lists.
import { badAt, type FilePosition } from './place.ts'

/** One value of a file, not looked into yet. */
export type JsonText = {
  readonly text: string
  /** Where it begins. */
  readonly line: number
  /** Which it is, from 1. */
  readonly number: number
  /** Whether the file is one list, or values one after the other. */
  readonly isListed: boolean
}

/** No conversation that a person had comes near. */
const MOST_BYTES = 64 << 20
const MOST_NESTED = 200
/** Brackets, commas and colons: what a value takes in memory goes by them as much as by its bytes. */
const MOST_MARKS = 3_000_000

const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const [NEWLINE, QUOTE, BACKSLASH, COMMA, COLON] = [0x0a, 0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Takes a stream of bytes apart into the objects that it lists, or that stand in it one after the other, without ever holding
 * more than one. Only as much of JSON is understood here as that takes; each object is parsed as a whole by whoever gets it.
 */
export class JsonSplitter {
  readonly #place: FilePosition
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #expects: 'anything' | 'object' | 'object or end' | 'comma or end' | 'more or nothing' | 'nothing' = 'anything'
  #isListed = false
  #line = 1
  #number = 0

  #depth = 0
  #isQuoted = false
  #isEscaped = false
  #began = 1
  #marks = 0
  #bytes = 0
  #held: Uint8Array[] = []

  constructor(place: FilePosition) {
    this.#place = place
  }

  *push(chunk: Uint8Array): Generator<JsonText> {
    let at = 0
    while (at < chunk.length) {
      if (this.#depth === 0) {
        at = this.#between(chunk, at)
        continue
      }
      const end = this.#within(chunk, at)
      this.#bytes += end - at
      if (this.#bytes > MOST_BYTES) throw this.#bad(`is larger than ${MOST_BYTES >> 20} MiB`)
      const piece = chunk.subarray(at, end)
      at = end
      if (this.#depth > 0) this.#held.push(piece)
      else yield this.#whole(piece)
    }
  }

  end(): void {
    if (this.#depth > 0) throw this.#bad('the file ends in the middle of it; it was cut off')
    if (this.#expects === 'anything') throw badAt(this.#place, 'the file is empty')
    if (this.#isListed && this.#expects !== 'nothing') throw this.#badHere('the file ends before its list does; it was cut off')
  }

  /** Between two values: the place of the first byte that belongs to one, or of the end. */
  #between(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (byte === NEWLINE) this.#line += 1
      if (SPACE.has(byte)) continue
      if (byte === OBJECT && this.#expects !== 'comma or end' && this.#expects !== 'nothing') {
        this.#begin()
        return at
      }
      if (byte === LIST && this.#expects === 'anything') {
        this.#isListed = true
        this.#expects = 'object or end'
      } else if (byte === LIST_END && (this.#expects === 'object or end' || this.#expects === 'comma or end'))
        this.#expects = 'nothing'
      else if (byte === COMMA && this.#expects === 'comma or end') this.#expects = 'object'
      else throw this.#badHere(`${shown(byte)} is not expected here${EXPECTED[this.#expects]}`)
    }
    return chunk.length
  }

  #begin(): void {
    this.#number += 1
    this.#marks = 0
    this.#bytes = 0
    this.#began = this.#line
    this.#held = []
    // The loop within meets its opening bracket first; this only tells that there is one.
    this.#depth = -1
  }

  /** Within a value: the place behind its last byte, or the end of the chunk. */
  #within(chunk: Uint8Array, from: number): number {
    let depth = Math.max(this.#depth, 0)
    let marks = this.#marks
    let isQuoted = this.#isQuoted
    let isEscaped = this.#isEscaped
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (isQuoted) {
        // Most of a file stands in quotes, so their ends are looked for the fast way.
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isQuoted = false
        else at = nextMark(chunk, at + 1) - 1
        continue
      }
      if (byte === QUOTE) isQuoted = true
      else if (byte === COMMA || byte === COLON) marks += 1
      else if (byte === OBJECT || byte === LIST) {
        depth += 1
        marks += 1
        if (depth > MOST_NESTED) throw this.#bad(`is nested more than ${MOST_NESTED} deep`)
      } else if (byte === OBJECT_END || byte === LIST_END) {
        depth -= 1
        if (depth === 0) {
          at += 1
          break
        }
      } else if (byte === NEWLINE) this.#line += 1
    }
    if (marks > MOST_MARKS) throw this.#bad(`has more than ${MOST_MARKS} values`)
    this.#depth = depth
    this.#marks = marks
    this.#isQuoted = isQuoted
    this.#isEscaped = isEscaped
    return at
  }

  #whole(last: Uint8Array): JsonText {
    const bytes = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last])
    this.#held = []
    this.#expects = this.#isListed ? 'comma or end' : 'more or nothing'
    const decoded = { line: this.#began, number: this.#number, isListed: this.#isListed }
    try {
      return { ...decoded, text: this.#decoder.decode(bytes) }
    } catch {
      throw this.#bad('is not text in UTF-8')
    }
  }

  /** Of the value that is being read. */
  #bad(what: string): Error {
    return badAt({ ...this.#file(), ...(this.#isListed ? { conversation: this.#number } : { line: this.#began }) }, what)
  }

  /** Of what stands between two values. */
  #badHere(what: string): Error {
    return badAt({ ...this.#file(), line: this.#line }, what)
  }

  #file(): FilePosition {
    const { file } = this.#place
    return file === undefined ? {} : { file }
  }
}

/** Where a string may be looked at next: at a quote or backslash, or after a stretch that has none. */
function nextMark(chunk: Uint8Array, from: number): number {
  // Short strings end before a search would have begun.
  const near = Math.min(from + 24, chunk.length)
  for (let at = from; at < near; at += 1) if (chunk[at] === QUOTE || chunk[at] === BACKSLASH) return at
  // Not far, or a string full of backslashes would be searched to its end for each of them.
  const stretch = chunk.subarray(near, near + 512)
  const quote = stretch.indexOf(QUOTE)
  const backslash = stretch.indexOf(BACKSLASH)
  if (quote === -1 && backslash === -1) return near + stretch.length
  return near + Math.min(quote === -1 ? stretch.length : quote, backslash === -1 ? stretch.length : backslash)
}

const EXPECTED = {
  anything: ': a file of conversations begins with { or [',
  object: ': an object should follow the comma',
  'object or end': ': the list should hold objects',
  'comma or end': ': a comma or the end of the list should follow',
  'more or nothing': ': another object or the end of the file should follow',
  nothing: ': the list has ended',
} as const

const shown = (byte: number): string =>
  byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `the byte 0x${byte.toString(16).padStart(2, '0')}`
