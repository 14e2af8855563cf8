// Paints streaming Markdown on a terminal.
import { createTerminalEscaper } from '../../output/escape-for-terminal.ts'
import { createBlockPainter } from './blocks.ts'
import { createLinePainter } from './lines.ts'

/**
 * Paints Markdown as it streams in: escaped, wrapped to the width and colored. It never prints a part twice. `end` prints the
 * held text and closes the line; after it, another text may begin.
 */
export type Painter = { readonly write: (text: string) => string; readonly end: () => string }

export type PainterOptions = { readonly columns: number; readonly color: boolean; readonly indent?: string }

/** The least width that text can be laid out in. */
const NARROWEST = 4

/** Reads the text character by character, so that the output does not depend on how the input was split. */
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
