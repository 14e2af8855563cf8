// Wraps lines to the width of the screen.
import { type Sign, signsOf, widthOf } from '../../output/width.ts'
import { dyed, joinedText, type Style, type StyledText, unstyled } from './style.ts'

/** What a line of the screen begins with: once, and on each line that it is continued on. */
export type Margin = { readonly first: readonly StyledText[]; readonly rest: readonly StyledText[] }

/** Writes lines that are never wider than the screen, and gives out what can no longer change. */
export type LinePainter = {
  readonly begin: (margin: Margin) => void
  /** Words, to be wrapped where there is space between them. */
  readonly words: (text: string, style: Style) => void
  /** A text as it is, broken only at the edge. */
  readonly exact: (spans: readonly StyledText[]) => void
  /** The last word of the line is whole. */
  readonly finish: () => void
  /** Goes on in a new line of the same margin. */
  readonly wrap: () => void
  /** How much fits beside such a margin. */
  readonly room: (margin: Margin) => number
  /** What was written since it was last asked for. */
  readonly take: () => string
  /** Ends the last line; the next text begins a new one. */
  readonly close: () => string
}

/** A word longer than this is given out before its end. */
const LONGEST_WORD = 256

/** Whatever the margin takes, this much is left for the text. */
const LEAST_ROOM = 8

/** Signs that must not begin a line, and those that must not end one, where a line may be broken between any two. */
const CLOSING = /^[、。，．：；？！）」』】〕》〉”’…ー々]/u
const OPENING = /^[（「『【〔《〈“‘]/u

export function createLinePainter({ columns, color }: { readonly columns: number; readonly color: boolean }): LinePainter {
  let out: StyledText[] = []
  let word: StyledText[] = []
  let length = 0
  let hasWide = false
  /** The word goes on with what was given out already. */
  let isRest = false
  let column = 0
  let gap = 0
  let isFresh = true
  let latest: Style = ''
  let isOpen = false
  let rest: readonly StyledText[] = []

  const put = (text: string, style: Style, width: number): void => {
    // A line that is struck out is struck out between its words too.
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
  /** Nothing within it may be parted, unless it is longer than a line. */
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
  /** East Asian text has no spaces; it may be broken before almost every sign. */
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
  /** All but the last sign, which may not be whole yet; unless it is no sign that anybody would write. */
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

/** As much of a margin as leaves some room for the text. */
function fitting(spans: readonly StyledText[], columns: number): readonly StyledText[] {
  let left = Math.max(0, columns - LEAST_ROOM)
  return spans.filter(({ text }) => {
    left -= widthOf(text)
    return left >= 0
  })
}
