// Quotes foreign text with invisible characters spelled out.
const MOST_SHOWN = 64

/** What nobody can see, or what changes how its neighbours are seen. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Foreign text with everything invisible spelled out, so that it can stand in a line of ours. */
export const spelled = (text: string): string => text.replace(UNSEEN, codePoint)

/** Foreign text in quotes, short and harmless. */
export function shownText(text: string): string {
  const characters = [...text.slice(0, 2 * MOST_SHOWN)].slice(0, MOST_SHOWN).join('')
  return spelled(JSON.stringify(characters.length < text.length ? `${characters}…` : text))
}

/** A character by its number, as in `U+202E`. */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
