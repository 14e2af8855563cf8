// Wraps lines to the width of the screen.
import { type Sign, signsOf, widthOf } from '../../output/width.ts'
import { dyed, joinedText, type Style, type StyledText, unstyled } from './style.ts'

/** The margin of a screen line: one for its first row, and one for each row it continues on. */
export type Margin = { readonly first: readonly StyledText[]; readonly rest: readonly StyledText[] }

/** Writes lines that are never wider than the screen, and returns the text that can no longer change. */
export type LinePainter = {
  readonly begin: (margin: Margin) => void
  /** Words, wrapped at the spaces between them. */
  readonly words: (text: string, style: Style) => void
  /** A literal text, broken only at the edge. */
  readonly exact: (spans: readonly StyledText[]) => void
  /** Ends the last word of the line. */
  readonly finish: () => void
  /** Continues on a new line with the same margin. */
  readonly wrap: () => void
  /** How many columns are left beside such a margin. */
  readonly room: (margin: Margin) => number
  /** Returns what was written since the last call. */
  readonly take: () => string
  /** Ends the last line, so that the next text begins a new one. */
  readonly close: () => string
}

/** A word longer than this is printed before its end. */
const LONGEST_WORD = 256

/** The columns that the margin always leaves for the text. */
const LEAST_ROOM = 8

/** Characters that must not begin a line and those that must not end one, in scripts where a line may break between any two. */
const CLOSING = /^[、。，．：；？！）」』】〕》〉”’…ー々]/u
const OPENING = /^[（「『【〔《〈“‘]/u

export function createLinePainter({ columns, color }: { readonly columns: number; readonly color: boolean }): LinePainter {
  let out: StyledText[] = []
  let word: StyledText[] = []
  let length = 0
  let hasWide = false
  /** Whether the word continues a part that is already printed. */
  let isRest = false
  let column = 0
  let gap = 0
  let isFresh = true
  let latest: Style = ''
  let isOpen = false
  let rest: readonly StyledText[] = []

  const put = (text: string, style: Style, width: number): void => {
    // A strikethrough also covers the spaces between words.
    if (gap > 0) out.push({ text: ' '.repeat(gap), style: isFresh || style !== latest ? '' : style })
    out.push({ text, style })
    latest = style
    column += gap + width
    gap = 0
    isFresh = false
  }
  const start = (spans: readonly StyledText[]): void => {
    if (isOpen) out.push(unstyled('\n'))
    isOpen = true
    column = 0
    gap = 0
    for (const { text, style } of fitting(spans, columns)) {
      const shown = text.trimEnd()
      if (shown !== '') put(shown, style, widthOf(shown))
      gap += text.length - shown.length
    }
    isFresh = true
  }
  const sign = ({ text, width }: Sign, style: Style): void => {
    if (column + gap + width > columns && !isFresh) start(rest)
    put(text, style, width)
  }
  /** Places text without breaking it, unless it is longer than a line. */
  const place = (spans: readonly StyledText[]): void => {
    const width = spans.reduce((sum, { text }) => sum + widthOf(text), 0)
    if (!isRest && !isFresh && column + gap + width > columns) start(rest)
    if (column + gap + width <= columns) for (const { text, style } of spans) put(text, style, widthOf(text))
    else for (const { text, style } of spans) for (const each of signsOf(text)) sign(each, style)
  }
  const flush = (): void => {
    if (word.length > 0) place(joinedText(word))
    word = []
    length = 0
    hasWide = false
    isRest = false
  }
  /** East Asian text has no spaces, so it may break before almost every character. */
  const settle = (): void => {
    const signs = joinedText(word).flatMap(({ text, style }) => signsOf(text).map(each => ({ ...each, style })))
    let from = 0
    for (const [at, next] of signs.entries()) {
      const before = signs[at - 1]
      if (before === undefined || CLOSING.test(next.text) || OPENING.test(before.text)) continue
      if (before.width < 2 && next.width < 2) continue
      place(joinedText(signs.slice(from, at)))
      isRest = false
      from = at
    }
    word = signs.slice(from).map(({ text, style }) => ({ text, style }))
    length = word.reduce((sum, { text }) => sum + text.length, 0)
    hasWide = signs.slice(from).some(({ width }) => width === 2)
  }
  /** Prints all but the last character, which may be incomplete, unless it is too long to be a real character. */
  const giveOut = (): void => {
    const signs = joinedText(word).flatMap(({ text, style }) => signsOf(text).map(each => ({ text: each.text, style })))
    const last = (signs.at(-1)?.text.length ?? 0) > LONGEST_WORD ? undefined : signs.pop()
    if (signs.length > 0) place(joinedText(signs))
    isRest = true
    word = last === undefined ? [] : [last]
    length = last?.text.length ?? 0
    hasWide &&= last !== undefined
  }
  const take = (): string => {
    const text = joinedText(out)
      .map(span => dyed(span, color))
      .join('')
    out = []
    return text
  }

  return {
    take,
    begin: margin => {
      flush()
      start(margin.first)
      rest = margin.rest
    },
    words: (text, style) => {
      for (const each of text) {
        if (/\s/u.test(each) && each !== '\u00a0') {
          flush()
          if (!isFresh) gap = 1
          continue
        }
        const last = word.at(-1)
        if (last?.style === style && !hasWide) word[word.length - 1] = { text: last.text + each, style }
        else word.push({ text: each, style })
        length += each.length
        hasWide ||= (each.codePointAt(0) ?? 0) >= 0x1100
        if (hasWide) settle()
        if (length > LONGEST_WORD) giveOut()
      }
    },
    exact: spans => {
      for (const { text, style } of spans) for (const each of signsOf(text)) sign(each, style)
    },
    finish: flush,
    wrap: () => {
      flush()
      start(rest)
    },
    room: ({ rest }) => columns - fitting(rest, columns).reduce((sum, { text }) => sum + widthOf(text), 0),
    close: () => {
      flush()
      if (isOpen) out.push(unstyled('\n'))
      isOpen = false
      return take()
    },
  }
}

/** Cuts a margin so that some room is left for the text. */
function fitting(spans: readonly StyledText[], columns: number): readonly StyledText[] {
  let left = Math.max(0, columns - LEAST_ROOM)
  return spans.filter(({ text }) => {
    left -= widthOf(text)
    return left >= 0
  })
}
