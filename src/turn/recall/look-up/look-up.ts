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
import { MOST_NAMES, type Totals } from '../fill/blocks.ts'
import { emptyIndex, type LoadedVectors } from '../fill/fill-index.ts'
import { compareMessages } from './compare-messages.ts'
import { findHits } from './find-hits.ts'
import { createReader, type IndexReader, totalsAt } from './index-reader.ts'
import { allMessages, bestMessages, type IsVisible } from './near-messages.ts'
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
  const compared = await compareMessages(reader, asked, near.value, hits.value, totals.value, similar, weigh)
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
