import type { Fault } from '../../../../model/fault.ts'
import { ok, type Result } from '../../../../model/result.ts'
import { oneLine } from '../../output/escape-for-terminal.ts'
import type { Desk } from '../chat-context.ts'
import { type Command, misused, nearest, typed } from './command.ts'
import { LOOK_COMMANDS } from './look-commands.ts'
import { REVISE_COMMANDS } from './revise-commands.ts'
import { agentKey, SESSION_COMMANDS } from './session-commands.ts'
import { WORKSPACE_COMMANDS } from './workspace-commands.ts'

/** Everything that can be typed after a slash, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...SESSION_COMMANDS,
  ...REVISE_COMMANDS,
  ...LOOK_COMMANDS,
  ...WORKSPACE_COMMANDS,
  { name: 'help', does: 'print this list', run: help },
  { name: 'quit', does: 'leave; the session is kept', run: quit },
]

/** Does what a line says: a command, or something for whoever answers. */
export function enterLine(desk: Desk, line: string): Promise<Result<unknown, Fault>> {
  const meant = typed(line)
  return meant.type === 'text' ? say(desk, meant.text) : command(desk, meant.name, meant.rest)
}

async function command(desk: Desk, name: string, rest: string): Promise<Result<unknown, Fault>> {
  const found = COMMANDS.find(
    each => each.name === name || (name === '?' && each.name === 'help') || (name === 'exit' && each.name === 'quit'),
  )
  if (found === undefined) {
    const near = nearest(
      name,
      COMMANDS.map(each => each.name),
    )
    const hint = near === undefined ? '/help lists what there is.' : `did you mean /${near}?`
    return misused(`there is no /${oneLine(name)}; ${hint} What begins with a slash is said with two: //${oneLine(name)}`)
  }
  if (found.takes === undefined && rest !== '') return misused(`/${found.name} takes nothing behind it`)
  return found.run(desk, rest)
}

/** In a council the text itself calls advisors by name; elsewhere `@agent` hands the session over to that agent. */
async function say(desk: Desk, text: string): Promise<Result<unknown, Fault>> {
  const [, called, rest = ''] = /^@(\S+)\s+([\s\S]+)$/.exec(text) ?? []
  if (called === undefined || desk.about().council !== null) return desk.say(text)
  const key = agentKey(called).replace(/^ai-/, '')
  const agent = desk.reader.agents().find(each => each.key === key)
  if (agent === undefined) return desk.say(text)
  const before = desk.about().agent
  if (before !== agent.key) {
    const changed = await desk.change({ agent: agent.key })
    if (!changed.ok) return changed
    desk.note(`${oneLine(agent.key)} answers from here on${before === null ? '' : `; /agent ${oneLine(before)} goes back`}`)
  }
  return desk.say(rest)
}

async function help(desk: Desk): Promise<Result<unknown, Fault>> {
  const rows = COMMANDS.map(({ name, takes, does }) => ({ usage: `/${name}${takes === undefined ? '' : ` ${takes}`}`, does }))
  const width = Math.max(...rows.map(({ usage }) => usage.length))
  desk.print(
    ...rows.map(({ usage, does }) => `  ${desk.ink.name(usage)}${' '.repeat(width - usage.length)}  ${does}`),
    '',
    '  @agent hands the session to that agent; in a council @name asks those advisors only.',
    '  //text says a text that begins with a slash. Alt-Enter begins a line, Tab completes, Ctrl-X Ctrl-E opens $EDITOR.',
    '  Ctrl-C stops an answer, and twice it leaves, as Ctrl-D does. What you type meanwhile is said at once.',
  )
  return ok(null)
}

async function quit(desk: Desk): Promise<Result<unknown, Fault>> {
  desk.quit()
  return ok(null)
}
