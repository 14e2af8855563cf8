/** Checks a synthesis sentence by sentence: which advisor's answer each one rests on. */
import type { VoiceId } from '../../model/voice.ts'
import { type Citation, type Cited, citationsIn, endsSentence, foldLabel } from './citations.ts'
import { findQuote, type Searchable, toSearchable } from './literal-quotes.ts'
import { type Span, sentencesIn } from './sentences.ts'

/** An answer that may be cited, under the name it is cited by. */
export type Source = { readonly voice: VoiceId; readonly label: string; readonly text: string; readonly seq: number }

/** Words that are said to be an advisor's; `at` counts UTF-16 units of its answer, and is null where they are not in it. */
export type CitedQuote = {
  readonly text: string
  readonly isLiteral: boolean
  readonly at: number | null
  readonly length: number
}

/** The advisor whose answer a sentence rests on; `seq` is the place of that answer in its session. */
export type Origin = { readonly voice: VoiceId; readonly label: string; readonly seq: number; readonly quote?: CitedQuote }

/** Why a sentence cannot simply be believed. */
export type AttributionTrouble = 'unattributed' | 'unknown-advisor' | 'not-literal'

export type Sentence = {
  /** Without its citations. */
  readonly text: string
  readonly heading?: true
  readonly from: readonly Origin[]
  /** Names in its citations that none of the answers has. */
  readonly unknown?: readonly string[]
  readonly trouble?: AttributionTrouble
}

/** Which answers the sentences of a synthesis rest on. The list includes headings, the counts do not. */
export type Attribution = {
  readonly sentences: readonly Sentence[]
  readonly counts: {
    readonly sentences: number
    readonly attributed: number
    readonly unattributed: number
    readonly unknownAdvisor: number
    readonly notLiteral: number
  }
}

/** Reads what a synthesis claims about its sources, and compares every quote with the answer it names. */
export function attribute(text: string, answers: readonly Source[]): Attribution {
  const sources = sourcesOf(answers)
  const { words, places } = withoutCitations(text, citationsIn(text, sources))
  const spans = sentencesIn(
    words,
    places.filter(place => place.isEnd).map(({ at }) => at),
  )
  const cited = coverage(words, spans, places)
  const sentences = spans.map((span, index) => sentenceOf(words, span, cited[index] ?? [], sources))
  return { sentences, counts: countsOf(sentences) }
}

type Found = { readonly source: Source; readonly searchable: Searchable }

type Sources = {
  readonly isKnown: (label: string) => boolean
  readonly isLiteral: (label: string, quote: string) => boolean
  readonly named: (label: string) => readonly Found[]
}

function sourcesOf(answers: readonly Source[]): Sources {
  const byLabel = Map.groupBy(
    answers.map(source => ({ source, searchable: toSearchable(source.text) })),
    ({ source }) => foldLabel(source.label),
  )
  const named = (label: string): readonly Found[] => byLabel.get(foldLabel(label)) ?? []
  return {
    named,
    isKnown: label => named(label).length > 0,
    isLiteral: (label, quote) => named(label).some(found => findQuote(quote, found.searchable) !== undefined),
  }
}

/** The place of a removed citation in the remaining words. `isEnd`: the citation ended a sentence, which is over there. */
type CitedPlace = { readonly at: number; readonly isEnd: boolean; readonly cited: readonly Cited[] }

function withoutCitations(text: string, citations: readonly Citation[]): { words: string; places: readonly CitedPlace[] } {
  let words = ''
  let after = 0
  const places: CitedPlace[] = []
  for (const { from, to, cited } of citations) {
    const between = text.slice(after, from)
    words += between.slice(0, Math.max(between.trimEnd().length, between.lastIndexOf('\n') + 1))
    after = to
    places.push({ at: words.length, isEnd: endsSentence(words) || /^[^\S\n]*(?:\n|$)/.test(text.slice(to)), cited })
  }
  return { words: words + text.slice(after), places }
}

/** What is cited for each sentence. A citation covers the sentence that it is in or follows, and earlier ones without a citation. */
function coverage(words: string, spans: readonly Span[], places: readonly CitedPlace[]): readonly (readonly Cited[])[] {
  const covered: Cited[][] = spans.map(() => [])
  for (const { at, cited } of places) {
    const last = lastCovered(words, spans, at)
    const paragraph = spans[last]?.paragraph
    const before = covered.findLastIndex(
      (own, index) => index < last && (own.length > 0 || spans[index]?.paragraph !== paragraph),
    )
    for (const own of covered.slice(before + 1, last + 1)) own.push(...cited)
  }
  return covered
}

function lastCovered(words: string, spans: readonly Span[], at: number): number {
  const before = spans.findLastIndex(({ from }) => from < at)
  const [last, next] = [spans[before], spans[before + 1]]
  const opensNext = next !== undefined && next.paragraph !== last?.paragraph && /^[^\S\n]*$/.test(words.slice(at, next.from))
  if (opensNext) return before + 1
  // Behind a heading, on a line of its own, it belongs to nothing.
  return last?.isHeading === true && words.slice(last.to, at).includes('\n') ? -1 : before
}

function sentenceOf(words: string, { from, to, isHeading }: Span, cited: readonly Cited[], sources: Sources): Sentence {
  const origins = cited.flatMap(each => originOf(each, sources) ?? [])
  const unknown = cited.filter(({ label }) => !sources.isKnown(label)).map(({ label }) => label)
  const trouble = isHeading ? undefined : troubleOf(cited, unknown, origins)
  return {
    text: words.slice(from, to).replace(/\s+/g, ' '),
    ...(isHeading ? { heading: true } : {}),
    from: origins.filter((origin, index) => origins.findIndex(other => isSame(other, origin)) === index),
    ...(unknown.length === 0 ? {} : { unknown: [...new Set(unknown)] }),
    ...(trouble === undefined ? {} : { trouble }),
  }
}

function originOf({ label, quote }: Cited, { named }: Sources): Origin | undefined {
  const all = named(label).map(({ source, searchable }) => ({ source, place: findQuote(quote ?? '', searchable) }))
  const { source, place } = all.find(found => found.place !== undefined) ?? all[0] ?? {}
  if (source === undefined) return undefined
  const origin = { voice: source.voice, label: source.label, seq: source.seq }
  if (quote === undefined) return origin
  return {
    ...origin,
    quote: { text: quote, isLiteral: place !== undefined, at: place?.at ?? null, length: place?.length ?? 0 },
  }
}

const isSame = (one: Origin, other: Origin): boolean =>
  one.voice === other.voice && one.seq === other.seq && one.quote?.text === other.quote?.text

function troubleOf(
  cited: readonly Cited[],
  unknown: readonly string[],
  origins: readonly Origin[],
): AttributionTrouble | undefined {
  if (cited.length === 0) return 'unattributed'
  if (unknown.length > 0) return 'unknown-advisor'
  return origins.some(({ quote }) => quote?.isLiteral === false) ? 'not-literal' : undefined
}

function countsOf(all: readonly Sentence[]): Attribution['counts'] {
  const sentences = all.filter(({ heading }) => heading !== true)
  const having = (trouble: AttributionTrouble | undefined): number =>
    sentences.filter(sentence => sentence.trouble === trouble).length
  return {
    sentences: sentences.length,
    attributed: having(undefined),
    unattributed: having('unattributed'),
    unknownAdvisor: having('unknown-advisor'),
    notLiteral: having('not-literal'),
  }
}
