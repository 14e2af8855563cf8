import { harmless } from '../harmless.ts'

const SEGMENTER = new Intl.Segmenter()
const PLAIN = /^[\x20-\x7e]*$/

/** East Asian wide and full-width characters; pictures are known by their property. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u31e5\u31ef-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u
const UNSPACED = /^[\p{Mn}\p{Me}\p{Cf}]/u

/** What a person sees as one sign each. */
export const graphemesOf = (text: string): readonly string[] =>
  PLAIN.test(text) ? text.split('') : [...SEGMENTER.segment(text)].map(({ segment }) => segment)

/** The sign that holds this place of a text. */
export const graphemeAt = (text: string, place: number): { readonly from: number; readonly to: number } => {
  const found = SEGMENTER.segment(text).containing(place)
  return found === undefined ? { from: place, to: place } : { from: found.index, to: found.index + found.segment.length }
}

/** How many columns a text takes that has neither colours nor line ends in it. */
export const widthOf = (text: string): number =>
  PLAIN.test(text) ? text.length : graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0)

/** A sign is as wide as its base; a variation selector may ask for the picture or the letter. */
function graphemeWidth(grapheme: string): number {
  if (grapheme.length > 1 && grapheme.endsWith('\ufe0e')) return 1
  const [base = ''] = grapheme
  if (grapheme.includes('\ufe0f') && /\p{Emoji}/u.test(base)) return 2
  if (UNSPACED.test(base) && base !== '\u00ad') return 0
  return WIDE.test(base) ? 2 : 1
}

/** A sign of a draft as it is drawn: a tab as a gap, and what nobody could see by its name. */
export const shown = (text: string): string => (PLAIN.test(text) ? text : harmless(text.replaceAll('\t', '    ')))
