// Finds characters that a skill may not contain.
import { codePoint } from './shown.ts'

/** A character at its place; lines and columns begin with 1, columns count characters. */
export type Spot = { readonly character: string; readonly line: number; readonly column: number }

/** Tag characters, which a model reads and a person does not see, and what turns the direction of writing. */
const FORBIDDEN = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/u

/** Has no width, so that a word may not be the word it looks like; a joiner inside an emoji is one of its strokes. */
const WIDTHLESS = /[\u200B\u200C\u2060\uFEFF]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D/u

/** The first character that no skill may hold. */
export const forbidden = (text: string): Spot | undefined => spotOf(text, FORBIDDEN.exec(text))

/** The first character without width; the mark that begins a file must have been taken off. */
export const widthless = (text: string): Spot | undefined => spotOf(text, WIDTHLESS.exec(text))

function spotOf(text: string, found: RegExpExecArray | null): Spot | undefined {
  if (found === null) return undefined
  const lines = text.slice(0, found.index).split('\n')
  return { character: codePoint(found[0]), line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
