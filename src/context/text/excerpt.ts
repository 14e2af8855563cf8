/** Shortens a text to its beginning and its end, in whole lines, and says between them how much is not shown. */
import type { Measure } from './tokens.ts'

/** What the words about the missing middle take, with room for their numbers. */
const MARKER_TOKENS = 24
/** Two thirds of an excerpt are from the beginning of the text, the rest is from its end. */
const FROM_BEGINNING = 2 / 3
/** No token has more characters than this, near enough: a longer stretch need not be counted to know that it is too long. */
const CHARACTERS = 8

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
  const beginning = linesWithin(text, Math.floor(room * FROM_BEGINNING), measure, 'beginning')
  const rest = text.slice(beginning.length)
  const end = linesWithin(rest, room - measure.count(beginning), measure, 'end')
  const missing = rest.slice(0, rest.length - end.length)
  const tokens = Math.max(1, total - measure.count(beginning) - measure.count(end))
  const lines = missing.split('\n').filter(line => line.trim() !== '').length
  const isInsideLine = !missing.trim().includes('\n')
  const words = missing.split(/\s+/).filter(word => word !== '').length
  const many = isInsideLine ? counted(words, 'word') : counted(lines, 'line')
  const marker = `[… ${many}, about ${counted(tokens, 'token')}, not shown${advice === '' ? '' : `: ${advice}`} …]`
  const joint = isInsideLine && text.trim().includes('\n') === false ? ' ' : '\n'
  return [beginning.trimEnd(), marker, end.trimStart()].filter(part => part !== '').join(joint)
}

const counted = (many: number, one: string): string => `${many.toLocaleString('en')} ${one}${many === 1 ? '' : 's'}`

/** As many whole lines of one end of a text as have at most `most` tokens; of a line that alone is too long, whole words. */
function linesWithin(text: string, most: number, measure: Measure, side: 'beginning' | 'end'): string {
  if (most <= 0) return ''
  const fromStart = side === 'beginning'
  let taken = 0
  let used = 0
  while (taken < text.length) {
    const next = fromStart ? text.indexOf('\n', taken) : text.lastIndexOf('\n', text.length - taken - 2)
    const until = fromStart ? (next === -1 ? text.length : next + 1) : text.length - (next === -1 ? 0 : next + 1)
    const line = fromStart ? text.slice(taken, until) : text.slice(text.length - until, text.length - taken)
    const tokens = line.length > (most - used + 1) * CHARACTERS * 4 ? Number.POSITIVE_INFINITY : measure.count(line)
    if (used + tokens > most) {
      // A long line is cut between words, unless the lines before it fill most of the room.
      const left = most - used
      const piece = left * 2 < most ? '' : wordsWithin(line, left, measure, fromStart)
      taken += piece.length
      break
    }
    used += tokens
    taken = until
  }
  return fromStart ? text.slice(0, taken) : text.slice(text.length - taken)
}

/** As many whole words of one end of a line as have at most `most` tokens; of one endless word, as many characters. */
function wordsWithin(line: string, most: number, measure: Measure, fromStart: boolean): string {
  const near = fromStart ? line.slice(0, most * CHARACTERS) : line.slice(-most * CHARACTERS)
  const piece = (length: number): string => (fromStart ? near.slice(0, length) : near.slice(near.length - length))
  let low = 0
  let high = near.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure.count(piece(middle)) <= most) low = middle
    else high = middle - 1
  }
  const found = piece(low)
  if (found.length === line.length) return found
  const space = fromStart ? found.search(/\s\S*$/) : found.search(/\s/)
  if (fromStart) return space > 0 ? found.slice(0, space) : found.replace(/[\uD800-\uDBFF]$/, '')
  return space === -1 ? found.replace(/^[\uDC00-\uDFFF]/, '') : found.slice(space)
}
