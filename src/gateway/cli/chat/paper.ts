import { Writable } from 'node:stream'
import type { Terminal } from '../terminal.ts'

/** A terminal as commands see it whose output goes elsewhere, as above a line that is being typed. */
export function paperFor(terminal: Terminal, write: (text: string) => void): Terminal {
  const { isTTY = false } = terminal.stdout
  const stream = (): Terminal['stdout'] => {
    const paper = new Writable({
      decodeStrings: false,
      write: (chunk: string, _, done) => {
        write(chunk)
        done()
      },
    })
    return Object.defineProperty(Object.assign(paper, { isTTY }), 'columns', { get: () => terminal.stdout.columns })
  }
  return { ...terminal, stdout: stream(), stderr: stream() }
}
