/** Looks up in the recall index which messages of a session matter for a new one. */

import { spansIn } from '../../context/recall/language/dates.ts'
import { asksAboutPast } from '../../context/recall/language/looks-back.ts'
import { type QuestionTerm, questionTerms, termsOf, textLanguage, wordsOf } from '../../context/recall/language/terms.ts'
import { type ComparedMessage, type Comparison, type Features, featuresOf, scoreOf } from '../../context/recall/score.ts'
import type { RecallState, RecallStore } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Candidate, RecallFound, TextSlice } from '../../model/recall.ts'
import { ok, type Result } from '../../model/result.ts'
import {
  addMessages,
  BLOCK,
  blockOf,
  decodeBlock,
  decodeReplaced,
  eachTerm,
  type IndexBlock,
  type IndexedMessage,
  MOST_NAMES,
  NO_TOTALS,
  type Totals,
} from './blocks.ts'
import type { Encoder } from './encoder.ts'
import { emptyIndex, type LoadedVectors } from './fill-index.ts'
import { NAME_MARK, RULE_MARK } from './index-message.ts'
import { countBelow, eachPosting } from './postings.ts'
import { type SimilarBy, similarities } from './similarity.ts'

/** What is asked of the index. */
export type RecallQuery = {
  /** The new message, and when it came. */
  readonly text: string
  readonly at: string
  /** Only what was complete by this seq counts. */
  readonly through: number
  /** Who asks, and whether it hears all voices or only its own. */
  readonly voice: string
  readonly view: 'all' | 'own'
  /** Messages that a person excluded, by any of their seqs. */
  readonly excluded: readonly number[]
  /** How voices are called. */
  readonly names: Readonly<Record<string, string>>
}

/** A person who has no name in the text. */
const PERSON = 'User'

/** In a session of up to so many messages all of them are compared. */
const MOST_COMPARED = 2000
/** Beyond that the best passages are, with so many neighbours on each side, and the newest rules. */
const BEST_PASSAGES = 200
const NEIGHBOURS = 2
const NEWEST_RULES = 50
/** So many postings are looked at, those of the rarest terms first. */
const MOST_POSTINGS = 60_000
/** A message with more tokens is quoted by its passages, and so many of them are named. */
const LONG_TOKENS = 250
const MOST_PASSAGES = 12

/** The messages that may be quoted for a new one, with their scores; messages that are in the window anyway are among them. */
export async function lookUp(
  rows: RecallStore,
  id: SessionId,
  query: RecallQuery,
  loaded: LoadedVectors | undefined,
  weigh: (features: Features) => number = scoreOf,
  encoder?: Encoder,
): Promise<Result<RecallFound, Fault>> {
  const state = await rows.state(id)
  if (!state.ok) return state
  // Where nothing is indexed yet, the answer is that of an index of no messages.
  const known = state.value ?? emptyIndex(loaded?.hash ?? null)
  const reader = createReader(rows, id, known)
  const isEnglish = textLanguage(query.text).code === 'en'
  // The vectors are those of English words: of other languages they know pieces, and find what is not related.
  const vectors = isEnglish && loaded?.hash === known.vectors ? loaded : undefined
  const indexed = Math.min(query.through, known.indexedThrough)
  const all = await totalsAt(reader, known, indexed)
  if (!all.ok) return all
  const encoded = await encodedPart(reader, known, indexed, all.value, isEnglish ? encoder : undefined)
  if (!encoded.ok) return encoded
  // Never some messages by one kind of vectors and some by another: the newest ones are in the window anyway.
  const through = encoded.value?.through ?? indexed
  const totals = encoded.value === undefined ? all : ok(encoded.value.totals)
  const similar: SimilarBy | undefined =
    encoded.value === undefined ? vectors && { words: vectors.vectors } : { encoder: encoded.value.encoder }
  const replaced = await reader.replaced(through)
  if (!replaced.ok) return replaced
  const chat = chatOf(totals.value, query)
  const asked = {
    ...query,
    ...chat,
    terms: questionTerms(query.text, chat.speakers),
    spans: spansIn(query.text, query.at),
    isVisible: visibility(query, through, replaced.value),
  }
  const found: RecallFound = {
    indexedThrough: through,
    vectors: encoded.value === undefined ? (vectors?.hash ?? null) : `encoder:${encoded.value.encoder.model}`,
    terms: asked.terms.map(({ word }) => word),
    asksAboutPast: asksAboutPast(query.text),
    ...seenTotals(totals.value, query),
    candidates: [],
  }
  if (asked.terms.length === 0 && asked.namedAuthors.size === 0 && asked.spans.length === 0) return ok(found)
  const hits = await findHits(reader, asked, totals.value, vectors)
  if (!hits.ok) return hits
  const near =
    totals.value.messages <= MOST_COMPARED
      ? await allMessages(reader, totals.value, asked.isVisible)
      : await bestMessages(reader, totals.value, asked.isVisible, hits.value)
  if (!near.ok) return near
  const compared = await compare(reader, asked, near.value, hits.value, totals.value, similar, weigh)
  return compared.ok ? ok({ ...found, candidates: compared.value }) : compared
}

