// Splits a stream of bytes into the JSON objects it lists.
import { badAt, type FilePosition } from './place.ts'

/** The text of one JSON value of a file, not parsed yet. */
export type JsonText = {
  readonly text: string
  /** The line on which the value begins. */
  readonly line: number
  /** The value's number in the file, from 1. */
  readonly number: number
  /** True if the file is one list, false if it has values one after the other. */
  readonly isListed: boolean
}

/** The largest value that is read. No conversation of a person comes near this size. */
const MOST_BYTES = 64 << 20
const MOST_NESTED = 200
/** The most brackets, commas and colons in one value. They decide how much memory it takes, as much as its bytes do. */
const MOST_MARKS = 3_000_000

const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const [NEWLINE, QUOTE, BACKSLASH, COMMA, COLON] = [0x0a, 0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Splits a stream of bytes into JSON objects, either the items of one list or objects one after the other. It never keeps
 * more than one object in memory. It understands only as much JSON as that needs; the caller parses each object.
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

  /** Skips what is between two values. Returns the index of the first byte of a value, or of the end. */
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
    // The loop in `#within` meets the opening bracket first; -1 only says that there is one.
    this.#depth = -1
  }

  /** Reads on within a value. Returns the index behind its last byte, or the end of the chunk. */
  #within(chunk: Uint8Array, from: number): number {
    let depth = Math.max(this.#depth, 0)
    let marks = this.#marks
    let isQuoted = this.#isQuoted
    let isEscaped = this.#isEscaped
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (isQuoted) {
        // Most of a file is inside quotes, so the end of a string is searched for the fast way.
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

  /** An error about the value that is being read. */
  #bad(what: string): Error {
    return badAt({ ...this.#file(), ...(this.#isListed ? { conversation: this.#number } : { line: this.#began }) }, what)
  }

  /** An error about something between two values. */
  #badHere(what: string): Error {
    return badAt({ ...this.#file(), line: this.#line }, what)
  }

  #file(): FilePosition {
    const { file } = this.#place
    return file === undefined ? {} : { file }
  }
}

/** The index at which to look at a string next: a quote, a backslash, or the end of a stretch without either. */
function nextMark(chunk: Uint8Array, from: number): number {
  // A short string ends before a search would pay off.
  const near = Math.min(from + 24, chunk.length)
  for (let at = from; at < near; at += 1) if (chunk[at] === QUOTE || chunk[at] === BACKSLASH) return at
  // The search is short; otherwise each backslash of a string full of them would cause a search to the string's end.
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
