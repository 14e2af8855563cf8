import { Fragment, memo, useMemo } from 'react'
import { Blocks } from './blocks.tsx'
import { mended } from './mended.ts'
import { read } from './read.ts'
import { definitionsOf, type Piece, split } from './split.ts'

type MarkdownProps = { readonly text: string; readonly growing: boolean; readonly className?: string }

/**
 * A text as Markdown. It becomes a tree of plain data first, and the tree becomes elements; nothing of it is ever markup.
 * While it grows only its last piece is read and drawn again.
 */
export function Markdown({ text, growing, className = 'spoken' }: MarkdownProps): React.ReactNode {
  const pieces = useMemo(() => split(text), [text])
  const definitions = useMemo(() => definitionsOf(pieces), [pieces])
  const last = pieces.length - 1
  return (
    <div className={`said ${className} markdown`} data-growing={growing}>
      {pieces.map(({ kind, raw }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Fragment key={index}>
          {/* Not seen; but who copies or reads the text alone finds its paragraphs apart. */}
          {index > 0 && '\n\n'}
          <OnePiece kind={kind} raw={raw} definitions={definitions} growing={growing && index === last} />
        </Fragment>
      ))}
    </div>
  )
}

type PieceProps = Piece & { readonly definitions: string; readonly growing: boolean }

const OnePiece: React.NamedExoticComponent<PieceProps> = memo(function OnePiece({ kind, raw, definitions, growing }: PieceProps) {
  const shown = growing && kind === 'markdown' ? mended(raw) : raw
  return <Blocks blocks={useMemo(() => read({ kind, raw: shown }, definitions), [kind, shown, definitions])} growing={growing} />
})