/** So many of the newest messages may have no vector of the encoder yet. */
const MOST_NOT_ENCODED = 20

type EncodedPart = { readonly encoder: Encoder; readonly through: number; readonly totals: Totals }

/** The part of the index in which every message has a vector of the encoder; undefined if that is not nearly all of it. */
async function encodedPart(
  reader: IndexReader,
  state: RecallState,
  indexed: number,
  all: Totals,
  encoder: Encoder | undefined,
): Promise<Result<EncodedPart | undefined, Fault>> {
  if (encoder === undefined || state.encoder?.model !== encoder.model) return ok(undefined)
  const through = Math.min(indexed, state.encoder.through)
  const totals = through === indexed ? ok(all) : await totalsAt(reader, state, through)
  if (!totals.ok) return totals
  return ok(all.messages - totals.value.messages > MOST_NOT_ENCODED ? undefined : { encoder, through, totals: totals.value })
}

/** What the voice could see of all that was indexed. */
function seenTotals({ voices }: Totals, { voice, view }: RecallQuery): Pick<RecallFound, 'tokens' | 'answers'> {
  const seen = [...voices].filter(([speaker]) => speaker === '' || view === 'all' || speaker === voice)
  return {
    tokens: seen.reduce((sum, [, { tokens }]) => sum + tokens, 0),
    answers: seen.reduce((sum, [speaker, { messages }]) => sum + (speaker === '' ? 0 : messages), 0),
  }
}

type Chat = {
  readonly hasNamedAuthors: boolean
  readonly speakers: readonly string[]
  readonly namedAuthors: ReadonlySet<string>
}

/** Whether the messages have named authors, who speaks, and whom of them the question names. */
function chatOf({ messages, names }: Totals, { text, names: voices, voice, view }: RecallQuery): Chat {
  const often = [...names].filter(([, many]) => many >= 2)
  const named = often.reduce((sum, [, many]) => sum + many, 0)
  const hasNamedAuthors = messages > 0 && often.length <= MOST_NAMES && named >= messages * 0.8
  const seen = Object.entries(voices).filter(([key]) => view === 'all' || key === voice)
  const speakers = hasNamedAuthors ? often.map(([name]) => name) : seen.map(([, name]) => name)
  const words = new Set(wordsOf(text))
  const isNamed = (name: string): boolean => wordsOf(name).some(word => word.length > 1 && words.has(word))
  return { hasNamedAuthors, speakers, namedAuthors: new Set(speakers.filter(isNamed)) }
}

type IsVisible = (message: IndexedMessage) => boolean

/** Only what the voice may hear, was complete by then, is not excluded, and still counts. */
function visibility({ voice, view, excluded }: RecallQuery, through: number, replaced: ReadonlySet<number>): IsVisible {
  const out = new Set(excluded)
  return message => {
    if (message.completed > through || replaced.has(message.seqs[0] ?? 0)) return false
    if (message.voice !== '' && view === 'own' && message.voice !== voice) return false
    if (message.to.length > 0 && !message.to.includes(voice)) return false
    return !message.seqs.some(seq => out.has(seq))
  }
}

export type IndexReader = {
  readonly state: RecallState
  readonly blocks: (numbers: readonly number[]) => Promise<Result<ReadonlyMap<number, IndexBlock>, Fault>>
  readonly vectors: (
    kind: 'vectors' | 'encoded',
    numbers: readonly number[],
  ) => Promise<Result<ReadonlyMap<number, Uint8Array>, Fault>>
  readonly postings: RecallStore['postings'] extends (id: SessionId, ...rest: infer Rest) => infer Given
    ? (...rest: Rest) => Given
    : never
  readonly waiting: () => ReturnType<RecallStore['blocks']>
  readonly replaced: (through: number) => Promise<Result<ReadonlySet<number>, Fault>>
}

