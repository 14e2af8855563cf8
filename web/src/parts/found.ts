// Splits a text at the searched words.
import { foldForSearch } from '../words/plain.ts'

/** A stretch of a text, and whether it is what was looked for. */
export type HighlightPiece = { readonly text: string; readonly hit: boolean }

/** A text with the searched words apart, as the gateway finds them: whole words, the last one perhaps only begun, accents or not. */
export function highlightPieces(text: string, query: string): readonly HighlightPiece[] {
  const terms: readonly string[] = foldForSearch(query).match(WORD) ?? []
  const last = terms.at(-1)
  if (last === undefined) return [{ text, hit: false }]
  const isHit = (word: string): boolean => terms.includes(word) || word.startsWith(last)
  const hits = [...foldForSearch(text).matchAll(WORD)].filter(([word]) => isHit(word))
  return cutAt(
    text,
    hits.map(hit => ({ from: hit.index, to: hit.index + hit[0].length })),
  )
}

const WORD = /[\p{L}\p{N}]+/gu

/** A text with single places apart; neighbours are one piece. */
export function piecesAt(text: string, places: readonly number[]): readonly HighlightPiece[] {
  const stretches: { from: number; to: number }[] = []
  for (const place of places) {
    const before = stretches.at(-1)
    if (before?.to === place) before.to = place + 1
    else stretches.push({ from: place, to: place + 1 })
  }
  return cutAt(text, stretches)
}

function cutAt(text: string, stretches: readonly { readonly from: number; readonly to: number }[]): readonly HighlightPiece[] {
  const pieces: HighlightPiece[] = []
  let end = 0
  for (const { from, to } of stretches) {
    pieces.push({ text: text.slice(end, from), hit: false }, { text: text.slice(from, to), hit: true })
    end = to
  }
  return [...pieces, { text: text.slice(end), hit: false }].filter(piece => piece.text !== '')
}
