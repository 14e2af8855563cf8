// Reads piped input line by line.
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import type { Terminal } from '../../output/terminal.ts'
import { LONGEST_INPUT_BYTES } from './state.ts'

/**
 * Reads piped input line by line; each line is one message. Skips empty lines, and reports a line that is too long by its
 * number.
 */
export async function* pipedLines({ stdin }: Pick<Terminal, 'stdin'>): AsyncGenerator<Result<string, Fault>> {
  const decoder = new TextDecoder()
  let number = 0
  let held = ''
  let isTooLong = false
  const ended = (line: string): Result<string, Fault> | undefined => {
    number += 1
    const wasTooLong = isTooLong || Buffer.byteLength(line) > LONGEST_INPUT_BYTES
    isTooLong = false
    if (wasTooLong) return err(fault('too-large', `line ${number} is longer than 1 MiB; send it as a file instead`))
    const text = line.replace(/\r$/, '')
    return text.trim() === '' ? undefined : ok(text)
  }
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    const [first = '', ...others] = (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })).split('\n')
    const pieces = [held + first, ...others]
    held = pieces.pop() ?? ''
    for (const piece of pieces) {
      const line = ended(piece)
      if (line !== undefined) yield line
    }
    // Does not collect the rest of a line that will be refused anyway.
    if (held.length > LONGEST_INPUT_BYTES) {
      isTooLong = true
      held = ''
    }
  }
  const last = held + decoder.decode()
  const line = last === '' && !isTooLong ? undefined : ended(last)
  if (line !== undefined) yield line
}
