/** Tells whether a message begins like a question about the past. */
import { languages } from './languages/all.ts'
import { type TextLanguage, withoutAccents } from './languages/language.ts'
import { languagesIn } from './terms.ts'

/** How much of a text its beginning is. */
const BEGINNING = 300
/** How many greetings, fillers and names may come first. */
const MOST_OPENINGS = 5

/** Whether a text begins like a question about the past, after greetings and names. */
export function asksAboutPast(text: string): boolean {
  const beginning = text.trimStart().slice(0, BEGINNING)
  const { likely } = languagesIn(beginning)
  const plain = withoutAccents(beginning)
  return (likely.length === 0 ? languages : likely).some(language => beginsLikeQuestion(plain, language))
}

/** A cue is looked for before every step, because some openings are cues too ("remember", "and when"). */
function beginsLikeQuestion(text: string, language: TextLanguage): boolean {
  let rest = text
  for (let step = 0; step <= MOST_OPENINGS; step++) {
    const lower = rest.toLowerCase()
    if (language.looksBack.test(lower)) return true
    const opening = language.opening.exec(lower)?.[0] ?? ''
    const shorter = rest.slice(opening.length).replace(ADDRESS, '').replace(LEADING_MARKS, '')
    if (shorter === rest) return false
    rest = shorter
  }
  return false
}

/** `@anna` or `Anna,` or `Anna Maria:`. */
const ADDRESS =
  /^(?:@[\p{L}\p{N}_.-]{1,40}[\s,:]*|[\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}'-]{0,30}(?: [\p{Lu}\p{Lo}][\p{L}\p{M}\p{N}'-]{0,30})?[,،、，:!！]\s*)/u
const LEADING_MARKS = /^[\s,;:.!?¿¡"'“„«(*>–—-]+/u
