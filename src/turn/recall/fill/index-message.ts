/** Makes of a message what the index keeps of it: its passages with their terms, and facts that scoring needs. */
import { authorPrefix } from '../../../context/recall/language/author-prefix.ts'
import { asks, speaksOfSelf, statesRule, statesWish } from '../../../context/recall/language/message-facts.ts'
import { passagesOf } from '../../../context/recall/language/passages.ts'
import { termsOf, wordsOf } from '../../../context/recall/language/terms.ts'
import { messageTexts } from '../../../context/recall/message-texts.ts'
import type { WordVectors } from '../../../context/recall/word-vectors.ts'
import type { IndexedMessage, IndexedPassage, PassageTerms } from './blocks.ts'
import type { CompleteMessage } from './read-messages.ts'

/** A message with everything the index keeps of it. */
export type NewMessage = {
  readonly message: Omit<IndexedMessage, 'number' | 'sitting' | 'first'>
  readonly passages: readonly IndexedPassage[]
  readonly terms: readonly PassageTerms[]
  /** Of its first passage; absent without vectors, or if it has no word that has one. */
  readonly vector: Int8Array | undefined
}

/** Terms of the name that a message begins with: looked for only in chats without named authors. */
export const NAME_MARK = '^'

/** What a person of a session wants always: found without knowing its words. */
export const RULE_MARK = '^rule^'

/** So many characters of a message decide whether it asks, or states a rule. */
const MOST_JUDGED = 4000

/** What the index keeps of a message; undefined if the message has no words. */
export function indexMessage(complete: CompleteMessage, vectors: WordVectors | undefined): NewMessage | undefined {
  const texts = messageTexts(complete.events)
  const words = texts[0]?.text ?? ''
  const prefix = authorPrefix(words)
  const skipped = prefix?.length ?? 0
  const found = texts.flatMap(({ text }, index) =>
    passagesOf(index === 0 ? text.slice(skipped) : text).map(({ from, to }) => {
      const moved = index === 0 ? skipped : 0
      return { index, text: text.slice(from + moved, to + moved), from: from + moved, to: to + moved }
    }),
  )
  const [first] = found
  if (first === undefined) return undefined
  const said = words.slice(skipped, skipped + MOST_JUDGED)
  const isRule = statesRule(said)
  const marks = [...nameTerms(prefix?.name), ...(isRule ? [RULE_MARK] : [])]
  const own = found.map(({ text }) => termsOf(text))
  const passages = found.map(({ index, from, to }, behind) => ({
    ...{ text: index, from, to, behind },
    length: own[behind]?.length ?? 0,
  }))
  return {
    message: {
      seqs: complete.events.map(({ seq }) => seq),
      completed: complete.completed,
      minute: Math.max(0, Math.floor(Date.parse(complete.at) / 60_000)) || 0,
      voice: complete.voice,
      name: prefix?.name ?? '',
      to: complete.to,
      asks: asks(said),
      statesRule: isRule,
      statesWish: statesWish(said),
      speaksOfSelf: speaksOfSelf(said),
      tokens: complete.events.reduce((sum, { tokens }) => sum + tokens, 0),
      terms: passages.reduce((sum, { length }) => sum + length, 0),
      passages: passages.length,
    },
    passages,
    terms: own.map((terms, behind) => counted(behind === 0 ? [...terms, ...marks] : terms)),
    vector: vectors?.vectorOf(wordsOf(first.text)),
  }
}

const nameTerms = (name: string | undefined): readonly string[] =>
  name === undefined ? [] : termsOf(name).map(term => `${NAME_MARK}${term}`)

function counted(terms: readonly string[]): PassageTerms {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return [...counts]
}
