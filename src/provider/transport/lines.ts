/** Cuts a stream of bytes at line breaks, so that text is read in whole lines and whole characters. */

/** Bytes that may still become a line. */
export type Lines = { readonly rest: Uint8Array; readonly hasBegun: boolean }

export const NO_LINES: Lines = { rest: new Uint8Array(), hasBegun: false }

/** The longest line. No provider sends a longer one, so a server that does is broken or hostile. */
export const MOST_LINE_BYTES: number = 1 << 20

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of all lines that a chunk completes, with line breaks. It is cut as bytes, so no character is read by halves. */
export function wholeLines({ rest, hasBegun }: Lines, chunk: Uint8Array): readonly [Lines, string] {
  const bytes = rest.length === 0 ? chunk : joined(rest, chunk)
  const cut = afterLastBreak(bytes)
  if (cut === 0) return [{ rest: rest.length === 0 ? bytes.slice() : bytes, hasBegun }, '']
  const text = DECODER.decode(bytes.subarray(0, cut))
  return [{ rest: bytes.slice(cut), hasBegun: true }, hasBegun ? text : withoutMark(text)]
}

/** The rest when the bytes end. The last line may lack its line break. */
export function lastLine({ rest, hasBegun }: Lines): string {
  const text = DECODER.decode(rest).replace(/\r$/, '')
  return hasBegun ? text : withoutMark(text)
}

export const isTooLong = ({ rest }: Lines): boolean => rest.length > MOST_LINE_BYTES

/** A carriage return at the very end is not a line break yet, because a line feed may follow. */
function afterLastBreak(bytes: Uint8Array): number {
  const feed = bytes.lastIndexOf(LINE_FEED)
  const before = bytes.length - 2
  const carriage = before < 0 ? -1 : bytes.lastIndexOf(CARRIAGE_RETURN, before)
  return Math.max(feed, carriage) + 1
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)
