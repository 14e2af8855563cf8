/** Finds what can be looked up by its letters in a text: addresses, paths, ids, dates and numbers. */
import { datesIn } from './same-value.ts'

export type NotableKind = 'address' | 'id' | 'date' | 'number' | 'name'

/** Something in a text that a reader cannot guess, by its place. */
export type Notable = { readonly kind: NotableKind; readonly from: number; readonly to: number }

/** A run without spaces, quotes and brackets; those of East Asian texts end one, too. */
const RUN = /[^\s"`<>(){}[\]|;“”„‟«»‹›‘「」『』《》〈〉【】（）、。，；：！？…]+/gu
/** Scripts that write words without spaces: there, an id is a run of other letters. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\ud840-\ud888]/
const SPACED_RUN =
  /[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\ud840-\ud888\udc00-\udfff]+/g
const LEADING = /^(?:[^\p{L}\p{N}_/~.$€£¥#@]|[/~.$€£¥#@](?![\p{L}\p{N}_/.~]))+/u
const TRAILING = /(?:[^\p{L}\p{N}_%€$£¥/]|\/(?=\/))+$/u
const EDGES = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu
/** The definition of an identifier: a digit, one of these signs inside, or a capital inside. */
const TELLING = /\d|^.+[_/.@#:-].+$|^.+\p{Lu}/u
const ADDRESS = /^(?:https?|ftps?|wss?|file|mailto|ssh|git):\/?\/?\S{3,}$|^(?:www\.)\S{3,}$|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/i
const ONLY_NUMBER = /^[^\p{L}\d]{0,3}\d[\d.,:'’]*(?:%|[€$£¥]|°C?)?$/u
/** Words of plain letters with marks between them are words, not ids: "follow-up", "and/or", "e.g". */
const WORDS = /^\p{L}[\p{Ll}\p{M}'’]*(?:[-/:’'][\p{L}][\p{Ll}\p{M}'’]*)*$|^(?:\p{L}\.)+\p{L}?$/u

/** What begins like a path or has two slashes is one, also if it has plain words only. */
const PATH = /^(?:~|\.{1,2})?\/|\/[^/]+\//

const LONGEST_ID = 80
const LONGEST_ADDRESS = 300

/** Everything notable in a text but names, in its order. */
export function notablesIn(text: string): readonly Notable[] {
  const dates = datesIn(text).map(({ from, to }): Notable => ({ kind: 'date', from, to }))
  const found: Notable[] = []
  let next = 0
  for (const { 0: run, index } of text.matchAll(RUN)) {
    for (const [from, to] of runsIn(run, index)) {
      while (next < dates.length && (dates[next]?.to ?? 0) <= from) next += 1
      const date = dates[next]
      if (date !== undefined && date.from < to && date.to > from && (date.to >= to || to - from <= date.to - date.from + 1))
        continue
      const one = notableOf(text, from, to)
      if (one !== undefined) found.push(one)
    }
  }
  return dates.length === 0 ? found : [...found, ...dates].sort((a, b) => a.from - b.from)
}

/** The parts of a run that may each be one thing: split where a script without spaces stands between, and at commas. */
function runsIn(run: string, at: number): readonly (readonly [number, number])[] {
  const parts: (readonly [number, number])[] = []
  if (UNSPACED.test(run)) {
    for (const { 0: part, index } of run.matchAll(SPACED_RUN)) parts.push(...commaParts(part, at + index))
    return parts
  }
  return commaParts(run, at)
}

const COMMA = /,(?!\d{3}(?!\d))|(?<!\d),/

function commaParts(run: string, at: number): readonly (readonly [number, number])[] {
  if (!run.includes(',') || /^https?:/i.test(run)) return [[at, at + run.length]]
  const parts: (readonly [number, number])[] = []
  let from = at
  for (const part of run.split(COMMA)) {
    parts.push([from, from + part.length])
    from += part.length + 1
  }
  return parts
}

function notableOf(text: string, from: number, to: number): Notable | undefined {
  const run = text.slice(from, to)
  // Most runs are plain words.
  if (!MAY_TELL.test(run)) return undefined
  const start = from + (LEADING.exec(run)?.[0].length ?? 0)
  const end = to - (TRAILING.exec(run)?.[0].length ?? 0)
  if (start >= end) return undefined
  const own = text.slice(start, end)
  if (ONLY_NUMBER.test(own)) return { kind: 'number', from: start, to: end }
  if (ADDRESS.test(own)) return own.length <= LONGEST_ADDRESS ? { kind: 'address', from: start, to: end } : undefined
  const bare = own.replace(EDGES, '')
  if (bare.length < 4 || own.length > LONGEST_ID || !TELLING.test(bare)) return undefined
  if (WORDS.test(bare) && !PATH.test(own)) return undefined
  return { kind: 'id', from: start, to: end }
}

const MAY_TELL = /[\d_/.@#:-]|.\p{Lu}/u

/** Whether a word of a text is an identifier by the definition of the benchmark, and no words with marks between them. */
export const isIdentifier = (word: string): boolean =>
  word.length >= 4 && word.length <= LONGEST_ID && TELLING.test(word) && (!WORDS.test(word) || PATH.test(word))
