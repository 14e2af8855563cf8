/** A character as people see it, which may be several code points, and how many columns of a terminal it takes. */
export type Sign = { readonly text: string; readonly width: 0 | 1 | 2 }

const SEGMENTER = new Intl.Segmenter()

/** What is drawn over its neighbour, or not at all. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]+$/u

/** East Asian letters, and pictures that are drawn as such; a picture that is also a text sign is wide only if it is asked to be. */
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|^\p{Emoji}.*[\ufe0f\u{1f3fb}-\u{1f3ff}]|^\p{Regional_Indicator}{2}/u

/** A picture that asks to be drawn as a letter. */
const AS_LETTER = /^.\ufe0e$/u

/** Without these every code point is a sign of its own, and the slow way of finding signs is not needed. */
const JOINING = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u

const PLAIN = /^[\x20-\x7e]*$/

export function signsOf(text: string): readonly Sign[] {
  if (PLAIN.test(text)) return [...text].map(each => ({ text: each, width: 1 }))
  if (!JOINING.test(text)) return [...text].map(each => ({ text: each, width: signWidth(each) }))
  return [...SEGMENTER.segment(text)].map(({ segment }) => ({ text: segment, width: signWidth(segment) }))
}

/** The columns of a text that has no line end and no tab in it. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : signsOf(text).reduce((sum, { width }) => sum + width, 0)
}

/** The beginning of a text, as much of it as fits into so many columns. */
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

/** A picture is one however many parts it has; letters that are joined are each drawn, or over each other. */
function signWidth(sign: string): 0 | 1 | 2 {
  if (AS_LETTER.test(sign)) return 1
  if (WIDE.test(sign)) return 2
  return [...sign].filter(part => !NOTHING.test(part)).length > 1 ? 2 : NOTHING.test(sign) ? 0 : 1
}
