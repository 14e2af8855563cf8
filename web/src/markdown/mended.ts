// Closes what a growing text has opened, so that it looks calm while it is being written.

/** Longer last paragraphs are shown as they come; looking through them for every few letters would be felt. */
const LONGEST = 10_000
/** The same for a piece of many short paragraphs, such as a list without an end. */
const LONGEST_PIECE = 100_000

/**
 * The last piece of a text that is still being written, so that it looks calm: what was begun and not ended is ended here,
 * and a mark that means nothing yet is left out until it does. A finished text does not come through here.
 */
export function mended(raw: string): string {
  if (raw.length > LONGEST_PIECE) return raw
  const text = withDelimiterRow(withoutLoneMark(raw))
  if (isInFence(text)) return text
  const from = lastStart(text)
  return text.length - from > LONGEST ? text : text.slice(0, from) + endedInline(text.slice(from))
}

/** A dash below a line would make it a heading for a moment, and a number or a star an empty list. */
function withoutLoneMark(text: string): string {
  return text.replace(/(^|\n)[ \t>]*(?:[-=]+|[*+_#`~]{1,6}|\d{1,9}[.)])[ \t]*$/, (mark, before: string) =>
    /^\s*(?:-{3,}|={3,}|`{3,}|~{3,})\s*$/.test(mark) ? mark : before,
  )
}

/** A table is one from its second line on, as soon as that line cannot be anything else. */
function withDelimiterRow(text: string): string {
  const [head, row] = text.split('\n').slice(-2)
  if (head === undefined || row === undefined || !head.includes('|') || !/^ {0,3}\|[ :|-]*$/.test(row)) return text
  const cells = head
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/).length
  const given = row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .filter(cell => /^ *:?-+:? *$/.test(cell))
  if (given.length > cells) return text
  return `${text.slice(0, text.length - row.length)}|${[...given, ...Array(cells - given.length).fill('-')].join('|')}|`
}

function isInFence(text: string): boolean {
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const mark = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark === undefined) continue
    if (fence === null) fence = mark
    else if (mark.startsWith(fence)) fence = null
  }
  return fence !== null
}

/** Where the last paragraph, item, heading or cell begins: nothing is left open beyond it. */
function lastStart(text: string): number {
  const line = text.lastIndexOf('\n') + 1
  if (/^ {0,3}\|/.test(text.slice(line))) return text.lastIndexOf('|') + 1
  const starts = text.matchAll(/(?:^|\n)(?:[ \t]*\n|[ \t>]*(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+|[ \t]*>[ \t]?)/g)
  const last = [...starts].at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}

/** Begun with a bracket and known to be a link by its second one: its words alone, until it is whole. */
const HALF_LINK = /^!?\[((?:\\.|[^[\]\\])*)\]\([^()\s]*$/

function endedInline(text: string): string {
  const open: string[] = []
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const run = /^(?:`+|\*+|_+|~+|\$\$|\\[\s\S]?|!?\[)/.exec(rest)?.[0]
    if (run === undefined) {
      at += 1
      continue
    }
    const end = at + run.length
    switch (run[0]) {
      case '\\':
      case '$': {
        const close = run === '\\(' ? '\\)' : run === '\\[' ? '\\]' : run === '$$' ? '$$' : null
        const closed = close === null ? end : text.indexOf(close, end)
        if (run === '\\') return ended(text.slice(0, at), open)
        if (closed < 0) return ended(text.slice(0, at), open, asCode(rest))
        at = close === null ? end : closed + 2
        break
      }
      case '`': {
        const close = new RegExp(`(?<!\`)${run}(?!\`)`).exec(text.slice(end))
        if (close === null) return ended(text.slice(0, at), open, rest.trim() === run ? '' : rest.trimEnd() + run)
        at = end + close.index + run.length
        break
      }
      case '!':
      case '[': {
        const words = HALF_LINK.exec(rest)?.[1]
        if (words !== undefined) return ended(text.slice(0, at) + words, open)
        at = end
        break
      }
      default:
        if (end === text.length) return ended(text.slice(0, at), open)
        note(open, run, text[at - 1] ?? ' ', text[end] ?? ' ')
        at = end
    }
  }
  return ended(text, open)
}

/** Takes from what is open what this run ends, or adds what it begins. */
function note(open: string[], run: string, before: string, after: string): void {
  let left = run.length
  if (/\S/.test(before)) {
    for (let last = open.at(-1); last?.[0] === run[0] && last !== undefined && last.length <= left; last = open.at(-1)) {
      left -= last.length
      open.pop()
    }
  }
  const begins = left > 0 && /\S/.test(after) && !/[\p{L}\p{N}]/u.test(before)
  if (!begins || (run[0] === '~' && left !== 2)) return
  if (left >= 2) open.push(run.slice(0, 2))
  if (left % 2 === 1) open.push(run.slice(0, 1))
}

/** Emphasis ends at a letter, never at a space. */
function ended(text: string, open: readonly string[], more = ''): string {
  if (open.length === 0) return text + more
  const whole = (text + more).trimEnd()
  const begun = open.join('')
  // Nothing is emphasised yet.
  return whole.endsWith(begun) ? whole.slice(0, -begun.length) : whole + open.toReversed().join('')
}

/** The source of a formula that is still being written. */
function asCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark} ${text.trim().replace(/\n\s*\n/g, '\n')} ${mark}`
}
