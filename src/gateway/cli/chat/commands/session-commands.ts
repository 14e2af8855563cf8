// Slash commands that choose the session and who answers.
import type { NewSession, Session, SessionQuery } from '../../../../engine.ts'
import { type Fault, fault } from '../../../../model/fault.ts'
import { err, ok, type Result } from '../../../../model/result.ts'
import { agentsCommand } from '../../commands/agents.ts'
import { councilsCommand } from '../../commands/councils.ts'
import { modelsCommand } from '../../commands/models.ts'
import { policiesCommand } from '../../commands/policies.ts'
import { escapeToOneLine } from '../../output/escape-for-terminal.ts'
import { ago, fitted } from '../../output/phrase.ts'
import type { Terminal } from '../../output/terminal.ts'
import { findSession } from '../../sessions/find-session.ts'
import type { ChatContext } from '../chat-context.ts'
import { familyLines } from '../family.ts'
import { headOf } from '../last-said.ts'
import { type ChatCommand, misused, seqOf } from './command.ts'
import { samplingCommand } from './sampling-command.ts'

const MOST_LISTED = 15

/** The commands that choose the session and the agent or council that answers in it. */
export const SESSION_COMMANDS: readonly ChatCommand[] = [
  { name: 'new', takes: '[agent | council]', does: 'begin another session; this one is kept', run: begin },
  {
    name: 'sessions',
    takes: '[n | words]',
    does: 'list sessions, find some by words, or go to one by its number',
    run: sessions,
  },
  { name: 'name', takes: '<title>', does: 'give this session a title', run: name },
  { name: 'fork', takes: '[seq]', does: 'go on in a fork, from here or from that seq', run: fork },
  { name: 'tree', does: 'show this session with all its forks', run: tree },
  { name: 'agent', takes: '[key]', does: 'list the agents, or let another one answer', run: choosing('agent') },
  { name: 'council', takes: '[key]', does: 'list the councils, or ask one from here on', run: choosing('council') },
  { name: 'model', takes: '[name | default]', does: 'list the models, or ask with another one', run: choosing('model') },
  { name: 'think', takes: '[on | off | default]', does: 'say whether there is thinking first, or change that', run: think },
  {
    name: 'sampling',
    takes: '[key value | default]',
    does: 'say how replies are sampled and how long they may be, or change that',
    run: samplingCommand,
  },
  { name: 'policy', takes: '[name]', does: 'list the policies, or choose what is sent by another one', run: choosing('policy') },
]

async function begin(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const { agent, council } = chatContext.about()
  const same = council === null ? (agent === null ? {} : { agent }) : { council }
  const begun = await chatContext.begin(rest === '' ? same : whoIsMeant(chatContext, rest))
  if (begun.ok) chatContext.note(`a new session with ${who(begun.value)}; it begins with your first message`)
  return begun
}

/** An agent, or the council with that key if no agent has it. */
function whoIsMeant({ reader }: ChatContext, rest: string): NewSession {
  const key = agentKey(rest)
  const isCouncil = reader.councils().some(each => each.key === key) && !reader.agents().some(each => each.key === key)
  return isCouncil ? { council: key } : { agent: key }
}

async function sessions(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const number = /^\d{1,4}$/.test(rest) ? Number(rest) : undefined
  if (number !== undefined && chatContext.listed.length > 0) {
    const chosen = chatContext.listed[number - 1]
    if (chosen === undefined) return misused(`there is no ${number} in the list; it has ${chatContext.listed.length}`)
    return goTo(chatContext, chosen)
  }
  if (rest.startsWith('ses_')) {
    const found = await findSession(chatContext.reader, rest)
    return found.ok ? goTo(chatContext, found.value) : found
  }
  const listed = await listSessions(chatContext, rest === '' || number !== undefined ? {} : { query: rest })
  return number !== undefined && listed.ok ? sessions(chatContext, rest) : listed
}

/** A numbered list, newest first. */
export async function listSessions(
  chatContext: ChatContext,
  query: Partial<SessionQuery>,
  hint = '/sessions <number> goes to one',
): Promise<Result<unknown, Fault>> {
  // Only the writer process has already indexed every word.
  const page = await chatContext.act(verbs => verbs.sessions({ archived: false, ...query, limit: MOST_LISTED }))
  if (!page.ok) return page
  chatContext.listed = page.value.items
  if (chatContext.listed.length === 0)
    return err(fault('not-found', query.query === undefined ? 'there are no sessions yet' : 'nothing was found'))
  const now = Date.now()
  const { ink } = chatContext
  const room = (chatContext.terminal.stdout.columns ?? 80) - 24
  chatContext.print(
    ...page.value.items.map(({ id, updatedAt, title, preview, snippet }, index) => {
      const isHere = chatContext.isOpen() && id === chatContext.about().id
      const words = fitted(escapeToOneLine(snippet ?? title ?? preview ?? '') || '(empty)', Math.max(20, room))
      return `${isHere ? '*' : ' '}${ink.name(String(index + 1).padStart(3))}  ${ink.dim(ago(updatedAt, now).padEnd(11))}  ${words}`
    }),
  )
  chatContext.note(`${hint}${page.value.next === null ? '' : '; "turnwise sessions" lists all'}`)
  return ok(null)
}

