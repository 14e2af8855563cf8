// Colors for terminals, plain text elsewhere.
import type { Environment } from '../../workspace/settings.ts'

/** A few colors for people; plain text for everything that is not a terminal. */
export type Ink = Readonly<Record<'bold' | 'dim' | 'good' | 'warn' | 'bad' | 'name', (text: string) => string>>

const CODES = { bold: 1, dim: 2, good: 32, warn: 33, bad: 31, name: 36 } as const

/** Whether a stream is a terminal that shows colors, and the environment does not forbid them. */
export const isColourful = (stream: { readonly isTTY?: boolean }, { NO_COLOR, TERM }: Environment): boolean =>
  stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'

/** Ink for one stream: colored only on a terminal that can show it, and only if `NO_COLOR` does not forbid it. */
export function inkFor(stream: { readonly isTTY?: boolean }, environment: Environment): Ink {
  const colourful = isColourful(stream, environment)
  const dye = (code: number) => (text: string) => (colourful && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    bold: dye(CODES.bold),
    dim: dye(CODES.dim),
    good: dye(CODES.good),
    warn: dye(CODES.warn),
    bad: dye(CODES.bad),
    name: dye(CODES.name),
  }
}
