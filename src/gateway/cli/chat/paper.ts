// A terminal whose output goes above the line being typed.
import { Writable } from 'node:stream'
import { byWords } from '../output/by-words.ts'
import type { Terminal } from '../output/terminal.ts'

/**
 * Wraps a terminal so that the output of commands goes elsewhere, for example above the line being typed. Errors are shown as
 * prose.
 */
export function paperFor(terminal: Terminal, write: (text: string) => void): Terminal {
  const { isTTY = false } = terminal.stdout
  const prose = (text: string): string =>
    text
      .split('\n')
      .flatMap(line => byWords(line, terminal.stdout.columns ?? Number.POSITIVE_INFINITY))
      .join('\n')
  const stream = (shown: (text: string) => string): Terminal['stdout'] => {
    const paper = new Writable({
      decodeStrings: false,
      write: (chunk: string, _, done) => {
        write(shown(chunk))
        done()
      },
    })
    return Object.defineProperty(Object.assign(paper, { isTTY }), 'columns', { get: () => terminal.stdout.columns })
  }
  return { ...terminal, stdout: stream(text => text), stderr: stream(prose) }
}
