/** Looks up in the recall index which messages of a session matter for a new one. */
import { spansIn } from '../../../context/recall/language/dates.ts'
import { asksAboutPast } from '../../../context/recall/language/looks-back.ts'
import { questionTerms, textLanguage, wordsOf } from '../../../context/recall/language/terms.ts'
import { type Features, scoreOf } from '../../../context/recall/score.ts'
import type { RecallState, RecallStore } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { RecallFound } from '../../../model/recall.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Encoder } from '../encoder.ts'
import { BLOCK, type IndexedMessage, MOST_NAMES, NO_TOTALS, type Totals } from '../fill/blocks.ts'
import { emptyIndex, type LoadedVectors } from '../fill/fill-index.ts'
import {
  type AskedPart,
  type AskedSource,
  blocksOfParts,
  joinedReader,
  type PartOf,
  type PlacedPart,
  partFinder,
  partOfMessage,
  placedParts,
  postingLists,
  sourceParts,
  WITHIN_SESSION,
} from './asked-parts.ts'
import { compareMessages } from './compare-messages.ts'
import { findHits, formsOf, wantedWords } from './find-hits.ts'
import { createReader, type IndexReader, totalsAt } from './index-reader.ts'
import { allMessages, bestMessages, type IsVisible } from './near-messages.ts'
import { createSharedWords, type SharedWords } from './shared-words.ts'
import type { SimilarBy } from './similarity.ts'

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
  /** Other sessions that are asked, too. */
  readonly sources?: readonly AskedSource[]
}

/** In a session of up to so many messages all of them are compared. */
const MOST_COMPARED = 2000

/** The messages that may be quoted for a new one, with their scores; messages that are in the window anyway are among them. */
export async function lookUp(
  rows: RecallStore,
  id: SessionId,
  query: RecallQuery,
  loaded: LoadedVectors | undefined,
  weigh: (features: Features) => number = scoreOf,
  encoder?: Encoder,
  { shared = createSharedWords(), withinMs = Number.POSITIVE_INFINITY }: LookUpOptions = {},
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
  const sources = query.sources ?? []
  const others = sources.length === 0 ? ok([]) : await sourceParts(rows, sources, known, shared, withinMs)
  if (!others.ok) return others
  const isEncoded = others.value.every(({ state: { encoder: by, indexedThrough } }) =>
    isFullyEncoded(by, indexedThrough, encoder),
  )
  const encoded = await encodedPart(reader, known, indexed, all.value, isEnglish && isEncoded ? encoder : undefined)
  if (!encoded.ok) return encoded
  // Never some messages by one kind of vectors and some by another: the newest ones are in the window anyway.
  const through = encoded.value?.through ?? indexed
  const totals = encoded.value === undefined ? all.value : encoded.value.totals
  const similar: SimilarBy | undefined =
    encoded.value === undefined ? vectors && { words: vectors.vectors } : { encoder: encoded.value.encoder }
  const [replaced, excluded] = await Promise.all([
    reader.replaced(through),
    others.value.length === 0 ? ok(NONE_EXCLUDED) : rows.excluded(others.value.map(part => part.id)),
  ])
  if (!replaced.ok) return replaced
  if (!excluded.ok) return excluded
  const own: AskedPart = { id, state: known, after: 0, through, totals, skipped: NO_TOTALS, replaced: replaced.value }
  const parts = placedParts([own, ...others.value], part => often(part) !== undefined)
  const partOf = partFinder(parts)
  const chat = chatOf(parts, query)
  const asked = {
    ...query,
    ...chat,
    terms: questionTerms(query.text, chat.speakers),
    spans: spansIn(query.text, query.at),
    isInNamedChat: (message: IndexedMessage) => partOfMessage(partOf, message)?.hasNamedAuthors === true,
    chatOf: (message: IndexedMessage) => partOfMessage(partOf, message)?.chat,
  }
  const isVisible = visibility(query, partOf, excluded.value)
  const found: RecallFound = {
    indexedThrough: through,
    vectors: encoded.value === undefined ? (vectors?.hash ?? null) : `encoder:${encoded.value.encoder.model}`,
    terms: asked.terms.map(({ word }) => word),
    asksAboutPast: asksAboutPast(query.text),
    ...seenTotals(totals, query),
    ...(sources.length === 0 ? {} : { elsewhere: elsewhereIn(others.value, query) }),
    candidates: [],
  }
  if (asked.terms.length === 0 && asked.namedAuthors.size === 0 && asked.spans.length === 0) return ok(found)
  const sums = sumsOf(parts)
  const forms = formsOf(asked, vectors)
  const lists = await postingLists(rows, reader, parts, wantedWords(forms), shared)
  if (!lists.ok) return lists
  const hits = findHits(lists.value, asked, forms, sums.passages)
  const joined = parts.length === 1 ? reader : { ...reader, ...joinedReader(rows, parts) }
  const last = parts.at(-1)
  const end = (last?.firstBlock ?? 0) * BLOCK + (last?.totals.passages ?? 0)
  const reach = parts.length === 1 ? Number.POSITIVE_INFINITY : WITHIN_SESSION
  const near =
    sums.messages <= MOST_COMPARED
      ? await allMessages(joined, blocksOfParts(parts), isVisible, reach)
      : await bestMessages(joined, end, isVisible, hits)
  if (!near.ok) return near
  const compared = await compareMessages(joined, asked, near.value, hits, sums, similar, weigh)
  return compared.ok ? ok({ ...found, candidates: compared.value }) : compared
}

