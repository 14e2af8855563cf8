// The terminal as a command sees it, and how commands print.
import type { Readable, Writable } from 'node:stream'
import type { Environment } from '../../workspace/settings.ts'
import { byWords } from './by-words.ts'
import { escapeToOneLine } from './escape-for-terminal.ts'

/** Everything outside the process that a command uses. */
export type Terminal = {
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number; readonly setRawMode?: (raw: boolean) => unknown }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
}

/** The exit code for a wrongly typed command line. Every other failure exits with 1. */
export const MISUSED = 2

/** Prints one line that says what is wrong and what to do next, and returns the exit code. */
export function complain(terminal: Terminal, message: string, code = 1): number {
  terminal.stderr.write(`turnwise: ${escapeToOneLine(message)}\n`)
  return code
}

/** Tells a person why nothing happens while the command waits. */
export const tellOfWaiting = ({ stderr }: Terminal): void => {
  if (stderr.isTTY === true) stderr.write('turnwise: another command holds the database; waiting for it …\n')
}

/** Prints the lines of a page. The caller has already escaped text from models and people. */
export const print = (terminal: Terminal, ...lines: readonly string[]): void => {
  terminal.stdout.write(lines.map(line => `${line}\n`).join(''))
}

/** Prints lines for a person: on a terminal they are wrapped between words. */
export const printPage = (terminal: Terminal, ...lines: readonly string[]): void => {
  const { isTTY, columns } = terminal.stdout
  print(terminal, ...(isTTY === true && columns !== undefined ? lines.flatMap(line => byWords(line, columns)) : lines))
}
