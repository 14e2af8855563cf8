// Finds characters that a skill may not contain.
import { codePoint } from './shown.ts'

/** A character and its position. Lines and columns begin with 1, and columns count characters. */
export type Spot = { readonly character: string; readonly line: number; readonly column: number }

/** Tag characters, which a model reads and a person does not see, and characters that change the direction of writing. */
const FORBIDDEN = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/u

/** Characters without width, which can disguise a word. A joiner inside an emoji is allowed. */
const WIDTHLESS = /[\u200B\u200C\u2060\uFEFF]|(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D/u

/** The first character that no skill may contain. */
export const forbidden = (text: string): Spot | undefined => spotOf(text, FORBIDDEN.exec(text))

/** The first character without width. The byte order mark of the file must have been removed. */
export const widthless = (text: string): Spot | undefined => spotOf(text, WIDTHLESS.exec(text))

function spotOf(text: string, found: RegExpExecArray | null): Spot | undefined {
  if (found === null) return undefined
  const lines = text.slice(0, found.index).split('\n')
  return { character: codePoint(found[0]), line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
