/** Finds the citations in a synthesis: brackets that name the advisors a sentence rests on. */
import { toSearchable } from './literal-quotes.ts'

/** One name in a citation, with the words that are said to be its own. */
export type Cited = { readonly label: string; readonly quote?: string }

/** A bracket that names whom a sentence rests on, from its `[` to after its `]`. */
export type Citation = { readonly from: number; readonly to: number; readonly cited: readonly Cited[] }

/** What a reader of citations knows about who may be named. */
export type KnownLabels = {
  readonly isKnown: (label: string) => boolean
  readonly isLiteral: (label: string, quote: string) => boolean
}

const LONGEST_LABEL = 200
const LONGEST_QUOTE = 2000
const MOST_ENDINGS = 8

/** The same name, however it is spaced, quoted, emphasised or capitalised. */
export const foldLabel = (label: string): string =>
  toSearchable(label.normalize('NFC').toLowerCase())
    .plain.replace(/^[\s*_@]+/, '')
    .replace(/[\s*_]+$/, '')

/** All citations of a text in order; those that follow one another with nothing between are one. */
export function citationsIn(text: string, known: KnownLabels): readonly Citation[] {
  const rests = restsIn(text, known)
  const citations: Citation[] = []
  for (const { index } of text.matchAll(/\[/g)) {
    const last = citations.at(-1)
    const rest = rests.get(index + 1)
    if (rest === undefined || index < (last?.to ?? 0) || !isCitation(text, index, rest, known)) continue
    const cited = listed(rest)
    if (last !== undefined && text.slice(last.to, index).trim() === '')
      citations[citations.length - 1] = { from: last.from, to: rest.to, cited: [...last.cited, ...cited] }
    else citations.push({ from: index, to: rest.to, cited })
  }
  return citations
}

/** A citation from one of its names on; a list that shares its tails. */
type Rest = { readonly cited: Cited; readonly next?: Rest; readonly to: number }

function listed(rest: Rest): readonly Cited[] {
  const all: Cited[] = []
  for (let each: Rest | undefined = rest; each !== undefined; each = each.next) all.push(each.cited)
  return all
}

/** Read from behind, so that a quote which may end in several places needs no second reading of what follows. */
function restsIn(text: string, known: KnownLabels): ReadonlyMap<number, Rest> {
  const rests = new Map<number, Rest>()
  const starts = [...text.matchAll(/[[;]/g)].map(({ index }) => index + 1)
  for (const start of starts.reverse()) {
    const rest = restAt(text, start, known, rests)
    if (rest !== undefined) rests.set(start, rest)
  }
  return rests
}

function restAt(text: string, start: number, known: KnownLabels, rests: ReadonlyMap<number, Rest>): Rest | undefined {
  const end = labelEnd(text, start, known)
  if (end === undefined) return undefined
  const label = text.slice(start, end).trim()
  const goesOn = (cited: Cited, at: number): Rest | undefined => {
    if (text[at] === ']') return { cited, to: at + 1 }
    const next = rests.get(at + 1)
    return next === undefined ? undefined : { cited, next, to: next.to }
  }
  if (text[end] !== ':') return goesOn({ label }, end)
  const readings = quotesAt(text, end + 1).flatMap(({ quote, at }) => {
    const rest = goesOn(quote.trim() === '' ? { label } : { label, quote: quote.trim() }, at)
    return rest === undefined ? [] : [rest]
  })
  // Takes the longest reading that the advisor really said, because the words may contain quotes.
  return readings.findLast(({ cited }) => known.isLiteral(label, cited.quote ?? '')) ?? readings[0]
}

/** Where a name ends: after the longest that is known, or else before the first sign that cannot be in one. */
function labelEnd(text: string, start: number, { isKnown }: KnownLabels): number | undefined {
  const most = text.slice(start, start + LONGEST_LABEL)
  const ends = [...most.matchAll(/[:;\]]/g)].slice(0, MOST_ENDINGS).map(({ index }) => index)
  const knownEnd = ends.findLast(end => isKnown(most.slice(0, end)))
  if (knownEnd !== undefined) return start + knownEnd
  const stranger = /^[^[\]:;"“”„\n]*(?=[:;\]])/.exec(most)?.[0] ?? ''
  return stranger.trim() === '' ? undefined : start + stranger.length
}

type Ending = { readonly quote: string; readonly at: number }

/** Every way in which a quote may be read, shortest first; one without its marks goes to the next sign of the form. */
function quotesAt(text: string, start: number): readonly Ending[] {
  const opened = start + (/^\s*["“”„]/.exec(text.slice(start, start + LONGEST_LABEL))?.[0].length ?? 0)
  const most = text.slice(opened, opened + LONGEST_QUOTE)
  const closings = opened === start ? [] : [...most.matchAll(/["“”]\s*(?=[;\]])/g)].slice(0, MOST_ENDINGS)
  if (closings.length > 0)
    return closings.map(({ 0: mark, index }) => ({ quote: most.slice(0, index), at: opened + index + mark.length }))
  const unmarked = /^[^;\]\n]*(?=[;\]])/.exec(most)?.[0]
  return unmarked === undefined ? [] : [{ quote: unmarked, at: opened + unmarked.length }]
}

/** A bracket with a known name is always a citation. Any other bracket is one only after a sentence. */
function isCitation(text: string, from: number, rest: Rest, { isKnown }: KnownLabels): boolean {
  if (text[rest.to] === '(') return false
  if (listed(rest).some(({ label }) => isKnown(label))) return true
  const before = text.slice(text.lastIndexOf('\n', from - 1) + 1, from)
  const isEnd = /^[^\S\n]*(?:$|[\n.!?…[])/.test(text.slice(rest.to, rest.to + LONGEST_LABEL))
  if (/[\p{L}\p{N}]/u.test(before)) return isEnd || endsSentence(before)
  return isEnd && before.trim() === '' && endsSentence(text.slice(0, from))
}

/** Whether the last that was written is the end of a sentence. */
export const endsSentence = (text: string): boolean => /[.!?…。！？]["'”’»)\]*_]*\s*$/u.test(text.slice(-LONGEST_LABEL))
