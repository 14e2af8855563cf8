/** Cuts a text into passages: the pieces that recall compares and quotes. */

/** A slice of a text, in UTF-16 units. */
export type PassageSlice = { readonly from: number; readonly to: number }

/** A text up to this length is one passage. */
const LONGEST_WHOLE = 750
/** Longer texts are packed from whole sentences up to this length. */
const LONGEST_PACKED = 500

/** The passages of a text in their order: together they have all of it but white space. */
export function passagesOf(text: string): readonly PassageSlice[] {
  const from = skipSpace(text, 0, text.length)
  const to = dropSpace(text, from, text.length)
  if (from === to) return []
  return to - from <= LONGEST_WHOLE ? [{ from, to }] : packed(text, from, to)
}

/** Joins sentences, and parts of long ones, as long as they fit into one passage. */
function packed(text: string, from: number, to: number): readonly PassageSlice[] {
  const passages: PassageSlice[] = []
  let open: PassageSlice | undefined
  for (let at = from; at < to; ) {
    const end = sentenceEnd(text, at, to)
    for (const part of partsOf(text, at, dropSpace(text, at, end))) {
      if (open !== undefined && part.to - open.from > LONGEST_PACKED) {
        passages.push(open)
        open = undefined
      }
      open = { from: open?.from ?? part.from, to: part.to }
    }
    at = skipSpace(text, end, to)
  }
  return open === undefined ? passages : [...passages, open]
}

/** A sentence as it is, or cut between words if it is too long, or anywhere if a word alone is. */
function partsOf(text: string, from: number, to: number): readonly PassageSlice[] {
  const parts: PassageSlice[] = []
  let start = from
  while (to - start > LONGEST_PACKED) {
    const end = lastWordEnd(text, start, start + LONGEST_PACKED)
    parts.push({ from: start, to: end })
    start = skipSpace(text, end, to)
  }
  if (start < to) parts.push({ from: start, to })
  return parts
}

/** Where the last whole word before a limit ends; the limit itself, or one less, if no word ends there. */
function lastWordEnd(text: string, start: number, limit: number): number {
  for (let at = limit; at > start; at--) if (isSpace(text.charCodeAt(at))) return dropSpace(text, start, at)
  return splitsPair(text, limit) ? limit - 1 : limit
}

const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Where the sentence that begins here ends: at a line break, after `.`, `!` or `?` before a space, or after 。！？. */
function sentenceEnd(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const character = text.charAt(at)
    if (character === '\n' || character === '\r' || WIDE_ENDS.includes(character)) return at + 1
    if (ENDS.includes(character) && isSpace(text.charCodeAt(at + 1))) return at + 1
    if (CLOSERS.includes(character) && ENDS.includes(text.charAt(at - 1)) && isSpace(text.charCodeAt(at + 1))) return at + 1
  }
  return to
}

const WIDE_ENDS: readonly string[] = ['。', '！', '？']
const ENDS: readonly string[] = ['.', '!', '?', '…', '؟', '।']
const CLOSERS: readonly string[] = ['"', "'", ')', ']', '”', '’', '»', '*']

function skipSpace(text: string, from: number, to: number): number {
  let at = from
  while (at < to && isSpace(text.charCodeAt(at))) at++
  return at
}

function dropSpace(text: string, from: number, to: number): number {
  let at = to
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** The same characters as `trim` takes away. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0xa0
  return (code >= 0x2000 && code <= 0x200a) || RARE_SPACES.includes(code)
}

const RARE_SPACES: readonly number[] = [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
