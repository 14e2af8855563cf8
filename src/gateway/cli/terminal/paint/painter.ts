// Paints streaming Markdown on a terminal.
import { createTerminalEscaper } from '../../output/escape-for-terminal.ts'
import { createBlockPainter } from './blocks.ts'
import { createLinePainter } from './lines.ts'

/**
 * Markdown as it streams in, made harmless, wrapped to the width and coloured; nothing that was printed is ever printed again.
 * `end` prints what was held back and closes the line; after it, another text may begin.
 */
export type Painter = { readonly write: (text: string) => string; readonly end: () => string }

export type PainterOptions = { readonly columns: number; readonly color: boolean; readonly indent?: string }

/** Narrower than this nothing can be laid out. */
const NARROWEST = 4

/** The text is taken sign by sign, so that what is printed does not depend on the pieces in which it came. */
export function createPainter({ columns, color, indent = '' }: PainterOptions): Painter {
  const clean = createTerminalEscaper()
  const lines = createLinePainter({ columns: Math.max(NARROWEST, columns), color })
  const blocks = createBlockPainter(lines, color, indent)
  const feed = (text: string): string => {
    let painted = ''
    for (const sign of text) {
      blocks.write(sign)
      painted += lines.take()
    }
    return painted
  }
  return {
    write: text => feed(clean.write(text)),
    end: () => {
      const rest = feed(clean.end())
      blocks.end()
      return rest + lines.close()
    },
  }
}
