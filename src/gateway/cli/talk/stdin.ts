// Joins the words of the command line with piped input.
import { fstatSync } from 'node:fs'
import type { Terminal } from '../output/terminal.ts'

/** How long to wait for input from a parent that passed a socket. A parent with input has written it by then. */
const FIRST_BYTE_MS = 250
const SILENCE_MS = 2000

/** The message: the words of the command line, the piped input, or both with a blank line between. */
export async function textToSay(terminal: Terminal, words: readonly string[]): Promise<string> {
  const typed = words.join(' ')
  const piped = await pipedText(terminal, typed !== '')
  return [typed, piped].filter(text => text.trim() !== '').join('\n\n')
}

async function pipedText(terminal: Terminal, isExtra: boolean): Promise<string> {
  const { stdin } = terminal
  if (stdin.isTTY === true) return ''
  if (isExtra && isSocket(stdin.fd) && !(await speaksSoon(terminal))) {
    stdin.destroy()
    return ''
  }
  const hint = setTimeout(() => terminal.stderr.write('turnwise: reading standard input until it ends …\n'), SILENCE_MS)
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    clearTimeout(hint)
    text += decoder.decode(chunk, { stream: true })
  }
  clearTimeout(hint)
  return (text + decoder.decode()).replace(/[\r\n]+$/, '')
}

function isSocket(fd: number | undefined): boolean {
  return fd !== undefined && fstatSync(fd).isSocket()
}

/** Whether input or its end arrives within this time. */
function speaksSoon({ stdin }: Terminal): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => done(false), FIRST_BYTE_MS)
    const heard = (): void => done(true)
    const done = (speaks: boolean): void => {
      clearTimeout(timer)
      stdin.off('readable', heard)
      stdin.off('end', heard)
      resolve(speaks)
    }
    stdin.on('readable', heard)
    stdin.on('end', heard)
  })
}
