/** Runs a short command and gives the answer to it. A command that ran before a restart is only answered again. */
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { escapeToOneLine } from '../cli/output/escape-for-terminal.ts'
import type { Place } from './adapter.ts'
import type { Bindings } from './bindings.ts'
import type { Action, ChannelStore } from './channel-store.ts'
import { choiceWords, helpWords } from './text/command-words.ts'
import { contextWords, costWords } from './text/context-words.ts'
import { foldsWords } from './text/folds-words.ts'
import { joined, plain, type RichText } from './text/rich-text.ts'

type CommandAction = Extract<Action, { kind: 'command' }>

export type CommandRunner = (place: Place, action: CommandAction) => Promise<Result<RichText, Fault>>

export type CommandRunnerOptions = {
  readonly engine: Engine
  readonly store: ChannelStore
  readonly bindings: Bindings
  readonly clock: () => number
}

const NOTHING_YET: RichText = plain('Nothing was said here yet.')
const STOPPED: RichText = plain('Stopped. What was said so far is kept.')

export function createCommandRunner({ engine, store, bindings, clock }: CommandRunnerOptions): CommandRunner {
  const openFresh: CommandRunner = async (place, { session, isDid }) => {
    if (session === undefined) return err(fault('bug', 'a fresh session has no id'))
    if (!isDid) {
      const opened = await bindings.openAt(place, session)
      if (!opened.ok) return opened
    }
    return ok(plain('A fresh session. The one before is kept.'))
  }

  /** Another agent or council answers from now on; where nothing was said yet, this opens a session for it. */
  const choose: CommandRunner = async (place, { command, argument, session: minted, isDid }) => {
    const kind = command === 'agent' ? 'agent' : 'council'
    const item = (kind === 'agent' ? engine.agents() : engine.councils()).find(({ key }) => key === argument)
    if (item === undefined)
      return ok(joined(plain(`There is no ${kind} of that name.\n\n`), choiceWords(engine, kind, store.binding(place))))
    if (!isDid) {
      const now = await bindings.sessionAt(place)
      if (!now.ok) return now
      const wish = kind === 'agent' ? { agent: item.key } : { council: item.key }
      const changed = await (now.value === undefined
        ? engine.open({ ...wish, ...(minted === undefined ? {} : { id: minted }) })
        : now.value[kind] === item.key
          ? now
          : engine.change(now.value.id, wish))
      if (!changed.ok) return changed
      const bound = changed.value === undefined ? ok(null) : await bindings.bind(place, changed.value)
      if (!bound.ok) return bound
    }
    return ok(
      plain(
        kind === 'agent'
          ? `${escapeToOneLine(item.name)} answers here now.`
          : `The council ${escapeToOneLine(item.name)} answers here now.`,
      ),
    )
  }

  /** The commands that need the session of the place. */
  const inSession = async (
    { command, argument }: CommandAction,
    session: Session | undefined,
  ): Promise<Result<RichText, Fault>> => {
    switch (command) {
      case 'start':
      case 'help':
        return ok(helpWords())
      case 'context':
        return session === undefined ? ok(NOTHING_YET) : contextWords(engine, session.id)
      case 'compact':
        return ok(NOTHING_YET)
      case 'folds':
        return session === undefined ? ok(NOTHING_YET) : foldsWords(engine, session.id, argument)
      case 'cost':
        return costWords(engine, session?.id, clock())
      case 'cancel':
        return cancel(engine, session?.id)
      case 'pair':
        return ok(plain('This chat is paired. Just write; /help says what else there is.'))
      default:
        return ok(joined(plain('There is no such command.\n\n'), helpWords()))
    }
  }

  return async (place, action) => {
    switch (action.command) {
      case 'new':
        return openFresh(place, action)
      case 'agent':
      case 'council':
        return choose(place, action)
      case 'agents':
      case 'councils':
        return ok(choiceWords(engine, action.command === 'agents' ? 'agent' : 'council', store.binding(place)))
      case 'cancel':
        // What is being answered now was asked for after this command.
        if (action.isDid) return ok(STOPPED)
        break
      case 'resume':
        return ok(plain('There is nothing to go on with: nothing was said here yet.'))
      case 'paired':
        return ok(joined(plain('Paired: you are listened to from now on.\n\n'), helpWords()))
      case 'forwarded':
        return ok(plain('Forwarded messages are not taken: their words are somebody else’s. Copy what you want to say.'))
      case 'strange':
        return ok(plain(`I cannot take ${action.argument}. Text, photos and text files I can.`))
      case 'refused':
        return ok(plain(`This could not be said (${action.argument}).`))
    }
    const session = await bindings.sessionAt(place)
    return session.ok ? inSession(action, session.value) : session
  }
}

async function cancel(engine: Engine, session: SessionId | undefined): Promise<Result<RichText, Fault>> {
  if (session === undefined) return ok(plain('Nothing is being answered.'))
  const stopped = await engine.cancel(session)
  if (!stopped.ok) return stopped
  return ok(stopped.value.length === 0 ? plain('Nothing is being answered.') : STOPPED)
}
