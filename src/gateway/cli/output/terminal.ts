// The terminal as a command sees it, and how commands print.
import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../workspace/settings.ts'
import { byWords } from './by-words.ts'
import { escapeToOneLine } from './escape-for-terminal.ts'

/** The world as a command sees it. */
export type Terminal = {
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number; readonly setRawMode?: (raw: boolean) => unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** What a command line that was typed wrongly ends with; anything else that failed ends with 1. */
export const MISUSED = 2

/** Says in one line what is wrong and what to do next, and gives back the exit code. */
export function complain(terminal: Terminal, message: string, code = 1): number {
  terminal.stderr.write(`turnwise: ${escapeToOneLine(message)}\n`)
  return code
}

/** For a person who wonders why nothing happens. */
export const tellOfWaiting = ({ stderr }: Terminal): void => {
  if (stderr.isTTY === true) stderr.write('turnwise: another command holds the database; waiting for it …\n')
}

/** Prints lines of a page; whatever others wrote in them was made harmless where the page was. */
export const print = (terminal: Terminal, ...lines: readonly string[]): void => {
  terminal.stdout.write(lines.map(line => `${line}\n`).join(''))
}

/** The same for lines that a person reads: on a terminal none of them is cut within a word. */
export const printPage = (terminal: Terminal, ...lines: readonly string[]): void => {
  const { isTTY, columns } = terminal.stdout
  print(terminal, ...(isTTY === true && columns !== undefined ? lines.flatMap(line => byWords(line, columns)) : lines))
}
