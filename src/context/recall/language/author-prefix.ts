/** Finds the author's name at the beginning of a message, as in `Anna: I am home`. */

/** A name and how many characters it takes with its colon and space. */
export type AuthorPrefix = { readonly name: string; readonly length: number }

/** One to three words, each with a capital letter or a letter of a script without capitals in front. */
const WORD = "[\\p{Lu}\\p{Lt}\\p{Lo}][\\p{L}\\p{M}\\p{N}.'’_-]{0,39}"
const PREFIX = new RegExp(`^(${WORD}(?: ${WORD}){0,2}): +(?=\\S)`, 'u')

/** Longer beginnings are headings, not names. */
const LONGEST_NAME = 40

/** The name before the first colon of a text, if that looks like one. */
export function authorPrefix(text: string): AuthorPrefix | undefined {
  const [whole, name] = PREFIX.exec(text.slice(0, LONGEST_NAME + LONGEST_GAP)) ?? []
  if (whole === undefined || name === undefined || name.length > LONGEST_NAME) return undefined
  return { name, length: whole.length }
}

/** Room for the colon, some spaces and the first character of what is said. */
const LONGEST_GAP = 20
