// Splits text into the characters that people see.
import { escapeForTerminal } from '../../output/escape-for-terminal.ts'

const SEGMENTER = new Intl.Segmenter()
const PLAIN = /^[\x20-\x7e]*$/

/** The characters of a text as a person sees them. */
export const graphemesOf = (text: string): readonly string[] =>
  PLAIN.test(text) ? text.split('') : [...SEGMENTER.segment(text)].map(({ segment }) => segment)

/** The character at this position of a text. */
export const graphemeAt = (text: string, place: number): { readonly from: number; readonly to: number } => {
  const found = SEGMENTER.segment(text).containing(place)
  return found === undefined ? { from: place, to: place } : { from: found.index, to: found.index + found.segment.length }
}

/** A character of a draft as it is drawn: a tab as a gap, and an invisible character by its name. */
export const shownGrapheme = (text: string): string =>
  PLAIN.test(text) ? text : escapeForTerminal(text.replaceAll('\t', '    '))
