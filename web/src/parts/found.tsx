import { type Piece, piecesOf } from './found.ts'

/** A text with the searched words marked. */
export function Found({ text, query }: { readonly text: string; readonly query: string }): React.ReactNode {
  return <Pieces pieces={piecesOf(text, query)} />
}

/** Pieces of a text, those that were looked for marked. */
export function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): React.ReactNode {
  return pieces.map(({ text, hit }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    return hit ? <mark key={index}>{text}</mark> : text
  })
}