async function goTo(chatContext: ChatContext, session: Session): Promise<Result<unknown, Fault>> {
  return chatContext.isOpen() && session.id === chatContext.about().id
    ? misused('you are there already')
    : chatContext.enter(session)
}

async function name(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest === '') return misused('say how it is to be called, as in /name Plans for spring')
  const changed = await chatContext.change({ title: escapeToOneLine(rest) })
  if (changed.ok) chatContext.note(`called ${escapeToOneLine(rest)}`)
  return changed
}

async function fork(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  const seq = seqOf(rest, '/fork')
  if (!seq.ok) return seq
  if (!chatContext.isOpen()) return misused('there is nothing to fork yet; say something first')
  const { id } = chatContext.about()
  const at = seq.value === undefined ? await headOf(chatContext.reader, id) : ok(seq.value)
  if (!at.ok) return at
  const forked = await chatContext.act(verbs => verbs.fork(id, at.value))
  if (!forked.ok) return forked
  chatContext.note(`a fork of ${id} at seq ${at.value}; /tree shows both`)
  return chatContext.enter(forked.value, { withPast: seq.value !== undefined })
}

async function tree(chatContext: ChatContext): Promise<Result<unknown, Fault>> {
  if (!chatContext.isOpen()) return misused('there is no session yet; it begins with your first message')
  const { id, family } = chatContext.about()
  const found = await chatContext.reader.sessions({ family, limit: 500 })
  if (!found.ok) return found
  chatContext.listed = found.value.items
  chatContext.print(...familyLines(found.value.items, id, chatContext.ink, chatContext.terminal.stdout.columns ?? 80))
  chatContext.note('/sessions <number> goes to one')
  return ok(null)
}

type Choice = 'agent' | 'council' | 'model' | 'policy'

const LISTS: Readonly<Record<Choice, (terminal: Terminal) => Promise<number>>> = {
  agent: terminal => agentsCommand(terminal, {}),
  council: terminal => councilsCommand(terminal, { verb: 'list' }, {}),
  model: terminal => modelsCommand(terminal, {}),
  policy: terminal => policiesCommand(terminal, {}),
}

function choosing(what: Choice): ChatCommand['run'] {
  return async (chatContext, rest) => {
    if (rest === '') {
      await LISTS[what](chatContext.terminal)
      chatContext.note(
        `${nowWords(chatContext.about(), what)}; /${what} <${what === 'agent' || what === 'council' ? 'key' : 'name'}> changes it`,
      )
      return ok(null)
    }
    const value = what === 'agent' ? agentKey(rest) : what === 'model' && rest === 'default' ? null : rest
    if (what === 'agent' && 'council' in whoIsMeant(chatContext, rest))
      return misused(`${agentKey(rest)} is a council; /council ${agentKey(rest)} asks it`)
    const changed = await chatContext.change({ [what]: value })
    if (changed.ok) chatContext.note(`${nowWords(changed.value, what)} from here on`)
    return changed
  }
}

const THINKING: Readonly<Record<string, boolean | null>> = { on: true, off: false, default: null }

async function think(chatContext: ChatContext, rest: string): Promise<Result<unknown, Fault>> {
  if (rest !== '' && !Object.hasOwn(THINKING, rest)) return misused('/think takes on, off or default, or nothing')
  const changed = rest === '' ? ok(chatContext.about()) : await chatContext.change({ thinking: THINKING[rest] ?? null })
  if (changed.ok && rest === '') chatContext.print(`${thinkingWords(changed.value)}; /think on | off | default changes it`)
  else if (changed.ok) chatContext.note(`${thinkingWords(changed.value)} from here on`)
  return changed
}

const thinkingWords = ({ thinking }: Session): string => {
  if (thinking === undefined || thinking === null) return 'each agent thinks first or not, as it is set'
  return thinking ? 'replies begin with thinking, where the model can' : 'replies begin without thinking'
}

/** Accepts the value with or without the `@` sign. */
export const agentKey = (written: string): string => written.replace(/^@/, '')

export const who = ({ agent, council }: Session): string =>
  council === null ? escapeToOneLine(agent ?? 'assistant') : `the council ${escapeToOneLine(council)}`

function nowWords(session: Session, what: Choice): string {
  if (what === 'policy') return `the policy is ${escapeToOneLine(session.policy)}`
  if (what === 'model')
    return session.model === null ? 'the model is the usual one' : `the model is ${escapeToOneLine(session.model)}`
  return `${who(session)} answers`
}
