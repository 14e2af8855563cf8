// Where the traces come from: recorded agents, recorded chats by a path on the command line, and sessions made up from seeds.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Conversation, conversationOf, recordings, type Turn, VOICE } from '../conversations.ts'
import { codingTrace } from './coding.ts'

export type TraceSet = {
  readonly name: string
  readonly conversations: readonly Conversation[]
  /** Tokens in all. */
  readonly limits: readonly number[]
}
export type Sources = {
  readonly sets: readonly TraceSet[]
  /** What is not measured, and why. */
  readonly missing: readonly string[]
}

/** At this limit there is no system text. */
export const WITHOUT_SYSTEM = 1000
const LIMITS: readonly number[] = [WITHOUT_SYSTEM, 4000, 16_000]
/** Coding agents have more. */
const CODING_LIMITS: readonly number[] = [...LIMITS, 32_000]

const ROOT = join(import.meta.dirname, '..', '..')
const RECORDED = 'tau-bench/gpt-4o-airline.json'
const SEEDS_AND_STEPS: readonly (readonly [number, number])[] = [
  [1, 50],
  [2, 70],
  [3, 90],
  [4, 120],
  [5, 150],
  [6, 200],
]

/** Made up sessions of every length, or only short ones. */
export const codingSet = (quick: boolean): TraceSet => ({
  name: 'coding',
  conversations: (quick ? QUICK : SEEDS_AND_STEPS).map(([seed, steps]) => codingTrace(seed, steps)),
  limits: quick ? LIMITS : CODING_LIMITS,
})

const QUICK: readonly (readonly [number, number])[] = [
  [1, 24],
  [2, 30],
]

/** All sets that are here; `given` is the folder of recordings that was named on the command line. */
export function sourcesOf(given: string | undefined): Sources {
  const folders = given === undefined ? [join(ROOT, '..', 'shared', 'data'), join(ROOT, 'shared', 'data')] : [given]
  const folder = folders.find(existsSync)
  const file = folder === undefined || statSync(folder).isFile() ? folder : join(folder, RECORDED)
  const recorded = file !== undefined && existsSync(file) ? recordings(file) : null
  // Their license keeps the chats out of everything but a measurement that someone asks for.
  const chats = given === undefined ? [] : chatsIn(given)
  return {
    sets: [
      ...(recorded === null ? [] : [{ name: 'tau-bench', conversations: recorded.single, limits: LIMITS }]),
      ...(chats.length === 0 ? [] : [{ name: 'LoCoMo', conversations: chats, limits: LIMITS }]),
      codingSet(false),
    ],
    missing: [
      ...(recorded === null ? ['tau-bench is not measured: name the folder of recordings on the command line'] : []),
      ...(chats.length === 0 ? ['LoCoMo is not measured: name the folder of recordings on the command line'] : []),
    ],
  }
}

type ChatMessage = { readonly role: 'user' | 'assistant'; readonly text: string }

function chatsIn(folder: string): readonly Conversation[] {
  return globSync(join(folder, 'locomo-dev', '*.json'))
    .sort()
    .map(file => {
      const { id, messages } = JSON.parse(readFileSync(file, 'utf8')) as { id: string; messages: readonly ChatMessage[] }
      return chatOf(id, messages)
    })
}

/** Messages of one side that follow each other are one message; nobody asked for an answer that comes first. */
export function chatOf(name: string, messages: readonly ChatMessage[]): Conversation {
  const turns: { heard: string; answer: string }[] = []
  for (const { role, text } of messages) {
    const last = turns.at(-1)
    if (role === 'user' && (last === undefined || last.answer !== '')) turns.push({ heard: text, answer: '' })
    else if (role === 'user' && last !== undefined) last.heard += `\n${text}`
    else if (last !== undefined) last.answer += `${last.answer === '' ? '' : '\n'}${text}`
  }
  const answered = turns.filter(({ answer }) => answer !== '')
  const whole = answered.map(({ heard, answer }): Turn => ({ heard, voice: VOICE, steps: [{ text: answer, calls: [] }] }))
  return conversationOf(name, { system: CHAT_SYSTEM, tools: [] }, whole)
}

const CHAT_SYSTEM = 'You are a good friend. Answer as in a chat, in a few sentences, and remember what you were told.'
