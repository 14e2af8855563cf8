/** A text with the searched words marked. */
export function Found({ text, query }: { readonly text: string; readonly query: string }): React.ReactNode {
  const terms = query.match(/[\p{L}\p{N}]+/gu) ?? []
  if (terms.length === 0) return text
  // A capturing split gives the words between the rest: every second piece is a hit.
  return text.split(new RegExp(`(${terms.join('|')})`, 'giu')).map((piece, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    return index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece
  })
}
