/** The short commands of every channel (/new, /context, …): which there are, and how one is read from a message. */
import type { MenuCommand } from './adapter.ts'

/** What people see in the menu of their chat. */
export const COMMANDS: readonly MenuCommand[] = [
  { command: 'new', description: 'begin a fresh session; the old one is kept' },
  { command: 'agent', description: 'who answers, or choose another' },
  { command: 'council', description: 'the councils there are, or choose one' },
  { command: 'context', description: 'what the model was sent, and what stayed out' },
  { command: 'compact', description: 'summarize what was said so far' },
  { command: 'folds', description: 'the summaries, or read one' },
  { command: 'cost', description: 'what was used and what it cost' },
  { command: 'resume', description: 'continue what failed, was interrupted or cut off' },
  { command: 'cancel', description: 'stop the answer' },
  { command: 'help', description: 'what can be said here' },
]

/** Commands that are answered though the menu does not list them. */
const UNLISTED = ['start', 'pair']

export const isKnown = (name: string): boolean => UNLISTED.includes(name) || COMMANDS.some(({ command }) => command === name)

export type Command = { readonly name: string; readonly argument: string }

/** The command in a message. In a group `/new@name` is meant for the bot of that name alone. */
export function parseCommand(text: string, username: string): Command | 'for another' | undefined {
  const [, name, bot, rest = ''] = /^\/([a-z0-9_]{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  if (bot !== undefined && username !== '' && bot.toLowerCase() !== username.toLowerCase()) return 'for another'
  return { name: name.toLowerCase(), argument: rest.trim() }
}

/** A message without our own name at its beginning or end: in a group the name calls us, and is no part of what is said. */
export function withoutMention(text: string, username: string): string {
  if (username === '') return text
  const rest = text.replace(new RegExp(`^\\s*@${username}\\b[,:]?\\s*`, 'i'), '')
  const end = rest.search(new RegExp(`@${username}\\s*$`, 'i'))
  return end < 0 ? rest : rest.slice(0, end).trimEnd()
}

/** The key of an agent or a council that a person wrote by its key or its name; empty where there is none. */
export function findKey(items: readonly { readonly key: string; readonly name: string }[], written: string): string {
  const wanted = written.toLowerCase()
  return (
    items.find(({ key }) => key === written)?.key ??
    items.find(({ key, name }) => key.toLowerCase() === wanted || name.toLowerCase() === wanted)?.key ??
    ''
  )
}
