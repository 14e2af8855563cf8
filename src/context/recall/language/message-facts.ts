/** What can be said of a message by its words alone: whether it asks, states a rule or a wish, or speaks of its author. */
import { languages } from './languages/all.ts'
import { type TextLanguage, withoutAccents } from './languages/language.ts'
import { languagesIn } from './terms.ts'

/** Whether a sentence of a text is a question. */
export const asks = (text: string): boolean => QUESTION.test(text)

/** A question mark at the end of a word, perhaps with closing marks behind it; not that of an address. */
const QUESTION = /[？؟]|\?[?!"'”’»)\]*_~]{0,4}(?:\s|$|\p{Extended_Pictographic})/u

/** Whether a text states a rule for what comes later: "always", "from now on". */
export const statesRule = (text: string): boolean => says(text, language => language.rule)

/** Whether a text states a standing wish or preference: "I prefer", "my favorite". */
export const statesWish = (text: string): boolean => says(text, language => language.wish)

/** Whether a text speaks of its author in the first person. */
export const speaksOfSelf = (text: string): boolean => says(text, language => language.self)

/** Rules and wishes of a long text are in its first or last lines; the rest is material. */
const MOST_READ = 4000

function says(text: string, cuesOf: (language: TextLanguage) => RegExp): boolean {
  const read = text.length <= 2 * MOST_READ ? text : `${text.slice(0, MOST_READ)}\n${text.slice(-MOST_READ)}`
  const { likely } = languagesIn(read)
  const plain = withoutAccents(read).toLowerCase()
  return (likely.length === 0 ? languages : likely).some(language => cuesOf(language).test(plain))
}
