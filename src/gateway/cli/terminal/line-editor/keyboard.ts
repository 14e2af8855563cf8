// Reads key presses while they are wanted.
import type { Terminal } from '../../output/terminal.ts'
import { decode, flush, type Key, NOTHING_HELD } from './keys.ts'

/** Delivers keys as they are pressed while the editor wants them. */
export type Keyboard = { readonly start: () => void; readonly stop: () => void }

/** After this time a lone escape is the key itself. Over a slow line the rest of a sequence may be a little late. */
const ESCAPE_MS = 80

export function createKeyboard(stdin: Terminal['stdin'], onKeys: (keys: readonly Key[]) => void, onEnd: () => void): Keyboard {
  let decoder = new TextDecoder()
  let decoding = NOTHING_HELD
  let timer: NodeJS.Timeout | undefined
  const take = ({ decoding: next, keys }: ReturnType<typeof decode>): void => {
    decoding = next
    if (keys.length > 0) onKeys(keys)
  }
  const hear = (chunk: Buffer | string): void => {
    clearTimeout(timer)
    take(decode(decoding, typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })))
    if (decoding.held !== '' && !decoding.pasting) timer = setTimeout(() => take(flush(decoding)), ESCAPE_MS)
  }
  return {
    start: () => {
      decoder = new TextDecoder()
      decoding = NOTHING_HELD
      stdin.on('data', hear).on('end', onEnd).on('error', onEnd).resume()
    },
    stop: () => {
      clearTimeout(timer)
      stdin.off('data', hear).off('end', onEnd).off('error', onEnd).pause()
    },
  }
}
