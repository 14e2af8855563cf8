/** Work that is done in small steps, so that its caller can let others go first between them. */

/** Work that gives its result at last; each value before it says only that a step is done. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** The result of work that is done in one go. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** A piece of a text, and where it begins there. */
export type TextPiece = { readonly text: string; readonly at: number }

/** A step reads about so many characters: a few milliseconds. */
const PIECE = 8192

/** A text in pieces that end at the end of a line, or of a word where the lines are long. Together they are the text. */
export function* piecesOf(text: string): Generator<TextPiece, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const end = text.length - at <= PIECE ? text.length : pieceEnd(text, at, at + PIECE)
    yield { text: at === 0 && end === text.length ? text : text.slice(at, end), at }
    at = end
  }
}

function pieceEnd(text: string, from: number, limit: number): number {
  const line = text.lastIndexOf('\n', limit - 1)
  if (line >= from + PIECE / 2) return line + 1
  const space = text.lastIndexOf(' ', limit - 1)
  if (space >= from + PIECE / 2) return space + 1
  return /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
}
