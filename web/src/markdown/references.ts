// Replaces character references such as `&amp;` by their characters.

/** The character references that people and models write; any other one stays as written. */
const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['laquo', '«'],
  ['raquo', '»'],
  ['bull', '•'],
  ['middot', '·'],
  ['times', '×'],
  ['divide', '÷'],
  ['plusmn', '±'],
  ['deg', '°'],
  ['euro', '€'],
  ['pound', '£'],
  ['larr', '←'],
  ['rarr', '→'],
  ['uarr', '↑'],
  ['darr', '↓'],
  ['le', '≤'],
  ['ge', '≥'],
  ['ne', '≠'],
])

/** Once, not again: `&amp;lt;` is the text `&lt;`. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    const lone = code >= 0xd800 && code <= 0xdfff
    return code === 0 || code > 0x10ffff || lone ? '\ufffd' : String.fromCodePoint(code)
  })
}
