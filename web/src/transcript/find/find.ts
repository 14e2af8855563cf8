// Finds words in the rows of a conversation.
import { spokenWords } from '../../view/shown.ts'
import { foldForSearch } from '../../words/plain.ts'
import type { TranscriptRowData } from '../rows.ts'

/** One hit: its row, and its number among the hits of that row. */
export type FoundPlace = { readonly row: string; readonly nth: number }

/** More hits than a person steps through; a single letter must not list everything. */
const MOST = 2000

/** Every place where something is said, in the order of the transcript. Case and accents do not matter. */
export function findPlaces(rows: readonly TranscriptRowData[], words: string): readonly FoundPlace[] {
  const wanted = foldForSearch(words.trim())
  if (wanted === '') return []
  const places: FoundPlace[] = []
  for (const row of rows) {
    const many = countIn(foldForSearch(textOf(row)), wanted)
    for (let nth = 0; nth < many && places.length < MOST; nth += 1) places.push({ row: row.key, nth })
    if (places.length === MOST) break
  }
  return places
}

/** What is read of a row without opening anything. */
function textOf(row: TranscriptRowData): string {
  switch (row.kind) {
    case 'message':
      return row.entry.text
    case 'line':
      return row.entry.text
    case 'reply':
      return spokenWords(row.entry.steps).join('\n')
    case 'round':
      return row.replies.flatMap(({ steps }) => spokenWords(steps)).join('\n')
  }
}

function countIn(text: string, wanted: string): number {
  let many = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) many += 1
  return many
}

/** The next place after one, round and round; the first to show is the last one said, as reading begins at the end. */
export function stepTo(places: readonly FoundPlace[], from: number | null, by: 1 | -1): number | null {
  if (places.length === 0) return null
  if (from === null) return by === 1 ? 0 : places.length - 1
  return (from + by + places.length) % places.length
}
