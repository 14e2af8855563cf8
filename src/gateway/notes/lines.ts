/** Takes lines out of a note, so that a long one can be read in parts. */

/** Which lines of a note are wanted, counted from 1; all of them by default. */
export type LineRange = { readonly from?: number; readonly lines?: number }

/** Lines of a note, and where they are in it. */
export type NoteLines = {
  readonly text: string
  /** The first and the last line of `text`, counted from 1. */
  readonly from: number
  readonly through: number
  /** How many lines the note has, as far as it was read. */
  readonly lines: number
  /** The last of these lines is longer than what is shown of it. */
  readonly isCut: boolean
}

/** The wanted lines of a text, at most so many bytes of them; nothing if the text has no such line. */
export function linesOf(
  text: string,
  { from = 1, lines: many = Number.POSITIVE_INFINITY }: LineRange,
  most: number,
): NoteLines | undefined {
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  if (from > Math.max(1, all.length)) return undefined
  const wanted = all.slice(from - 1, from - 1 + many)
  let bytes = 0
  const fitting = wanted.findIndex(line => {
    bytes += Buffer.byteLength(line)
    return bytes > most
  })
  const shown = fitting === -1 ? wanted : wanted.slice(0, Math.max(1, fitting))
  const whole = shown.join('')
  const shortened = cutTo(whole, most)
  return {
    text: shortened,
    from,
    through: from - 1 + shown.length,
    lines: all.length,
    isCut: shortened.length < whole.length,
  }
}

/** A single line may have more bytes than are shown of a note. Never half a character. */
function cutTo(text: string, most: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= most
    ? text
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, most), { stream: true })
}
