// Decodes HTML character references for the terminal.
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'

/** The character references that people and models commonly write. Others stay as written. */
const NAMED = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…' },
    ...{ mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', bull: '•' },
    ...{ middot: '·', times: '×', divide: '÷', plusmn: '±', deg: '°', euro: '€', pound: '£', larr: '←', rarr: '→' },
    ...{ uarr: '↑', darr: '↓', le: '≤', ge: '≥', ne: '≠' },
  }),
)

/** A reference may name a harmful character, so the decoded text is escaped again. */
export function decodeForTerminal(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
    return /\s/.test(String.fromCodePoint(code)) ? ' ' : escapeToOneLine(String.fromCodePoint(code))
  })
}
