// Quotes foreign Markdown so that it cannot affect the rest of a document.

/**
 * Writes foreign Markdown as a quotation: headings, lists and code stay what they are, and nothing in it reaches beyond the
 * quotation. Raw HTML, link definitions (which apply to a whole document) and images that would be fetched become text.
 */
export function quotedMarkdown(text: string, depth = 1): string {
  const prefix = '> '.repeat(depth)
  const defuse = defuser()
  return visible(text)
    .split('\n')
    .map(line => `${prefix}${defuse(line)}`.trimEnd())
    .join('\n')
}

/**
 * Makes a function that defuses one line after another. It leaves a line alone only if every reader takes it for code. Once a
 * list or a quotation has code of its own, a reader of single lines cannot be sure where that code ends, so from there on
 * nothing counts as code.
 */
function defuser(): (line: string) => string {
  let fence: Fence | undefined
  let isSure = true
  /** True after a backtick without a partner in the same paragraph. */
  let isLoose = false
  return line => {
    if (fence !== undefined) {
      if (closes(line, fence)) {
        fence = undefined
        return line
      }
      if (fence.indent === 0 || (!/^\s*[`~]{3,}\s*$/.test(line) && (line.trim() === '' || indentOf(line) >= fence.indent)))
        return line
      fence = undefined
      isSure = false
    }
    if (line.trim() === '') isLoose = false
    fence = isSure ? opened(line) : undefined
    if (fence !== undefined) return line
    if (CODE_WITHIN.test(line)) isSure = false
    const safe = defused(line, isSure && !isLoose)
    if (safe.isLoose) isLoose = true
    return safe.line
  }
}

/** Makes `\n` the only line break, for us and for later readers, and makes invisible characters visible. */
export const visible = (text: string): string =>
  text
    .toWellFormed()
    .replace(LINE_END, '\n')
    .replace(CONTROL, sign => (sign < ' ' ? String.fromCharCode(0x2400 + sign.charCodeAt(0)) : '\ufffd'))

/** Everything that some program takes for a line break. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const LINE_END = /\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]/g
const CONTROL = /(?!\n|\t)\p{Cc}/gu

/** Puts a text into a fence that nothing in the text can close. */
export function fenced(text: string, language = ''): string {
  const shown = visible(text)
  const longest = (shown.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${shown}\n${fence}`
}

/** Escapes words within a line of ours, so that nothing in them is markup. */
export const plainWords = (text: string): string =>
  visible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>&~|$#]/g, '\\$&')

type Fence = { readonly sign: string; readonly length: number; readonly indent: number }

/** A fence that is indented by more than three spaces, or comes after the sign of a list or a quotation. */
const CODE_WITHIN = /^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*(?:`{3,}|~{3,})/

const indentOf = (line: string): number => line.length - line.trimStart().length

/** The fence that a line opens, indented by at most three spaces, so that it is neither a paragraph nor indented code. */
function opened(line: string): Fence | undefined {
  const [, indent = '', run = '', info = ''] = /^( {0,3})(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  const [sign] = run
  if (sign === undefined || (sign === '`' && info.includes('`'))) return undefined
  return { sign, length: run.length, indent: indent.length }
}

function closes(line: string, { sign, length }: Fence): boolean {
  const [, run = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? []
  return run[0] === sign && run.length >= length
}

/** Code that begins and ends in this line stays as it is, unless the line may be a row of a table, which would split it. */
function defused(line: string, maySpan: boolean): { readonly line: string; readonly isLoose: boolean } {
  const isTable = line.includes('|')
  let isLoose = false
  let isAddress = false
  let out = ''
  for (let at = 0; at < line.length; ) {
    const sign = line[at] ?? ''
    if (sign === '\\') {
      const escaped = line.slice(at, at + 2)
      out += escaped === '\\<' ? '&lt;' : escaped
      at += 2
    } else if (sign === '`') {
      const { length } = /^`+/.exec(line.slice(at))?.[0] ?? sign
      // An address may go on through the backticks and include them.
      const isSpan = maySpan && !isTable && !isLoose && !isAddress
      const end = isSpan ? codeEnd(line, at + length, length) : undefined
      if (end === undefined) isLoose = true
      out += line.slice(at, end ?? at + length)
      at = end ?? at + length
    } else {
      isAddress = !/\s/.test(sign) && (isAddress || /^(?:@|:\/\/|www\.)/i.test(line.slice(at, at + 4)))
      // A backslash here would be taken for the end of an address before it.
      const isTag = sign === '<' && /[a-z/!?]/i.test(line[at + 1] ?? '')
      out += isTag ? '&lt;' : sign === '!' && line[at + 1] === '[' ? '\\!' : sign
      at += 1
    }
  }
  return { line: out.replace(DEFINITION, '$1\\['), isLoose }
}

const DEFINITION = /^((?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*)\[(?=.*\]:|(?:[^\]\\]|\\.)*$)/

function codeEnd(line: string, from: number, length: number): number | undefined {
  for (const match of line.slice(from).matchAll(/`+/g)) {
    if (match[0].length === length) return from + match.index + length
  }
  return undefined
}
