import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Sized } from './fixture.ts'
import type { Case } from './measure.ts'

/** Windows of other libraries, which choose from a list in memory. */
export const PEERS = ['LangChain trimMessages', 'AI SDK pruneMessages'] as const
export type Peer = (typeof PEERS)[number]

/** What a peer's process says: that its library is missing, that it has the session in memory, or how long one choice took in milliseconds. */
export type Word = 'absent' | 'ready' | number

/** Peers with their sessions in memory, to be measured; they go with `[Symbol.asyncDispose]`. */
export type Beside = AsyncDisposable & { readonly cases: readonly Case[] }

/** A peer that takes longer than this for one context is not waited for, nor asked about longer sessions. */
const PATIENCE_MS = 20_000
/** About how long the goes of one round may take. */
const ROUND_MS = 1000
const PROCESS = fileURLToPath(new URL('./peer-process.ts', import.meta.url))

/** A case for every peer and session, shortest first; what cannot be measured is said. Each has a process of its own, which can be ended. */
export async function peersBeside(
  sizes: readonly (Sized & { readonly file: string })[],
  text: string,
  mostGoes: number,
): Promise<Beside> {
  const children: ChildProcess[] = []
  const cases: Case[] = []
  for (const peer of PEERS) {
    for (const { file, session, messages } of sizes) {
      const child = fork(PROCESS, [peer, file, session, text])
      children.push(child)
      const ms = await firstGo(child)
      if (typeof ms === 'string') {
        console.log(`${peer} is not measured at ${messages.toLocaleString('en')} messages: ${ms}\n`)
        break
      }
      const goes = Math.max(1, Math.min(mostGoes, Math.floor(ROUND_MS / ms)))
      cases.push({ messages, goes, once: async () => ({ [peer]: await go(child) }) })
    }
  }
  return {
    cases,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(children.map(ended))
    },
  }
}

/** How long one choice takes, or why that is not known. */
async function firstGo(child: ChildProcess): Promise<number | string> {
  const ready = await wordOf(child)
  if (ready === 'absent') return 'it is not installed (npm ci --prefix bench)'
  if (ready !== 'ready') return `its process stopped with ${ready}`
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, PATIENCE_MS)
  child.send('go')
  const word = await wordOf(child)
  clearTimeout(timer)
  if (isLate) return `it took longer than ${PATIENCE_MS / 1000} s`
  return typeof word === 'number' ? word : `its process stopped with ${word}`
}

async function go(child: ChildProcess): Promise<number> {
  child.send('go')
  const word = await wordOf(child)
  if (typeof word !== 'number') throw new Error(`the process of a peer stopped with ${word}`)
  return word
}

/** The next word, or what the process ended with instead. */
function wordOf(child: ChildProcess): Promise<Word | string> {
  return new Promise(resolve => {
    const onWord = (word: Word): void => {
      child.off('exit', onExit)
      resolve(word)
    }
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onWord)
      resolve(code === null ? `${signal}` : `code ${code}`)
    }
    child.once('message', onWord)
    child.once('exit', onExit)
  })
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise(resolve => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
