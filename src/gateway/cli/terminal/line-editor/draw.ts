// Writes only the rows that changed between two frames.
import { NO_FRAME, type ScreenFrame } from './frame.ts'
import { styledWidth } from './styled.ts'

const ERASE_LINE = '\x1b[K'
const ERASE_BELOW = '\x1b[J'
/** Between these codes a terminal that knows them shows no half-drawn frame. Others ignore them. */
const TOGETHER = ['\x1b[?2026h', '\x1b[?2026l'] as const

/** The codes that turn one frame into another. Only rows that differ are written. */
export function draw(before: ScreenFrame, after: ScreenFrame): string {
  // Even a frame without rows takes one row of the screen.
  let exist = Math.max(1, before.rows.length)
  let at = before.cursor.row
  let out = ''
  const go = (row: number): void => {
    const last = Math.min(row, exist - 1)
    out += `${vertically(last - at)}\r${'\n'.repeat(row - last)}`
    at = row
    exist = Math.max(exist, row + 1)
  }
  after.rows.forEach((row, index) => {
    if (before.rows[index] === row) return
    go(index)
    out += row + ERASE_LINE
  })
  if (before.rows.length > after.rows.length) {
    go(after.rows.length)
    out += ERASE_BELOW
  }
  const { row, column } = after.cursor
  const moved = row !== at || column !== before.cursor.column || out !== ''
  return moved ? `${out}${vertically(row - at)}\r${column === 0 ? '' : `\x1b[${column}C`}` : ''
}

/** The codes that print lines permanently above the frame. */
export function drawAbove(before: ScreenFrame, text: string, after: ScreenFrame): string {
  const lines = (text.endsWith('\n') ? text : `${text}\n`).replaceAll('\n', '\r\n')
  return TOGETHER[0] + erase(before) + lines + draw(NO_FRAME, after) + TOGETHER[1]
}

/** Erases a frame and leaves the cursor where the frame began. */
export const erase = (before: ScreenFrame): string => `${vertically(-before.cursor.row)}\r${ERASE_BELOW}`

/**
 * Draws again after the terminal got a new width. The terminal has wrapped rows that no longer fit, so the frame is taller than
 * before. Some terminals do not wrap the row with the cursor, so that row counts once.
 */
export function redraw(before: ScreenFrame, columns: number, after: ScreenFrame): string {
  const height = (row: string): number => Math.max(1, Math.ceil(styledWidth(row) / Math.max(1, columns)))
  const above = before.rows.slice(0, before.cursor.row).reduce((sum, row) => sum + height(row), 0)
  return TOGETHER[0] + erase({ ...before, cursor: { row: above, column: 0 } }) + draw(NO_FRAME, after) + TOGETHER[1]
}

/** Clears the whole screen, then draws. */
export const clear = (after: ScreenFrame): string => `\x1b[H\x1b[2J${draw(NO_FRAME, after)}`

const vertically = (rows: number): string => (rows === 0 ? '' : rows < 0 ? `\x1b[${-rows}A` : `\x1b[${rows}B`)
