// Makes a painter for a terminal, and none for a pipe.
import type { Terminal } from '../../output/terminal.ts'
import { createPainter, type Painter } from './painter.ts'

const USUAL_COLUMNS = 80

/** A painter for a terminal; null for any other output, which gets the text unchanged. */
export function painterFor({ stdout, environment }: Pick<Terminal, 'stdout' | 'environment'>): Painter | null {
  if (stdout.isTTY !== true || environment.TERM === 'dumb') return null
  return createPainter({ columns: stdout.columns || USUAL_COLUMNS, color: !environment.NO_COLOR })
}

/** Paints a complete answer, without its last line end. */
export const paintedWhole = (painter: Painter, answer: string): string => (painter.write(answer) + painter.end()).trimEnd()
