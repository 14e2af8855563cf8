// Composes the rows that the editor shows.
import { shownGrapheme } from './graphemes.ts'
import { columnAt, layout, textRowAt } from './layout.ts'
import type { EditorState } from './state.ts'
import { cutStyled, styledWidth, wrapped } from './styled.ts'

/** Everything that is drawn again when it changes. */
export type EditorView = {
  readonly live?: string
  readonly footer?: string
  /** A question shown instead of the input, which waits. */
  readonly question?: string
  readonly input?: { readonly prompt: string; readonly state: EditorState }
}

/** The rows on the screen, each narrower than the screen, and the cursor's place among them. */
export type ScreenFrame = { readonly rows: readonly string[]; readonly cursor: { readonly row: number; readonly column: number } }

export type ScreenSize = { readonly columns: number; readonly rows: number }

export const NO_FRAME: ScreenFrame = { rows: [], cursor: { row: 0, column: 0 } }

/** The least width to draw for, even if a terminal claims to be smaller. */
const LEAST_COLUMNS = 12

/** The columns that may be used. The last one stays free, because terminals disagree about what happens there. */
export const usableColumns = (columns: number): number => Math.max(LEAST_COLUMNS, columns) - 1

/** The prompt as shown, and how many columns it leaves for the text beside it. */
export function beside(
  prompt: string,
  columns: number,
): { readonly prompt: string; readonly indent: number; readonly width: number } {
  const usable = usableColumns(columns)
  const fitting = cutStyled(prompt, Math.floor(usable / 2))
  const indent = styledWidth(fitting)
  return { prompt: fitting, indent, width: usable - indent }
}

/**
 * The frame to show now. If there is too little room, it keeps the lines that change most: those around the cursor, and the end
 * of the live lines.
 */
export function drawFrame({ live, footer, question, input }: EditorView, size: ScreenSize): ScreenFrame {
  const usable = usableColumns(size.columns)
  const height = Math.max(2, size.rows)
  const below = footer === undefined ? [] : [cutStyled(footer, usable)]
  const asked =
    question === undefined
      ? inputFrame(input, size, height - below.length)
      : questionFrame(question, usable, height - below.length)
  const room = height - below.length - asked.rows.length
  const above = live === undefined || live === '' || room < 1 ? [] : wrapped(live.replace(/\n$/, ''), usable).slice(-room)
  const rows = [...above, ...asked.rows, ...below]
  if (asked.rows.length > 0) return { rows, cursor: { ...asked.cursor, row: above.length + asked.cursor.row } }
  return { rows, cursor: { row: Math.max(0, above.length - 1), column: styledWidth(above.at(-1) ?? '') } }
}

function questionFrame(question: string, usable: number, room: number): ScreenFrame {
  const rows = wrapped(question, usable).slice(-room)
  return { rows, cursor: { row: rows.length - 1, column: styledWidth(rows.at(-1) ?? '') } }
}

function inputFrame(input: EditorView['input'], size: ScreenSize, room: number): ScreenFrame {
  if (input === undefined) return NO_FRAME
  const { state, prompt } = input
  const hints = hintsOf(state, usableColumns(size.columns)).slice(0, Math.max(0, Math.floor((room - 1) / 2)))
  const { indent, width } = beside(prompt, size.columns)
  const rows = layout(state.text, width)
  const at = textRowAt(rows, state.cursor)
  const here = rows[at]
  const seen = Math.max(1, room - hints.length)
  const first = Math.max(0, Math.min(at - Math.floor(seen / 2), rows.length - seen))
  const drawn = inputRows(state.text, prompt, size.columns, first, first + seen)
  const column = indent + (here === undefined ? 0 : columnAt(state.text, here, state.cursor))
  return { rows: [...drawn, ...hints], cursor: { row: at - first, column } }
}

/** The rows of a draft: the prompt before the first, and an equal indent before the others. */
export function inputRows(
  text: string,
  prompt: string,
  columns: number,
  from = 0,
  to: number = Number.POSITIVE_INFINITY,
): readonly string[] {
  const fitted = beside(prompt, columns)
  const gap = ' '.repeat(fitted.indent)
  return layout(text, fitted.width)
    .slice(from, to)
    .map((row, index) => (from + index === 0 ? fitted.prompt : gap) + shownGrapheme(text.slice(row.from, row.to)))
}

/** The line below the input until the next key: the search, the choices of Tab, or a notice. */
function hintsOf({ search, offer, notice }: EditorState, usable: number): readonly string[] {
  return [
    ...(search === undefined ? [] : [cutStyled(`search: ${shownGrapheme(search.query)}`, usable)]),
    ...(offer === undefined ? [] : offered(offer, usable)),
    ...(notice === undefined ? [] : [cutStyled(shownGrapheme(notice), usable)]),
  ]
}

const MOST_OFFERED = 40

function offered({ choices, chosen }: NonNullable<EditorState['offer']>, usable: number): readonly string[] {
  // The chosen one is always among the choices shown.
  const first = Math.max(0, chosen - MOST_OFFERED + 1)
  const some = choices.slice(first, first + MOST_OFFERED).map((choice, index) => {
    const words = shownGrapheme(choice).trim()
    return first + index === chosen ? `\x1b[7m${words}\x1b[0m` : words
  })
  const more = choices.length - some.length
  return wrapped([...some, ...(more > 0 ? [`… and ${more} more`] : [])].join('  '), usable)
}
