// Splits text into the characters that people see.
import { escapeForTerminal } from '../../output/escape-for-terminal.ts'

const SEGMENTER = new Intl.Segmenter()
const PLAIN = /^[\x20-\x7e]*$/

/** What a person sees as one sign each. */
export const graphemesOf = (text: string): readonly string[] =>
  PLAIN.test(text) ? text.split('') : [...SEGMENTER.segment(text)].map(({ segment }) => segment)

/** The sign that holds this place of a text. */
export const graphemeAt = (text: string, place: number): { readonly from: number; readonly to: number } => {
  const found = SEGMENTER.segment(text).containing(place)
  return found === undefined ? { from: place, to: place } : { from: found.index, to: found.index + found.segment.length }
}

/** A sign of a draft as it is drawn: a tab as a gap, and what nobody could see by its name. */
export const shownGrapheme = (text: string): string =>
  PLAIN.test(text) ? text : escapeForTerminal(text.replaceAll('\t', '    '))
