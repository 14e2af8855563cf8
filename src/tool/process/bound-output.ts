// Shortens a program's output to whole lines of its beginning and end.
import { type Captured, newlinesIn } from './capture.ts'

/** The most bytes that the log keeps of one result. How much of it a model reads is decided when its next request is built. */
export const MOST_KEPT: number = 256 * 1024

const NEWLINE = 10

/** Shortens output to about `most` bytes: whole lines of its beginning and end, and between them a count of what is missing. */
export function bound(captured: Captured, most: number = MOST_KEPT): string {
  let text = cut(captured, most)
  // Bytes that are not UTF-8, and NULs, become three bytes each, so a text made of them may still be too long.
  for (let bytes = most / 3; Buffer.byteLength(text) > most + NOTE_BYTES && bytes > 1; bytes /= 2) text = cut(captured, bytes)
  return text
}

const NOTE_BYTES = 64

function cut({ front, back, bytes, lines }: Captured, most: number): string {
  if (bytes <= most) return decoded(front)
  const half = Math.floor(most / 2)
  const head = front.subarray(0, endOfHead(front, half))
  const tail = back.subarray(startOfTail(back, half))
  const left = { bytes: bytes - head.length - tail.length, lines: lines - newlinesIn(head) - newlinesIn(tail) }
  return `${decoded(head)}${noteOn(left, isWhole(head, back, tail))}${decoded(tail)}`
}

/** True if only whole lines were left out. */
const isWhole = (head: Uint8Array, back: Uint8Array, tail: Uint8Array): boolean =>
  head.at(-1) === NEWLINE && back.at(-tail.length - 1) === NEWLINE

const noteOn = (left: { readonly bytes: number; readonly lines: number }, isWholeLines: boolean): string =>
  isWholeLines
    ? `… ${counted(left.lines, 'line')} (${sized(left.bytes)}) left out …\n`
    : ` … ${left.bytes.toLocaleString('en-US')} bytes left out … `

/** The end of the last line that fits. It cuts within a line only if whole lines would waste most of the room. */
function endOfHead(bytes: Uint8Array, most: number): number {
  const line = bytes.lastIndexOf(NEWLINE, most - 1) + 1
  return line >= most / 2 ? line : characterBefore(bytes, most)
}

function startOfTail(bytes: Uint8Array, most: number): number {
  const from = bytes.length - most
  const line = bytes.indexOf(NEWLINE, from - 1) + 1
  return line > 0 && bytes.length - line >= most / 2 ? line : characterAfter(bytes, from)
}

/** UTF-8 writes a character in at most four bytes. All but the first begin with the bits 10. */
const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function characterBefore(bytes: Uint8Array, at: number): number {
  const steps = [0, 1, 2, 3].find(back => !isInside(bytes[at - back]))
  return at - (steps ?? 0)
}

function characterAfter(bytes: Uint8Array, at: number): number {
  const steps = [0, 1, 2, 3].find(on => !isInside(bytes[at + on]))
  return at + (steps ?? 0)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are not UTF-8 become U+FFFD, and NUL becomes a visible character. */
export const decoded = (bytes: Uint8Array): string => decoder.decode(bytes).replaceAll('\0', '\u2400')

const counted = (count: number, noun: string): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

const sized = (bytes: number): string => {
  if (bytes < 1000) return counted(bytes, 'byte')
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
