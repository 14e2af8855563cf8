/** Escapes a quoted text so that none of its lines reads as another speaker's, or as the begin or end of a block. */

/**
 * Puts a `\` before each line that begins with a speaker's name and `:`, with `[` or `]`, or with `\` before one of these.
 * Hashes are of the text without it. `isLineOfBlock` knows other beginnings of lines that only this kind of block has.
 */
export const escapeQuoted = (text: string, speakerNames: readonly string[], isLineOfBlock: IsMarker = () => false): string =>
  byLine(text, speakerNames, (line, isMarker) => (isMarker(line) || isLineOfBlock(line) ? `\\${line}` : line))

/** The text before `escapeQuoted`, which must have got the same names. */
export const unescapeQuoted = (text: string, speakerNames: readonly string[]): string =>
  byLine(text, speakerNames, (line, isMarker) => (line.startsWith('\\') && isMarker(line.slice(1)) ? line.slice(1) : line))

type IsMarker = (line: string) => boolean

/** Everything that some reader takes for the end of a line. */
const BREAK = /([\n\r\v\f\u0085\u2028\u2029])/

function byLine(text: string, speakerNames: readonly string[], write: (line: string, isMarker: IsMarker) => string): string {
  const names = speakerNames.map(name => alike(name).trim()).filter(name => name !== '')
  const isMarker: IsMarker = line => {
    const seen = alike(line)
    if (/^\\*[[\]]/.test(seen)) return true
    const words = seen.replace(/^[\\\s]+/, '')
    return names.some(name => words.startsWith(name) && /^\s*:/.test(words.slice(name.length)))
  }
  // Every second piece is a break.
  return text
    .split(BREAK)
    .map((piece, index) => (index % 2 === 0 ? write(piece, isMarker) : piece))
    .join('')
}

/** Texts that look the same become the same: capitals, composed letters, wide signs and invisible ones make no difference. */
const alike = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
