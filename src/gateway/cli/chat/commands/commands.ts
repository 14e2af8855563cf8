// All slash commands, and what an entered line does.
import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import type { ChatContext } from '../chat-context.ts'
import { type ChatCommand, misused, nearestCommand, typed } from './command.ts'
import { LOOK_COMMANDS } from './look-commands.ts'
import { OFFER_COMMANDS } from './offer-commands.ts'
import { REMEMBER_COMMANDS } from './remember-commands.ts'
import { REVISE_COMMANDS } from './revise-commands.ts'
import { agentKey, SESSION_COMMANDS } from './session-commands.ts'
import { WORKSPACE_COMMANDS } from './workspace-commands.ts'

/** All slash commands, in the order of the help. */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  ...SESSION_COMMANDS,
  ...REVISE_COMMANDS,
  ...REMEMBER_COMMANDS,
  ...LOOK_COMMANDS,
  ...OFFER_COMMANDS,
  ...WORKSPACE_COMMANDS,
  { name: 'help', does: 'print this list', run: help },
  { name: 'quit', does: 'leave; the session is kept', run: quit },
]

/** Runs a typed line: a command, or a message to the agent or council. */
export function enterLine(chatContext: ChatContext, line: string): Promise<Result<unknown, Fault>> {
  const meant = typed(line)
  return meant.type === 'text' ? say(chatContext, meant.text) : command(chatContext, meant.name, meant.rest)
}

async function command(chatContext: ChatContext, name: string, rest: string): Promise<Result<unknown, Fault>> {
  const found = CHAT_COMMANDS.find(
    each => each.name === name || (name === '?' && each.name === 'help') || (name === 'exit' && each.name === 'quit'),
  )
  if (found === undefined) {
    const near = nearestCommand(
      name,
      CHAT_COMMANDS.map(each => each.name),
    )
    const hint = near === undefined ? '/help lists what there is.' : `did you mean /${near}?`
    return misused(
      `there is no /${escapeToOneLine(name)}; ${hint} What begins with a slash is said with two: //${escapeToOneLine(name)}`,
    )
  }
  if (found.takes === undefined && rest !== '') return misused(`/${found.name} takes nothing behind it`)
  return found.run(chatContext, rest)
}

/** In a council the text itself calls advisors by name. Elsewhere `@agent` hands the session over to that agent. */
async function say(chatContext: ChatContext, text: string): Promise<Result<unknown, Fault>> {
  const [, called, rest = ''] = /^@(\S+)\s+([\s\S]+)$/.exec(text) ?? []
  if (called === undefined || chatContext.about().council !== null) return chatContext.say(text)
  const key = agentKey(called).replace(/^ai-/, '')
  const agent = chatContext.reader.agents().find(each => each.key === key)
  if (agent === undefined) return chatContext.say(text)
  const before = chatContext.about().agent
  if (before !== agent.key) {
    const changed = await chatContext.change({ agent: agent.key })
    if (!changed.ok) return changed
    chatContext.note(
      `${escapeToOneLine(agent.key)} answers from here on${before === null ? '' : `; /agent ${escapeToOneLine(before)} goes back`}`,
    )
  }
  return chatContext.say(rest)
}

async function help(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  const rows = CHAT_COMMANDS.map(({ name, takes, does }) => ({
    usage: `/${name}${takes === undefined ? '' : ` ${takes}`}`,
    does,
  }))
  const width = Math.max(...rows.map(({ usage }) => usage.length))
  chatContext.print(
    ...rows.map(({ usage, does }) => `  ${chatContext.ink.name(usage)}${' '.repeat(width - usage.length)}  ${does}`),
    '',
    '  @agent hands the session to that agent; in a council @name asks those advisors only.',
    '  //text says a text that begins with a slash. Alt-Enter begins a line, Tab completes, Ctrl-X Ctrl-E opens $EDITOR.',
    '  Ctrl-C stops an answer, and twice it leaves, as Ctrl-D does. What you type meanwhile is said at once.',
  )
  return ok(null)
}

async function quit(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  chatContext.quit()
  return ok(null)
}
