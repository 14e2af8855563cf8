import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { oneLine } from '../cli/output/escape-for-terminal.ts'
import type { Binding } from './channel-store.ts'
import { contextWords, costWords } from './format/context-words.ts'
import { type Formatted, joined, plain, styled } from './format/formatted.ts'

/** What people see in the menu of their chat. */
export const COMMANDS: readonly { readonly command: string; readonly description: string }[] = [
  { command: 'new', description: 'begin a fresh session; the old one is kept' },
  { command: 'agent', description: 'who answers, or choose another' },
  { command: 'council', description: 'the councils there are, or choose one' },
  { command: 'context', description: 'what the model was sent, and what stayed out' },
  { command: 'cost', description: 'what was used and what it cost' },
  { command: 'resume', description: 'continue what failed, was interrupted or cut off' },
  { command: 'cancel', description: 'stop the answer' },
  { command: 'help', description: 'what can be said here' },
]

/** What is answered though it is not in the menu. */
const UNLISTED = ['start', 'pair']

export const isKnown = (name: string): boolean => UNLISTED.includes(name) || COMMANDS.some(({ command }) => command === name)

/** A word to the door itself; addressed to another bot of the group, it is none. */
export type Command = { readonly name: string; readonly argument: string }

export function parseCommand(text: string, username: string): Command | 'for another' | undefined {
  const [, name, bot, rest = ''] = /^\/([a-z0-9_]{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? []
  if (name === undefined) return undefined
  if (bot !== undefined && username !== '' && bot.toLowerCase() !== username.toLowerCase()) return 'for another'
  return { name: name.toLowerCase(), argument: rest.trim() }
}

/** The name of our own bot at the edge of a message is how one speaks to it in a group, and no part of what is said. */
export function withoutMention(text: string, username: string): string {
  if (username === '') return text
  const rest = text.replace(new RegExp(`^\\s*@${username}\\b[,:]?\\s*`, 'i'), '')
  const end = rest.search(new RegExp(`@${username}\\s*$`, 'i'))
  return end < 0 ? rest : rest.slice(0, end).trimEnd()
}

/** Who answers, by the key or the name that a person wrote; what nobody is called is an empty key. */
export function keyMeant(items: readonly { readonly key: string; readonly name: string }[], written: string): string {
  const wanted = written.toLowerCase()
  return (
    items.find(({ key }) => key === written)?.key ??
    items.find(({ key, name }) => key.toLowerCase() === wanted || name.toLowerCase() === wanted)?.key ??
    ''
  )
}

/** Where a command is given. */
export type Situation = {
  readonly engine: Engine
  /** The session of this place, if one was opened and is still there. */
  readonly session: Session | undefined
  readonly now: number
}

/** What a command that changes nothing but the answer to it says; nothing for what is no such command. */
export async function answerTo(
  { name }: Command,
  { engine, session, now }: Situation,
): Promise<Result<Formatted, Fault> | undefined> {
  switch (name) {
    case 'start':
    case 'help':
      return ok(help())
    case 'context':
      return session === undefined ? ok(NOTHING_YET) : contextWords(engine, session.id)
    case 'cost':
      return costWords(engine, session?.id, now)
    case 'cancel':
      return cancelled(engine, session?.id)
    case 'pair':
      return ok(plain('This chat is paired. Just write; /help says what else there is.'))
    default:
      return undefined
  }
}

export const STOPPED: Formatted = plain('Stopped. What was said so far is kept.')
const NOTHING_YET: Formatted = plain('Nothing was said here yet.')

export const help = (): Formatted =>
  joined(
    plain('Write, and you are answered. Photos and text files can come along.\n\n'),
    plain(COMMANDS.map(({ command, description }) => `/${command}: ${description}`).join('\n')),
  )

async function cancelled(engine: Engine, session: SessionId | undefined): Promise<Result<Formatted, Fault>> {
  if (session === undefined) return ok(plain('Nothing is being answered.'))
  const stopped = await engine.cancel(session)
  if (!stopped.ok) return stopped
  return ok(stopped.value.length === 0 ? plain('Nothing is being answered.') : STOPPED)
}

/** Who there is, with a tick at whoever answers now. */
export function choices(
  engine: Engine,
  kind: 'agent' | 'council',
  chosen: Pick<Binding, 'agent' | 'council'> | undefined,
): Formatted {
  const items = kind === 'agent' ? engine.agents() : engine.councils()
  if (items.length === 0) return plain('There are no councils; councils.json in the workspace makes some.')
  const now = kind === 'agent' ? (chosen === undefined ? items[0]?.key : chosen.agent) : chosen?.council
  return joined(
    styled(kind === 'agent' ? 'Agents' : 'Councils', { type: 'bold' }),
    plain('\n'),
    ...items.flatMap(({ key, name }) => [
      plain(key === now ? '✓ ' : '• '),
      styled(key, { type: 'code' }),
      plain(` ${oneLine(name)}\n`),
    ]),
    plain(`\nChoose with /${kind} and one of these words.`),
  )
}