/** Reads rows of one session; each block is read and decoded once. */
function createReader(rows: RecallStore, id: SessionId, state: RecallState): IndexReader {
  const known = new Map<number, IndexBlock>()
  return {
    state,
    blocks: async numbers => {
      const missing = [...new Set(numbers)].filter(number => !known.has(number)).sort((a, b) => a - b)
      if (missing.length > 0) {
        const found = await rows.blocks(id, 'messages', missing)
        if (!found.ok) return found
        for (const { number, body } of found.value) known.set(number, decodeBlock(body, number))
      }
      return ok(known)
    },
    vectors: async (kind, numbers) => {
      const found = await rows.blocks(id, kind, numbers)
      return found.ok ? ok(new Map(found.value.map(({ number, body }) => [number, body]))) : found
    },
    postings: (...rest) => rows.postings(id, ...rest),
    waiting: () => {
      const first = blockOf(state.flushed)
      return rows.blocks(
        id,
        'terms',
        Array.from({ length: blockOf(Math.max(0, state.passages - 1)) - first + 1 }, (_, at) => first + at),
      )
    },
    replaced: async through => {
      const found = await rows.blocks(id, 'replaced', [0])
      if (!found.ok) return found
      const all = found.value[0] === undefined ? [] : decodeReplaced(found.value[0].body)
      return ok(new Set(all.filter(([, since]) => since <= through).map(([seq]) => seq)))
    },
  }
}

/** What all messages come to that were complete by a seq. */
async function totalsAt(reader: IndexReader, state: RecallState, through: number): Promise<Result<Totals, Fault>> {
  if (state.passages === 0) return ok(NO_TOTALS)
  let low = 0
  let high = blockOf(state.passages - 1)
  // The last block with nothing before it that was complete later.
  const isBefore = async (number: number): Promise<Result<boolean, Fault>> => {
    const found = await reader.blocks([number])
    return found.ok ? ok((found.value.get(number)?.before.completed ?? 0) <= through) : found
  }
  if (through < state.indexedThrough)
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const before = await isBefore(middle)
      if (!before.ok) return before
      if (before.value) low = middle
      else high = middle - 1
    }
  const found = await reader.blocks([high])
  if (!found.ok) return found
  const block = found.value.get(high)
  if (block === undefined) return ok(NO_TOTALS)
  return ok(
    addMessages(
      block.before,
      block.messages.filter(({ completed }) => completed <= through),
    ),
  )
}

type Asked = RecallQuery &
  Chat & { readonly terms: readonly QuestionTerm[]; readonly spans: Comparison['spans']; readonly isVisible: IsVisible }

/** What passages have of the question: for each term how often its own forms occur, and the best form's worth. */
type Hits = {
  readonly idf: readonly number[]
  /** The place of a passage in the lists: its own times the number of terms, one entry for each term. */
  readonly places: ReadonlyMap<number, number>
  readonly counts: Float32Array
  readonly worth: Float32Array
  /** First passages of messages that state a rule, newest last. */
  readonly rules: readonly number[]
}

/** One form of a term: how much it is worth beside the term itself. */
type Form = { readonly term: number; readonly form: string; readonly worth: number }

/** An unknown term is worth less than a rare one. */
const UNKNOWN = 0.7

async function findHits(
  reader: IndexReader,
  asked: Asked,
  { passages }: Totals,
  loaded: LoadedVectors | undefined,
): Promise<Result<Hits, Fault>> {
  const forms = formsOf(asked, loaded)
  const wanted = [...new Set([...forms.map(({ form }) => form), RULE_MARK])]
  const [found, waiting] = await Promise.all([reader.postings(wanted), reader.waiting()])
  if (!found.ok) return found
  if (!waiting.ok) return waiting
  const below = Math.min(passages, reader.state.flushed)
  const rowsOf = Map.groupBy(found.value, ({ term }) => term)
  const late = lateOf(waiting.value, new Set(wanted), reader.state.flushed, passages)
  const visit = (form: string, each: (passage: number, count: number) => void): void => {
    for (const row of rowsOf.get(form) ?? []) eachPosting(row, below, each)
    for (const [passage, count] of late.get(form) ?? []) each(passage, count)
  }
  const many = new Map(
    wanted.map(form => [
      form,
      (rowsOf.get(form) ?? []).reduce((sum, row) => sum + countBelow(row, below), 0) + (late.get(form)?.length ?? 0),
    ]),
  )
  const own = (term: number): number =>
    Math.min(
      passages,
      forms.reduce((sum, { term: of, form, worth }) => sum + (of === term && worth === 1 ? (many.get(form) ?? 0) : 0), 0),
    )
  const idf = asked.terms.map((_, term) => {
    const df = own(term)
    return df === 0 ? UNKNOWN * Math.log(1 + passages) : Math.log(1 + (passages - df + 0.5) / (df + 0.5))
  })
  const rarest = forms.toSorted((a, b) => (many.get(a.form) ?? 0) - (many.get(b.form) ?? 0) || (a.form < b.form ? -1 : 1))
  let left = MOST_POSTINGS
  const looked = rarest.filter(({ form }) => {
    left -= many.get(form) ?? 0
    return left >= 0
  })
  const terms = asked.terms.length
  const most = looked.reduce((sum, { form }) => sum + (many.get(form) ?? 0), 0)
  const places = new Map<number, number>()
  const counts = new Float32Array(most * terms)
  const worths = new Float32Array(most * terms)
  for (const { term, form, worth } of looked)
    visit(form, (passage, count) => {
      let place = places.get(passage)
      if (place === undefined) {
        place = places.size * terms
        places.set(passage, place)
      }
      if (worth === 1) counts[place + term] = (counts[place + term] as number) + count
      if (worth > (worths[place + term] as number)) worths[place + term] = worth
    })
  const rules: number[] = []
  visit(RULE_MARK, passage => rules.push(passage))
  return ok({ idf, places, counts, worth: worths, rules })
}

