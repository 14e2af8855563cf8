/** Scores messages by their best passages, and names the best passages of long ones. */
import { PERSON_NAME } from '../../../context/recall/recall-block.ts'
import { type ComparedMessage, type Comparison, type Features, featuresOf } from '../../../context/recall/score.ts'
import type { Fault } from '../../../model/fault.ts'
import type { Candidate, SourceChat, TextSlice } from '../../../model/recall.ts'
import { ok, type Result } from '../../../model/result.ts'
import { BLOCK, blockOf, type IndexedMessage, type ScannedBlock, type Totals } from '../fill/blocks.ts'
import type { QuestionHits } from './find-hits.ts'
import type { IndexReader } from './index-reader.ts'
import { BM25_B, BM25_K1, type NearMessages } from './near-messages.ts'
import { type SimilarBy, similarities } from './similarity.ts'

/** A message with more tokens is quoted by its passages, and so many of them are named. */
const LONG_TOKENS = 250
const MOST_PASSAGES = 12

/** What of the question decides how messages are compared. */
export type AskedQuestion = Omit<Comparison, 'reach'> & {
  readonly text: string
  /** How voices are called. */
  readonly names: Readonly<Record<string, string>>
  /** Whether a message is from a chat whose messages have named authors, and from which chat if not from the one that asks. */
  readonly isInNamedChat: (message: IndexedMessage) => boolean
  readonly chatOf: (message: IndexedMessage) => SourceChat | undefined
}

/** Scores the messages by their best passages, and names the best passages of long ones. */
export async function compareMessages(
  reader: IndexReader,
  asked: AskedQuestion,
  { messages, reach }: NearMessages,
  { idf, places, counts, worth }: QuestionHits,
  totals: Pick<Totals, 'terms' | 'passages'>,
  similar: SimilarBy | undefined,
  weigh: (features: Features) => number,
): Promise<Result<readonly Candidate[], Fault>> {
  const numbers = [
    ...new Set(messages.flatMap(({ first, passages }) => (passages === 1 ? [blockOf(first)] : blocksOf(first, passages)))),
  ]
  const [blocks, near] = await Promise.all([reader.blocks(numbers), similarities(reader, asked.text, messages, reach, similar)])
  if (!blocks.ok) return blocks
  if (!near.ok) return near
  const whole = idf.reduce((sum, value) => sum + value, 0) || 1
  const average = Math.max(1, totals.terms / Math.max(1, totals.passages))
  const worthOf = (passage: number): { readonly lexical: number; readonly soft: number } => {
    const place = places.get(passage)
    if (place === undefined) return NOTHING
    const length = blocks.value.get(blockOf(passage))?.passage(passage % BLOCK)?.length ?? 0
    let [lexical, soft] = [0, 0]
    for (let term = 0; term < idf.length; term += 1) {
      const count = counts[place + term] as number
      const value = idf[term] as number
      lexical += (value * count * (BM25_K1 + 1)) / (count + BM25_K1 * (1 - BM25_B + (BM25_B * length) / average))
      soft += value * (worth[place + term] as number)
    }
    return { lexical, soft }
  }
  const ranked = messages.map(({ first, passages }) =>
    passages === 1
      ? [{ passage: first, ...worthOf(first) }]
      : Array.from({ length: passages }, (_, index) => ({ passage: first + index, ...worthOf(first + index) })).sort(
          (a, b) => b.lexical + b.soft - a.lexical - a.soft || a.passage - b.passage,
        ),
  )
  const authors = messages.map(message => authorOf(message, asked))
  const compared = messages.map((message, index): ComparedMessage => {
    const best = ranked[index]?.[0]
    return {
      ...{ number: message.number, sitting: message.sitting, author: authors[index] ?? '' },
      isPerson: message.voice === '' || asked.isInNamedChat(message),
      ...(asked.hasNamedAuthors || !asked.isInNamedChat(message) ? {} : { hasNamedAuthor: true }),
      ...{ asks: message.asks, statesRule: message.statesRule, statesWish: message.statesWish },
      speaksOfSelf: message.speaksOfSelf,
      day: Math.floor(message.minute / MINUTES_PER_DAY),
      lexical: (best?.lexical ?? 0) / whole,
      soft: (best?.soft ?? 0) / whole,
      similarity: near.value?.[index] ?? null,
    }
  })
  const features = featuresOf(compared, { ...asked, reach })
  return ok(
    messages.map((message, index): Candidate => {
      const own = features[index] as Features
      const { seqs, tokens } = message
      // A long message is quoted by passages, and those come without the name.
      const isNamed = asked.isInNamedChat(message) && message.name !== '' && message.tokens <= LONG_TOKENS
      return {
        ...{ seqs, tokens, author: isNamed ? null : (authors[index] ?? ''), score: weigh(own), match: own.match },
        isRelated: (compared[index]?.soft ?? 0) > 0 || own.author > 0 || own.date === 1,
        ...chatIn(asked.chatOf(message)),
        ...(tokens > LONG_TOKENS ? { passages: slicesOf(ranked[index] ?? [], blocks.value) } : {}),
      }
    }),
  )
}

const NOTHING = { lexical: 0, soft: 0 }
const MINUTES_PER_DAY = 24 * 60

const blocksOf = (first: number, passages: number): readonly number[] =>
  Array.from({ length: blockOf(first + passages - 1) - blockOf(first) + 1 }, (_, index) => blockOf(first) + index)

const chatIn = (chat: SourceChat | undefined): Pick<Candidate, 'chat'> => (chat === undefined ? {} : { chat })

const authorOf = (message: IndexedMessage, { isInNamedChat, names }: AskedQuestion): string => {
  const { voice, name } = message
  if (name !== '' && isInNamedChat(message)) return name
  return voice === '' ? PERSON_NAME : (names[voice] ?? voice)
}

/** The best passages of a long message; one that has nothing of the question comes only if no other does. */
function slicesOf(
  ranked: readonly { readonly passage: number; readonly lexical: number; readonly soft: number }[],
  blocks: ReadonlyMap<number, ScannedBlock>,
): readonly TextSlice[] {
  const related = ranked.filter(({ soft }) => soft > 0)
  return (related.length === 0 ? ranked.slice(0, 1) : related.slice(0, MOST_PASSAGES)).flatMap(
    ({ passage }): readonly TextSlice[] => {
      const found = blocks.get(blockOf(passage))?.passage(passage % BLOCK)
      return found === undefined ? [] : [[found.text, found.from, found.to]]
    },
  )
}
