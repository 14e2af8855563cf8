// Quotes foreign text with invisible characters spelled out.
const MOST_SHOWN = 64

/** Characters that are invisible, or that change how their neighbors look. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Spells out all invisible characters of foreign text, so that it can be part of a line of ours. */
export const spelled = (text: string): string => text.replace(UNSEEN, codePoint)

/** Foreign text in quotes, short and harmless. */
export function shownText(text: string): string {
  const characters = [...text.slice(0, 2 * MOST_SHOWN)].slice(0, MOST_SHOWN).join('')
  return spelled(JSON.stringify(characters.length < text.length ? `${characters}…` : text))
}

/** A character by its number, such as `U+202E`. */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
