// Measures how many columns of a terminal a text takes.
/** A character as people see it, which may be several code points, and how many columns of a terminal it takes. */
export type Sign = { readonly text: string; readonly width: 0 | 1 | 2 }

const SEGMENTER = new Intl.Segmenter()

/** East Asian wide and full-width characters. Emoji are matched by their property. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u31e5\u31ef-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u

/** Characters that are drawn over their neighbor, or not at all. */
const UNSPACED = /^[\p{Mn}\p{Me}\p{Cf}]/u

/** Without these every code point is one character, and the slow segmenter is not needed. */
const JOINING = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u

const PLAIN = /^[\x20-\x7e]*$/

export function signsOf(text: string): readonly Sign[] {
  if (PLAIN.test(text)) return [...text].map(each => ({ text: each, width: 1 }))
  if (!JOINING.test(text)) return [...text].map(each => ({ text: each, width: signWidth(each) }))
  return [...SEGMENTER.segment(text)].map(({ segment }) => ({ text: segment, width: signWidth(segment) }))
}

/** The width in columns of a text without line ends and tabs. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : signsOf(text).reduce((sum, { width }) => sum + width, 0)
}

/** The beginning of a text that fits into this many columns. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let left = columns - 1
  let kept = ''
  for (const sign of signsOf(text)) {
    left -= sign.width
    if (left < 0) break
    kept += sign.text
  }
  return columns <= 0 ? '' : `${kept}…`
}

/** A character is as wide as its base. A variation selector may choose between picture and letter. */
function signWidth(sign: string): 0 | 1 | 2 {
  if (sign.length > 1 && sign.endsWith('\ufe0e')) return 1
  const [base = ''] = sign
  if (sign.includes('\ufe0f') && /\p{Emoji}/u.test(base)) return 2
  if (UNSPACED.test(base) && base !== '\u00ad') return 0
  return WIDE.test(base) ? 2 : 1
}
