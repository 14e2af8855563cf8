// Finds formulas in a text by their delimiters.
import type { MarkedExtension, TokenizerExtension, Tokens } from 'marked'

/** A formula as written in a text, from its first delimiter to its last. */
export type FoundFormula = { readonly raw: string; readonly tex: string; readonly display: boolean }

const PAIRS = [
  { open: '$$', close: '$$', display: true },
  { open: '\\[', close: '\\]', display: true },
  { open: '\\(', close: '\\)', display: false },
] as const

/** The formula that the text begins with. `before` is the letter in front of it. */
export function formulaAt(text: string, before = ''): FoundFormula | null {
  for (const { open, close, display } of PAIRS) {
    if (!text.startsWith(open)) continue
    const end = text.indexOf(close, open.length)
    if (end < 0) return null
    const tex = text.slice(open.length, end)
    // An empty line ends a paragraph, so it ends a formula as well.
    if (tex.trim() === '' || /\n[ \t]*\n/.test(tex)) return null
    return { raw: text.slice(0, end + close.length), tex: tex.trim(), display }
  }
  return text.startsWith('$') ? dollarsAt(text, before) : null
}

const DOLLARS = /^\$((?:\\[^\n]|[^$\\\n])+)\$(?![\p{L}\p{N}$])/u

/** Prices and shell variables use the same sign, so a dollar sign must touch its formula. */
function dollarsAt(text: string, before: string): FoundFormula | null {
  if (/[\p{L}\p{N}$\\]/u.test(before)) return null
  const match = DOLLARS.exec(text)
  const tex = match?.[1] ?? ''
  if (match === null || tex !== tex.trim() || tex === '') return null
  return { raw: match[0], tex, display: false }
}

export const FORMULA = 'formula'

export type FormulaToken = Tokens.Generic & { readonly type: typeof FORMULA; readonly tex: string; readonly display: boolean }

const inline: TokenizerExtension = {
  name: FORMULA,
  level: 'inline',
  start: text => startOf(/\$|\\[([]/, text),
  tokenizer: (text, tokens) => {
    if (text[0] !== '$' && text[0] !== '\\') return undefined
    const found = formulaAt(text, tokens.at(-1)?.raw.at(-1))
    return found === null ? undefined : { type: FORMULA, ...found }
  },
}

const block: TokenizerExtension = {
  name: `${FORMULA}s`,
  level: 'block',
  start: text => startOf(/(?<=\n) {0,3}(?:\$\$|\\\[)/, text),
  tokenizer: text => {
    const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0]
    if (indent === undefined) return undefined
    const found = formulaAt(text.slice(indent.length))
    if (found === null) return undefined
    const raw = indent + found.raw
    const after = /^[ \t]*(?:\n|$)/.exec(text.slice(raw.length))
    return after === null ? undefined : { type: FORMULA, ...found, raw: raw + after[0] }
  },
}

function startOf(pattern: RegExp, text: string): number | undefined {
  const at = text.search(pattern)
  return at < 0 ? undefined : at
}

/** Stars within a formula neither begin nor end emphasis. What is put in their place must be as long. */
function withoutFormulas(text: string): string {
  let masked = ''
  for (let at = 0; at < text.length; ) {
    const found = text[at] === '$' || text[at] === '\\' ? formulaAt(text.slice(at), text[at - 1]) : null
    const length = found?.raw.length ?? (text[at] === '\\' ? 2 : 1)
    masked += found === null ? text.slice(at, at + length) : 'a'.repeat(length)
    at += length
  }
  return masked
}

export const math: MarkedExtension = {
  extensions: [inline, block],
  hooks: { emStrongMask: text => (/\$|\\[([]/.test(text) ? withoutFormulas(text) : text) },
}
