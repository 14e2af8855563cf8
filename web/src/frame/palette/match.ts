// Scores how well a text matches what was typed.
import { foldForSearch } from '../../words/plain.ts'

/** How well a text answers what was typed, and at which places; a higher score is better. */
export type Match = { readonly score: number; readonly at: readonly number[] }

const NOTHING: Match = { score: 0, at: [] }

/** Every word that was typed must be found, in any order; what is typed letter by letter may leave letters out. Null if it is not there. */
export function match(query: string, text: string): Match | null {
  const near = foldForSearch(text)
  let whole = NOTHING
  for (const word of foldForSearch(query).split(/\s+/)) {
    if (word === '') continue
    const found = together(word, near) ?? scattered(word, near)
    if (found === null) return null
    whole = { score: whole.score + found.score, at: [...whole.at, ...found.at] }
  }
  // Of two texts with the same words, the shorter one is more likely meant.
  return { score: whole.score - near.length / 1000, at: [...new Set(whole.at)].sort((a, b) => a - b) }
}

const AT_START = 12
const AT_WORD = 10
const WITHIN = 6

/** The letters are adjacent: best at the beginning, better at the beginning of a word than within one. */
function together(word: string, text: string): Match | null {
  let best: Match | null = null
  for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + 1)) {
    const score = from === 0 ? AT_START : beginsWord(text, from) ? AT_WORD : WITHIN
    if (best === null || score > best.score) best = { score, at: Array.from(word, (_, index) => from + index) }
  }
  return best
}

/** The letters come in this order, and each gap begins a word: “nc” finds “New conversation”, but not “once”. */
function scattered(word: string, text: string): Match | null {
  const at: number[] = []
  for (const letter of word) {
    const last = at.at(-1)
    if (last !== undefined && text.startsWith(letter, last + 1)) {
      at.push(last + 1)
      continue
    }
    let from = text.indexOf(letter, (last ?? -1) + 1)
    while (from >= 0 && !beginsWord(text, from)) from = text.indexOf(letter, from + 1)
    if (from < 0) return null
    at.push(from)
  }
  return { score: at.length / word.length, at }
}

const beginsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