/** What a thread keeps between look-ups, and how long it may read before it answers with what it has. */
export type LookUpOptions = { readonly shared?: SharedWords; readonly withinMs?: number }

const NONE_EXCLUDED: ReadonlyMap<SessionId, readonly number[]> = new Map()

const isFullyEncoded = (by: RecallState['encoder'], through: number, encoder: Encoder | undefined): boolean =>
  by !== null && by.model === encoder?.model && by.through >= through

type Sums = Pick<Totals, 'messages' | 'passages' | 'terms'>

/** What all that is asked comes to; what forks share counts once. */
const sumsOf = (parts: readonly AskedPart[]): Sums => {
  const sum = (name: keyof Sums): number => parts.reduce((all, { totals, skipped }) => all + totals[name] - skipped[name], 0)
  return { messages: sum('messages'), passages: sum('passages'), terms: sum('terms') }
}

/** How many other chats could be asked, and what of them the voice could see. */
const elsewhereIn = (parts: readonly AskedPart[], query: RecallQuery): NonNullable<RecallFound['elsewhere']> => ({
  chats: parts.length,
  tokens: parts.reduce(
    (sum, { totals, skipped }) => sum + seenTotals(totals, query).tokens - seenTotals(skipped, query).tokens,
    0,
  ),
})

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

/** The names that begin most of a chat's messages; undefined if they do not. */
function often({ messages, names }: Totals): readonly string[] | undefined {
  const found = [...names].filter(([, many]) => many >= 2)
  const named = found.reduce((sum, [, many]) => sum + many, 0)
  return messages > 0 && found.length <= MOST_NAMES && named >= messages * 0.8 ? found.map(([name]) => name) : undefined
}

/** Whether the messages have named authors, who speaks, and whom of them the question names. */
function chatOf(parts: readonly PlacedPart[], { text, names: voices, voice, view }: RecallQuery): Chat {
  const hasNamedAuthors = parts.every(part => part.hasNamedAuthors)
  const seen = Object.entries(voices).filter(([key]) => view === 'all' || key === voice)
  const authors = parts.flatMap(({ hasNamedAuthors: isNamed, totals }) => (isNamed ? (often(totals) ?? []) : []))
  const speakers = [...new Set([...authors, ...(hasNamedAuthors ? [] : seen.map(([, name]) => name))])]
  const words = new Set(wordsOf(text))
  const isNamed = (name: string): boolean => wordsOf(name).some(word => word.length > 1 && words.has(word))
  return { hasNamedAuthors, speakers, namedAuthors: new Set(speakers.filter(isNamed)) }
}

/** Only what the voice may hear, was complete by then, is not excluded, still counts, and is not asked in another session already. */
function visibility(
  { voice, view, excluded }: RecallQuery,
  partOf: PartOf,
  elsewhere: ReadonlyMap<SessionId, readonly number[]>,
): IsVisible {
  const here = new Set(excluded)
  const there = new Map([...elsewhere].map(([id, seqs]) => [id, new Set(seqs)]))
  return message => {
    const part = partOfMessage(partOf, message)
    if (part === undefined) return false
    const [first = 0] = message.seqs
    if (message.completed > part.through || first <= part.after || part.replaced.has(first)) return false
    if (message.voice !== '' && view === 'own' && message.voice !== voice) return false
    if (message.to.length > 0 && !message.to.includes(voice)) return false
    const out = part.chat === undefined ? here : there.get(part.id)
    return out === undefined || !message.seqs.some(seq => out.has(seq))
  }
}
