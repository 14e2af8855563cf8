/** Shortens a text to its beginning and its end, in whole lines, and says between them how much is not shown. */
import type { Measure } from './tokens.ts'

/** What the words about the missing middle take, with room for their numbers. */
const MARKER_TOKENS = 24
/** Two thirds of an excerpt are from the beginning of the text, the rest is from its end. */
const FROM_BEGINNING = 2 / 3
/** A part that uses so much of its room is long enough: to find the very last line would cost more than it brings. */
const ENOUGH = 0.9
const TRIES = 8

/**
 * At most so many tokens of a text: whole lines of its beginning and of its end (a line that is too long is cut between words).
 * `advice` is said with what is missing. A text that fits comes back as it is; where not even the words about the missing
 * middle fit, nothing comes back.
 */
export function excerptText(text: string, most: number, measure: Measure, advice = ''): string {
  const total = measure.count(text)
  if (total <= most) return text
  const around = MARKER_TOKENS + (advice === '' ? 0 : measure.count(advice))
  for (let room = Math.max(0, most - around); room >= 0; room = Math.floor(room * 0.9) - 1) {
    const excerpt = cut(text, room, total, measure, advice)
    if (measure.count(excerpt) <= most) return excerpt
  }
  return ''
}

function cut(text: string, room: number, total: number, measure: Measure, advice: string): string {
  const share = total / text.length
  const beginning = text.slice(0, within(text, Math.floor(room * FROM_BEGINNING), share, measure, 'beginning'))
  const used = measure.count(beginning)
  const rest = text.slice(beginning.length)
  const end = rest.slice(rest.length - within(rest, room - used, share, measure, 'end'))
  const missing = rest.slice(0, rest.length - end.length)
  // The words about what is missing say something by themselves only if they say how to read on.
  if (beginning.trim() === '' && end.trim() === '' && advice === '') return ''
  const tokens = Math.max(1, total - used - measure.count(end))
  const isOneLine = !text.trim().includes('\n')
  const many = missing.trim().includes('\n') ? counted(linesIn(missing), 'line') : counted(wordsIn(missing), 'word')
  const marker = `[… ${many}, about ${counted(tokens, 'token')}, not shown${advice === '' ? '' : `: ${advice}`} …]`
  return [beginning.trimEnd(), marker, end.trimStart()].filter(part => part !== '').join(isOneLine ? ' ' : '\n')
}

const counted = (many: number, one: string): string => `${many.toLocaleString('en')} ${one}${many === 1 ? '' : 's'}`

type Side = 'beginning' | 'end'

/**
 * How many characters of one end of a text have at most `most` tokens, up to the end of a line, or of a word where the line is
 * too long. `share` is how many tokens a character has on average: the search begins where so many should be.
 */
function within(text: string, most: number, share: number, measure: Measure, side: Side): number {
  if (most <= 0 || text.length === 0) return 0
  const piece = (length: number): string => (side === 'beginning' ? text.slice(0, length) : text.slice(text.length - length))
  let found = 0
  let length = Math.min(text.length, Math.max(1, Math.ceil(most / share)))
  for (let tries = 0; tries < TRIES && length > found; tries += 1) {
    const tokens = measure.count(piece(length))
    if (tokens <= most) {
      found = length
      if (tokens >= most * ENOUGH) break
      length = Math.min(text.length, Math.ceil((length * most) / Math.max(1, tokens)))
    } else length = Math.max(found, Math.floor(((length * most) / tokens) * 0.97))
  }
  return found === text.length ? found : wholeLines(piece(found), side)
}

/** As many characters of a piece as are whole lines, or whole words if there are few lines in it; never half a character. */
function wholeLines(piece: string, side: Side): number {
  const isBeginning = side === 'beginning'
  const line = isBeginning ? piece.lastIndexOf('\n') + 1 : piece.length - piece.indexOf('\n') - 1
  const hasLine = piece.includes('\n')
  if (hasLine && line * 2 >= piece.length) return line
  const space = isBeginning ? piece.search(/\s\S{0,200}$/) : piece.search(/\s/)
  const word = space === -1 ? 0 : isBeginning ? space : piece.length - space
  if (word * 2 >= piece.length) return word
  if (hasLine && line > 0) return line
  const isHalf = isBeginning ? /[\uD800-\uDBFF]$/.test(piece) : /^[\uDC00-\uDFFF]/.test(piece)
  return piece.length - (isHalf ? 1 : 0)
}

/** Lines with something in them. */
function linesIn(text: string): number {
  let lines = 0
  let isBlank = true
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 10) isBlank = true
    else if (isBlank && code > 32) {
      lines += 1
      isBlank = false
    }
  }
  return lines
}

function wordsIn(text: string): number {
  let words = 0
  let isInside = false
  for (let index = 0; index < text.length; index += 1) {
    const isSpace = text.charCodeAt(index) <= 32
    if (!isSpace && !isInside) words += 1
    isInside = !isSpace
  }
  return words
}