/** The question's own forms, and related words that are worth a part of them. */
function formsOf({ terms, hasNamedAuthors }: Asked, loaded: LoadedVectors | undefined): readonly Form[] {
  const own = terms.flatMap(({ forms }, term) =>
    forms.flatMap(form =>
      [form, ...(hasNamedAuthors ? [] : [`${NAME_MARK}${form}`])].map(each => ({ term, form: each, worth: 1 })),
    ),
  )
  const known = new Set(own.map(({ term, form }) => `${term} ${form}`))
  const related = terms.flatMap(({ word }, term) =>
    (loaded?.vectors.related(word) ?? []).flatMap(({ word: other, cosine: near }) =>
      termsOf(other).flatMap(form => {
        const key = `${term} ${form}`
        if (known.has(key)) return []
        known.add(key)
        return [{ term, form, worth: (0.8 * (near - 0.45)) / 0.55 }]
      }),
    ),
  )
  return [...own, ...related]
}

/** Postings of passages whose words still wait in blocks. */
function lateOf(
  waiting: readonly { readonly number: number; readonly body: Uint8Array }[],
  wanted: ReadonlySet<string>,
  flushed: number,
  below: number,
): ReadonlyMap<string, readonly (readonly [passage: number, count: number])[]> {
  const late = new Map<string, [number, number][]>()
  for (const { number, body } of waiting)
    eachTerm(body, wanted, (index, term, count) => {
      const passage = number * BLOCK + index
      if (passage < flushed || passage >= below) return
      const known = late.get(term)
      if (known === undefined) late.set(term, [[passage, count]])
      else known.push([passage, count])
    })
  return late
}

/** The messages to compare, in their order, and how far apart neighbours may be. */
type Near = { readonly messages: readonly IndexedMessage[]; readonly reach: number }

async function allMessages(reader: IndexReader, { passages }: Totals, isVisible: IsVisible): Promise<Result<Near, Fault>> {
  const numbers = Array.from({ length: passages === 0 ? 0 : blockOf(passages - 1) + 1 }, (_, number) => number)
  const blocks = await reader.blocks(numbers)
  if (!blocks.ok) return blocks
  const messages = numbers.flatMap(number => blocks.value.get(number)?.messages ?? []).filter(isVisible)
  return ok({ messages, reach: Number.POSITIVE_INFINITY })
}

/** The best passages that may be seen, with their neighbours, and the newest rules. */
async function bestMessages(reader: IndexReader, totals: Totals, isVisible: IsVisible, hits: Hits): Promise<Result<Near, Fault>> {
  const ranked = [...hits.places]
    .map(([passage, place]) => ({ passage, merit: roughMerit(hits, place) }))
    .sort((a, b) => b.merit - a.merit || a.passage - b.passage)
  const best = new Map<number, IndexedMessage>()
  let found = 0
  for (let from = 0; from < ranked.length && found < BEST_PASSAGES; from += BEST_PASSAGES) {
    const some = ranked.slice(from, from + BEST_PASSAGES)
    const messages = await messagesAt(
      reader,
      some.map(({ passage }) => passage),
    )
    if (!messages.ok) return messages
    for (const message of messages.value) {
      if (found >= BEST_PASSAGES) break
      if (message === undefined || !isVisible(message)) continue
      best.set(message.first, message)
      found += 1
    }
  }
  const rules = await messagesAt(reader, hits.rules.slice(-2 * NEWEST_RULES))
  if (!rules.ok) return rules
  const newest = rules.value.filter(message => message !== undefined && message.voice === '' && isVisible(message))
  for (const message of newest.slice(-NEWEST_RULES)) if (message !== undefined) best.set(message.first, message)
  const near = new Map(best)
  let edges = [...best.values()]
  for (let step = 0; step < NEIGHBOURS; step += 1) {
    const places = edges
      .flatMap(({ first, passages }) => [first - 1, first + passages])
      .filter(place => place >= 0 && place < totals.passages)
    const messages = await messagesAt(reader, places)
    if (!messages.ok) return messages
    edges = messages.value.filter(message => message !== undefined && !near.has(message.first)) as IndexedMessage[]
    for (const message of edges) near.set(message.first, message)
  }
  const messages = [...near.values()].filter(isVisible).sort((a, b) => a.first - b.first)
  return ok({ messages, reach: NEIGHBOURS })
}

