/** Finds which passages have words of a question, or related ones. */
import { type QuestionTerm, termsOf } from '../../../context/recall/language/terms.ts'
import type { PostingRow } from '../../../log/ports.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import { BLOCK, eachTerm } from '../fill/blocks.ts'
import type { LoadedVectors } from '../fill/fill-index.ts'
import { NAME_MARK, RULE_MARK } from '../fill/index-message.ts'
import { countBelow, eachPosting } from '../fill/postings.ts'
import type { IndexReader } from './index-reader.ts'

/** So many postings are looked at, those of the rarest terms first. */
const MOST_POSTINGS = 60_000

/** The terms that are looked for, and whether the messages have named authors. */
export type AskedTerms = { readonly terms: readonly QuestionTerm[]; readonly hasNamedAuthors: boolean }

/** The passages that have something of the question: the first has place 0, the next one the number of terms, and so on. */
export type PassagePlaces = { readonly passages: Int32Array; readonly get: (passage: number) => number | undefined }

/** What passages have of the question: for each term how often its own forms occur, and the best form's worth. */
export type QuestionHits = {
  readonly idf: readonly number[]
  /** The place of a passage in the lists: its own times the number of terms, one entry for each term. */
  readonly places: PassagePlaces
  readonly counts: Float32Array
  readonly worth: Float32Array
  /** First passages of messages that state a rule, newest last. */
  readonly rules: readonly number[]
}

/** One form of a term: how much it is worth beside the term itself. */
export type Form = { readonly term: number; readonly form: string; readonly worth: number }

/** An unknown term is worth less than a rare one. */
const UNKNOWN = 0.7

/** Where the words of some sessions are found. */
export type PostingList = {
  /** How many passages have a word. */
  readonly count: (form: string) => number
  readonly visit: (form: string, each: (passage: number, count: number) => void) => void
}

/** The words that have to be looked for. */
export const wantedWords = (forms: readonly Form[]): readonly string[] => [
  ...new Set([...forms.map(({ form }) => form), RULE_MARK]),
]

/** The postings of one session, moved to where its passages stand; only those from a passage on, and below another. */
export async function postingsOf(
  reader: Pick<IndexReader, 'state' | 'postings' | 'waiting'>,
  wanted: readonly string[],
  { base, from, passages }: { readonly base: number; readonly from: number; readonly passages: number },
): Promise<Result<PostingList, Fault>> {
  const [found, waiting] = await Promise.all([reader.postings(wanted), reader.waiting()])
  if (!found.ok) return found
  if (!waiting.ok) return waiting
  const below = Math.min(passages, reader.state.flushed)
  const rowsOf = Map.groupBy(found.value, ({ term }) => term)
  const late = lateOf(waiting.value, new Set(wanted), Math.max(from, reader.state.flushed), passages)
  const countIn = (row: PostingRow): number => countBelow(row, below) - (from === 0 ? 0 : countBelow(row, Math.min(from, below)))
  return ok({
    count: form => (rowsOf.get(form) ?? []).reduce((sum, row) => sum + countIn(row), 0) + (late.get(form)?.length ?? 0),
    visit: (form, each) => {
      for (const row of rowsOf.get(form) ?? [])
        eachPosting(row, below, (passage, count) => {
          if (passage >= from) each(base + passage, count)
        })
      for (const [passage, count] of late.get(form) ?? []) each(base + passage, count)
    },
  })
}

/** What the passages have of a question, the rarest of its terms first. */
export function findHits(
  lists: readonly PostingList[],
  asked: Pick<AskedTerms, 'terms'>,
  forms: readonly Form[],
  passages: number,
): QuestionHits {
  const wanted = wantedWords(forms)
  const visit: PostingList['visit'] = (form, each) => {
    for (const list of lists) list.visit(form, each)
  }
  const many = new Map(wanted.map(form => [form, lists.reduce((sum, list) => sum + list.count(form), 0)]))
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
  const places = createPlaces(most, terms)
  const counts = new Float32Array(most * terms)
  const worths = new Float32Array(most * terms)
  for (const { term, form, worth } of looked)
    visit(form, (passage, count) => {
      const place = places.add(passage)
      if (worth === 1) counts[place + term] = (counts[place + term] as number) + count
      if (worth > (worths[place + term] as number)) worths[place + term] = worth
    })
  const rules: number[] = []
  visit(RULE_MARK, passage => rules.push(passage))
  return { idf, places: places.done(), counts, worth: worths, rules }
}

/** A table in typed arrays, in place of a map with tens of thousands of entries for every question. */
function createPlaces(
  most: number,
  terms: number,
): { readonly add: (passage: number) => number; readonly done: () => PassagePlaces } {
  const bits = Math.max(4, 33 - Math.clz32(most))
  const [shift, mask] = [32 - bits, 2 ** bits - 1]
  /** One more than the index of a passage in the list, where its number leads or at the next free slot; 0 where nothing is. */
  const slots = new Int32Array(2 ** bits)
  const list = new Int32Array(most)
  let length = 0
  const slotOf = (passage: number): number => {
    let slot = Math.imul(passage, SPREAD) >>> shift
    for (;;) {
      const known = slots[slot] as number
      if (known === 0 || list[known - 1] === passage) return slot
      slot = (slot + 1) & mask
    }
  }
  return {
    add: passage => {
      const slot = slotOf(passage)
      const known = slots[slot] as number
      if (known > 0) return (known - 1) * terms
      list[length] = passage
      length += 1
      slots[slot] = length
      return (length - 1) * terms
    },
    done: () => ({
      passages: list.subarray(0, length),
      get: passage => {
        const known = slots[slotOf(passage)] as number
        return known === 0 ? undefined : (known - 1) * terms
      },
    }),
  }
}

/** Neighbouring numbers lead to slots that are far apart. */
const SPREAD = 0x9e3779b1

/** The question's own forms, and related words that are worth a part of them. */
export function formsOf({ terms, hasNamedAuthors }: AskedTerms, loaded: LoadedVectors | undefined): readonly Form[] {
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
