// Lays the blocks of streaming Markdown out in lines.
import { widthOf } from '../../output/width.ts'
import { createColours } from './code.ts'
import { createInlinePainter, type InlinePainter } from './inline.ts'
import { type Container, continued, type Leaf, type LineStart, openLine, type WrittenAs } from './line-start.ts'
import type { LinePainter, Margin } from './lines.ts'
import { createRows } from './rows.ts'
import { BOLD, DIM, type Style, type StyledText, unstyled } from './style.ts'

/** Reads Markdown character by character and lays its blocks out in lines. */
export type BlockPainter = { readonly write: (sign: string) => void; readonly end: () => void }

/** A line whose kind is unknown after the first limit is held until its end. No line is held beyond the second limit. */
const LONGEST_START = 200
const LONGEST_HELD = 4000

const LONGEST_RULE = 60

type Code = { readonly mark: string; readonly indent: number; readonly colour: (line: string) => readonly StyledText[] }

export function createBlockPainter(lines: LinePainter, color: boolean, indent: string): BlockPainter {
  const colours = createColours(color)
  let open: readonly Container[] = []
  /** The line so far, while it is not being printed. */
  let held = ''
  let isHeld = false
  let line: InlinePainter | undefined
  let isParagraph = false
  let isGap = false
  let isBegun = false
  let code: Code | undefined
  let written: WrittenAs | undefined

  /** List items that begin on this line show their marker. Items that continue are indented. */
  const marginOf = (kept: number): Margin => {
    const spans = (isFirst: boolean): readonly StyledText[] => [
      unstyled(indent),
      ...open.map((container, at) => {
        if (container.type === 'quote') return { text: '│ ', style: DIM }
        return unstyled(isFirst && at >= kept ? container.marker : ' '.repeat(widthOf(container.marker)))
      }),
    ]
    return { first: spans(true), rest: spans(false) }
  }
  const inside = (): Margin => marginOf(open.length)
  /** Any number of empty lines becomes one. Inside a quotation the bar continues. */
  const gap = (kept: number): void => {
    const bars = open.slice(0, kept).findLastIndex(({ type }) => type === 'quote')
    const { rest } = inside()
    if (isGap && isBegun) lines.begin({ first: rest.slice(0, bars + 2), rest })
    isGap = false
    isBegun = true
  }

  const sayLine = (margin: Margin, style: Style, text: string): void => {
    lines.begin(margin)
    line = createInlinePainter(style, color, { span: span => lines.words(span.text, span.style), lineBreak: lines.wrap })
    for (const sign of text) line.write(sign)
  }
  const finishLine = (): void => {
    line?.end()
    line = undefined
    lines.finish()
  }
  const drawLine = (margin: Margin, spans: readonly StyledText[]): void => {
    lines.begin(margin)
    lines.exact(spans)
  }
  const ruled = (margin: Margin, sign: string, length: number): void =>
    drawLine(margin, [{ text: sign.repeat(Math.min(lines.room(margin), length)), style: DIM }])
  const rows = createRows(lines, color, (row, margin) => {
    sayLine(margin, '', row)
    finishLine()
  })

  const begin = ({ kept, added, leaf }: LineStart): void => {
    if (leaf.type !== 'row' || kept < open.length || added.length > 0) rows.layOut()
    open = [...open.slice(0, kept), ...added]
    isParagraph = leaf.type === 'text' && leaf.text !== ''
    if (leaf.type === 'blank') isGap = true
    else {
      if (!rows.isOpen()) gap(kept)
      show(leaf, marginOf(kept))
    }
  }
  const show = (leaf: Leaf, margin: Margin): void => {
    if (leaf.type === 'text') sayLine(margin, '', leaf.text)
    if (leaf.type === 'heading') sayLine(margin, BOLD, color ? leaf.text : `${leaf.marks} ${leaf.text}`)
    if (leaf.type === 'rule') ruled(margin, '─', LONGEST_RULE)
    if (leaf.type === 'underline') ruled(margin, '═', leaf.length)
    if (leaf.type === 'row') rows.add(leaf.text, margin)
    if (leaf.type === 'fence') {
      code = { mark: leaf.mark, indent: leaf.indent, colour: colours.block(languageOf(leaf.info)) }
      drawLine(margin, [{ text: `${leaf.mark}${leaf.info}`, style: DIM }])
    }
    if (leaf.type === 'written') {
      if (!isLastWritten(leaf.kind, leaf.text.slice(2))) written = leaf.kind
      drawLine(leaf.kind === 'code' ? indented(margin) : margin, [unstyled(leaf.text)])
    }
  }
  /** False if the line is no longer part of the code. */
  const codeLine = ({ mark, indent, colour }: Code): boolean => {
    const text = withinCode(held, open, indent)
    if (text === undefined) return false
    const isEnd = new RegExp(`^ {0,3}${mark[0]}{${mark.length},} *$`).test(text)
    if (isEnd) code = undefined
    if (isEnd) drawLine(inside(), [{ text: mark, style: DIM }])
    else drawLine(indented(inside()), colour(text))
    return true
  }
  const writtenLine = (kind: WrittenAs): boolean => {
    const { kept, rest } = continued(held, open)
    if (kept < open.length || rest.trim() === '') return false
    if (isLastWritten(kind, rest)) written = undefined
    drawLine(inside(), [unstyled(rest)])
    return true
  }
  const wholeLine = (): void => {
    if (code !== undefined && codeLine(code)) return
    code = undefined
    if (written !== undefined && writtenLine(written)) return
    written = undefined
    const opening = openLine(held, open, { isWhole: true, isParagraph })
    if (opening !== undefined) begin(opening)
    finishLine()
  }
  const endLine = (): void => {
    if (line === undefined) wholeLine()
    else finishLine()
    held = ''
    isHeld = code !== undefined || written !== undefined
  }
  const tooLong = (): void => {
    if (code !== undefined || written !== undefined) wholeLine()
    else {
      const { kept, rest } = continued(held, open)
      begin({ kept, added: [], leaf: { type: 'text', text: rest.trimStart() } })
      isHeld = false
    }
    held = ''
  }
  const tryToBegin = (): void => {
    const opening = openLine(held, open, { isWhole: false, isParagraph })
    if (opening?.leaf.type === 'text' || opening?.leaf.type === 'heading') {
      begin(opening)
      held = ''
    } else isHeld = opening !== undefined || held.length > LONGEST_START
  }

  return {
    write: sign => {
      if (sign === '\n') return endLine()
      if (line !== undefined) return line.write(sign)
      held += sign === '\t' ? ' '.repeat(4 - (held.length % 4)) : sign
      if (!isHeld) tryToBegin()
      else if (held.length > LONGEST_HELD) tooLong()
    },
    end: () => {
      if (line !== undefined || held !== '') endLine()
      rows.layOut()
      open = []
      isHeld = isParagraph = isGap = isBegun = false
      code = written = undefined
    },
  }
}

const indented = ({ first, rest }: Margin): Margin => ({ first: [...first, unstyled('  ')], rest: [...rest, unstyled('  ')] })

const languageOf = (info: string): string => /^[\w+#-]*/.exec(info)?.[0].toLowerCase() ?? ''

/** A formula ends with its mark, HTML with an empty line, and indented code after each line. */
function isLastWritten(kind: WrittenAs, text: string): boolean {
  if (kind === 'code') return true
  if (kind === 'html') return false
  return kind === 'dollars' ? text.includes('$$') : text.includes('\\]')
}

/** A line of code without the markers of its containers; undefined if the line has left the quotation in which the code began. */
function withinCode(line: string, open: readonly Container[], indent: number): string | undefined {
  let rest = line
  const leave = (most: number): void => {
    rest = rest.slice(Math.min(most, rest.length - rest.trimStart().length))
  }
  for (const container of open) {
    if (container.type === 'item') leave(container.content)
    else if (/^ {0,3}>/.test(rest)) rest = rest.replace(/^ {0,3}> ?/, '')
    else return undefined
  }
  leave(indent)
  return rest
}