/** Before the lengths of passages are known. */
function roughMerit({ idf, counts, worth }: Hits, place: number): number {
  let sum = 0
  for (let term = 0; term < idf.length; term += 1) {
    const count = counts[place + term] as number
    sum += (idf[term] as number) * ((worth[place + term] as number) + (count * (K1 + 1)) / (count + K1))
  }
  return sum
}

/** The messages to which passages belong. */
async function messagesAt(
  reader: IndexReader,
  places: readonly number[],
): Promise<Result<readonly (IndexedMessage | undefined)[], Fault>> {
  const blocks = await reader.blocks(places.map(blockOf))
  if (!blocks.ok) return blocks
  const firsts = places.map(place => {
    const behind = blocks.value.get(blockOf(place))?.passages[place % BLOCK]?.behind
    return behind === undefined ? -1 : place - behind
  })
  const more = await reader.blocks(firsts.filter(first => first >= 0).map(blockOf))
  if (!more.ok) return more
  return ok(firsts.map(first => (first < 0 ? undefined : messageAt(more.value.get(blockOf(first)), first))))
}

/** Messages of a block are in the order of their first passages. */
const messageAt = (block: IndexBlock | undefined, first: number): IndexedMessage | undefined =>
  block?.messages.find(message => message.first === first)

const K1 = 1.2
const B = 0.7

/** Scores the messages by their best passages, and names the best passages of long ones. */
async function compare(
  reader: IndexReader,
  asked: Asked,
  { messages, reach }: Near,
  { idf, places, counts, worth }: Hits,
  totals: Totals,
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
    const length = blocks.value.get(blockOf(passage))?.passages[passage % BLOCK]?.length ?? 0
    let [lexical, soft] = [0, 0]
    for (let term = 0; term < idf.length; term += 1) {
      const count = counts[place + term] as number
      const value = idf[term] as number
      lexical += (value * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average))
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
      ...{ number: message.number, sitting: message.sitting, author: authors[index] ?? '', isPerson: message.voice === '' },
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
      const isNamed = asked.hasNamedAuthors && message.name !== '' && message.tokens <= LONG_TOKENS
      return {
        ...{ seqs, tokens, author: isNamed ? null : (authors[index] ?? ''), score: weigh(own), match: own.match },
        isRelated: (compared[index]?.soft ?? 0) > 0 || own.author > 0 || own.date === 1,
        ...(tokens > LONG_TOKENS ? { passages: slicesOf(ranked[index] ?? [], blocks.value) } : {}),
      }
    }),
  )
}

const NOTHING = { lexical: 0, soft: 0 }
const MINUTES_PER_DAY = 24 * 60

const blocksOf = (first: number, passages: number): readonly number[] =>
  Array.from({ length: blockOf(first + passages - 1) - blockOf(first) + 1 }, (_, index) => blockOf(first) + index)

const authorOf = ({ voice, name }: IndexedMessage, { hasNamedAuthors, names }: Asked): string => {
  if (hasNamedAuthors && name !== '') return name
  return voice === '' ? PERSON : (names[voice] ?? voice)
}

/** The best passages of a long message; one that has nothing of the question comes only if no other does. */
function slicesOf(
  ranked: readonly { readonly passage: number; readonly lexical: number; readonly soft: number }[],
  blocks: ReadonlyMap<number, IndexBlock>,
): readonly TextSlice[] {
  const related = ranked.filter(({ soft }) => soft > 0)
  return (related.length === 0 ? ranked.slice(0, 1) : related.slice(0, MOST_PASSAGES)).flatMap(
    ({ passage }): readonly TextSlice[] => {
      const found = blocks.get(blockOf(passage))?.passages[passage % BLOCK]
      return found === undefined ? [] : [[found.text, found.from, found.to]]
    },
  )
}
