// Draws a text as Markdown, piece by piece while it grows.
import { Fragment, memo, useMemo, useRef } from 'react'
import { MarkdownBlocks } from './blocks.tsx'
import { type LexedPiece, type LexedText, lex } from './lex.ts'
import { mended } from './mended.ts'
import { read } from './read.ts'

type MarkdownProps = { readonly text: string; readonly growing: boolean; readonly className?: string }

/**
 * A text as Markdown. It becomes a tree of plain data first, and the tree becomes elements; no text is ever used as markup.
 * While it grows only its last piece is read and drawn again.
 */
export function Markdown({ text, growing, className = 'spoken' }: MarkdownProps): React.ReactNode {
  const pieces = useLexed(text, growing)
  const last = pieces.length - 1
  return (
    <div className={`said ${className} markdown`} data-growing={growing}>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Fragment key={index}>
          {/* Not seen; but who copies or reads the text alone finds its paragraphs apart. */}
          {index > 0 && '\n\n'}
          <OnePiece piece={piece} growing={growing && index === last} />
        </Fragment>
      ))}
    </div>
  )
}

/** The pieces of a text. Those that it had before are the very same ones, so that they are not drawn again. */
function useLexed(text: string, growing: boolean): readonly LexedPiece[] {
  const before = useRef<LexedText>(undefined)
  return useMemo(() => {
    before.current = lex(text, { before: before.current, mend: growing ? mended : undefined })
    return before.current.pieces
  }, [text, growing])
}

type PieceProps = { readonly piece: LexedPiece; readonly growing: boolean }

const OnePiece: React.NamedExoticComponent<PieceProps> = memo(function OnePiece({ piece, growing }: PieceProps) {
  return <MarkdownBlocks blocks={useMemo(() => read(piece), [piece])} growing={growing} />
})
