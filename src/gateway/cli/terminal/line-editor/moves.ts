// Where the cursor goes: characters, words, lines.
import { graphemeAt, graphemesOf } from './graphemes.ts'

/** New positions of the cursor; every position is between two characters. */

export const charLeft = (text: string, cursor: number): number => (cursor === 0 ? 0 : graphemeAt(text, cursor - 1).from)

export const charRight = (text: string, cursor: number): number =>
  cursor >= text.length ? text.length : graphemeAt(text, cursor).to

export const lineStart = (text: string, cursor: number): number => (cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1)

export const lineEnd = (text: string, cursor: number): number => {
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

type Is = (sign: string) => boolean
const isOfWord: Is = sign => /^[\p{L}\p{N}\p{M}_]/u.test(sign)
const isSeen: Is = sign => !/^\s/u.test(sign)

/** Back over the gap before the cursor, then over the word. */
export const wordLeft = (text: string, cursor: number, isOf: Is = isOfWord): number => {
  const signs = graphemesOf(text.slice(0, cursor)).toReversed()
  return cursor - lengthOf(signs, isOf)
}

export const wordRight = (text: string, cursor: number): number => cursor + lengthOf(graphemesOf(text.slice(cursor)), isOfWord)

/** Deletes a word as shells do: everything back to a space. */
export const spacedLeft = (text: string, cursor: number): number => wordLeft(text, cursor, isSeen)

function lengthOf(signs: readonly string[], isOf: Is): number {
  const begin = signs.findIndex(isOf)
  if (begin < 0) return signs.join('').length
  const end = signs.findIndex((sign, index) => index > begin && !isOf(sign))
  return signs.slice(0, end < 0 ? signs.length : end).join('').length
}
