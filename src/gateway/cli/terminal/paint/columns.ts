// Draws voices side by side in a wide terminal.
import { type ColumnEnd, type ColumnVoice, createColumn, paintedWidth, type VoiceColumn } from './column.ts'
import { DIM, dyed } from './style.ts'

export type { ColumnEnd, ColumnVoice } from './column.ts'

/** A narrower terminal has one column, and shows one voice after another. */
export const WIDE_ENOUGH = 120

/** The shortest time between two frames. */
export const FRAME_MS = 70

/** Several voices side by side, each in its own column, redrawn in place while they speak. The final text stays. */
export type Columns = {
  readonly write: (voice: string, text: string) => void
  readonly settle: (voice: string, end: ColumnEnd) => void
  /** The codes that update the screen, to be printed in one write; empty if it is up to date. */
  readonly frame: () => string
  /** The same rows, for a caller that draws them itself and never asks for a frame. */
  readonly view: () => readonly string[]
  readonly resize: (columns: number, rows: number) => void
  /** Removes the live rows and returns every column in full, once. Until then no other code may print. */
  readonly end: () => string
}

const NARROWEST = 36
const BETWEEN = ' │ '

/** Rows of the screen that stay free for earlier text and for the input line. */
const LEFT_ALONE = 4
/** A name, a line of text, and the state. */
const LEAST_LINES = 3

export function createColumns(options: {
  readonly voices: readonly ColumnVoice[]
  readonly columns: number
  readonly rows: number
  readonly color: boolean
}): Columns {
  const { voices, color } = options
  let { columns, rows } = options
  let shown: readonly string[] = []
  let isOver = false
  const perRow = (): number => Math.max(1, Math.min(voices.length, Math.floor((columns - 1 + 3) / (NARROWEST + 3))))
  const width = (): number => Math.floor((columns - 1 - 3 * (perRow() - 1)) / perRow())
  const all = new Map(voices.map(voice => [voice.id, createColumn(voice, width(), color)]))

  const columnOf = (voice: string): VoiceColumn => {
    const column = all.get(voice)
    if (column === undefined) throw new Error(`no column for the voice ${voice}`)
    return column
  }
  const grid = (): readonly (readonly VoiceColumn[])[] => {
    const each = [...all.values()]
    return Array.from({ length: Math.ceil(each.length / perRow()) }, (_, at) => each.slice(at * perRow(), (at + 1) * perRow()))
  }
  const drawn = (row: readonly VoiceColumn[], most?: number): readonly string[] => {
    const cells = row.map(column => column.lines(most))
    const height = Math.max(...cells.map(lines => lines.length))
    return Array.from({ length: height }, (_, at) =>
      sideBySide(
        cells.map(lines => lines[at] ?? ''),
        width(),
        color,
      ),
    )
  }
  /** Only what fits on the screen: the last lines of each column and, if there are too many columns, those that still speak. */
  const live = (): readonly string[] => {
    const room = Math.max(LEAST_LINES, rows - LEFT_ALONE)
    const groups = grid()
    const fit = Math.max(1, Math.floor((room + 1) / (LEAST_LINES + 1)))
    const speaking = groups.toSorted((a, b) => Number(a.every(isSettled)) - Number(b.every(isSettled))).slice(0, fit)
    const visible = groups.filter(group => speaking.includes(group))
    const each = Math.floor((room + 1) / visible.length) - 1
    return visible.flatMap((group, at) => [...(at === 0 ? [] : ['']), ...drawn(group, each - 2)])
  }

  return {
    view: live,
    write: (voice, text) => columnOf(voice).write(text),
    settle: (voice, end) => columnOf(voice).settle(end),
    frame: () => {
      const next = live()
      if (isOver || next.join('\n') === shown.join('\n')) return ''
      const text = `${up(shown.length)}${next.map(line => `${line}${TO_LINE_END}\n`).join('')}${TO_SCREEN_END}`
      shown = next
      return `${NO_WRAP}${text}${WRAP}`
    },
    resize: (wide, high) => {
      // A terminal that became narrower has wrapped our lines, so count them as it shows them now.
      shown = shown.flatMap(line => Array(Math.max(1, Math.ceil(paintedWidth(line) / wide))).fill(''))
      columns = wide
      rows = high
      for (const column of all.values()) column.resize(width())
    },
    end: () => {
      if (isOver) return ''
      isOver = true
      const whole = grid().flatMap((group, at) => [...(at === 0 ? [] : ['']), ...drawn(group)])
      return `${up(shown.length)}${shown.length === 0 ? '' : TO_SCREEN_END}${whole.map(line => `${line}\n`).join('')}`
    },
  }
}

/** Moves only over our own lines, so that only they are erased. */
const up = (lines: number): string => (lines === 0 ? '' : `\x1b[${lines}A\r`)
const TO_LINE_END = '\x1b[K'
const TO_SCREEN_END = '\x1b[J'
/** Turns wrapping off: a terminal that draws a character wider than expected must not break a line that counts as one. */
const NO_WRAP = '\x1b[?7l'
const WRAP = '\x1b[?7h'

const isSettled = (column: VoiceColumn): boolean => column.isSettled()

function sideBySide(cells: readonly string[], width: number, color: boolean): string {
  const padded = cells.map((cell, at) =>
    at === cells.length - 1 ? cell : cell + ' '.repeat(Math.max(0, width - paintedWidth(cell))),
  )
  return padded.join(dyed({ text: BETWEEN, style: DIM }, color))
}
