// Draws a text with the searched words highlighted.
import { type HighlightPiece, highlightPieces } from './found.ts'

/** A text with the searched words marked. */
export function HighlightedText({ text, query }: { readonly text: string; readonly query: string }): React.ReactNode {
  return <HighlightedPieces pieces={highlightPieces(text, query)} />
}

/** Pieces of a text, those that were looked for marked. */
export function HighlightedPieces({ pieces }: { readonly pieces: readonly HighlightPiece[] }): React.ReactNode {
  return pieces.map(({ text, hit }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    return hit ? <mark key={index}>{text}</mark> : text
  })
}
