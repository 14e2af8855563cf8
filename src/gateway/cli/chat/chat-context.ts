// Everything a chat command can use: session, engine, terminal.
import type { Engine, InboundPart, NewSession, Session } from '../../../engine.ts'
import type { SessionChange } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Ink } from '../output/ink.ts'
import type { Terminal } from '../output/terminal.ts'
import { type AnswererChoice, isFor } from '../sessions/find-session.ts'
import type { OutgoingText } from '../talk/answering-engine.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { GatewayLink } from './link.ts'

/** How answers are heard: by following, while a person goes on typing, or each to its end. */
export type ChatFollower = {
  readonly say: (session: SessionId, message: OutgoingText) => Promise<Result<unknown, Fault>>
  /** Goes on with what was left; `after` is the last seq that was heard. */
  readonly resume: (session: SessionId, after: number, turn?: TurnId) => Promise<Result<unknown, Fault>>
  /** From here on this session is the one that is heard; nothing while there is none. */
  readonly enter: (session: Session | undefined, options: { readonly withPast: boolean }) => Promise<Result<unknown, Fault>>
}

/** What a chat has before it: a session, or the wish for one that begins with the first message. */
export type ChatContext = {
  /** As commands see it: what they print stands above the line that is being typed. */
  readonly terminal: Terminal
  readonly workspace: Workspace
  /** Reads the database, beside whoever writes it. */
  readonly reader: Engine
  readonly ink: Ink
  readonly act: GatewayLink['act']
  readonly follower: ChatFollower
  /** The session as it is, or as it will begin. */
  readonly about: () => Session
  readonly isOpen: () => boolean
  /** The session, which begins now if there is none. */
  readonly session: () => Promise<Result<Session, Fault>>
  readonly change: (changes: SessionChange) => Promise<Result<Session, Fault>>
  /** Somebody else may have changed it. */
  readonly refresh: () => Promise<void>
  readonly enter: (session: Session, options?: { readonly withPast: boolean }) => Promise<Result<unknown, Fault>>
  readonly begin: (wish: NewSession) => Promise<Result<Session, Fault>>
  /** Says something, with the files that wait for it. */
  readonly say: (text: string) => Promise<Result<unknown, Fault>>
  readonly files: InboundPart[]
  /** What was listed last, so that a number means something. */
  listed: readonly Session[]
  /** A line for the person, which is no answer. */
  readonly note: (line: string) => void
  readonly print: (...lines: readonly string[]) => void
  /** Lets the person write a text in a program of their own; undefined where there is nobody. */
  readonly compose?: (text: string) => Promise<Result<string, Fault>>
  /** Where there is a terminal to ask: base64 for its clipboard. */
  readonly clipboard?: (data: string) => void
  readonly quit: () => void
}

export type ChatContextOptions = Pick<
  ChatContext,
  'terminal' | 'workspace' | 'reader' | 'ink' | 'act' | 'follower' | 'note' | 'print' | 'compose' | 'clipboard' | 'quit'
> & {
  /** Advisors that are asked, instead of all. */
  readonly only?: readonly string[]
}

/** A chat context before it has a session: `enter` a session, or `begin` with the wish for one. */
export async function createChatContext(options: ChatContextOptions, wish: NewSession): Promise<Result<ChatContext, Fault>> {
  const { only, ...given } = options
  const { act, follower, reader, terminal, workspace } = given
  const imagined = (wanted: NewSession): Promise<Result<Session, Fault>> =>
    statelessEngine(workspace, terminal.environment).open(wanted)
  const first = await imagined(wish)
  if (!first.ok) return first
  let about = first.value
  /** What a session that has not begun is to begin with. */
  let wished: NewSession | undefined = wish

  const keep = (changed: Result<Session, Fault>): Result<Session, Fault> => {
    if (changed.ok) about = changed.value
    return changed
  }
  const session: ChatContext['session'] = async () => {
    const wanted = wished
    if (wanted === undefined) return ok(about)
    const opened = keep(await act(verbs => verbs.open(wanted)))
    if (!opened.ok) return opened
    wished = undefined
    const heard = await follower.enter(opened.value, { withPast: false })
    return heard.ok ? opened : heard
  }
  const files: InboundPart[] = []

  return ok({
    ...given,
    about: () => about,
    isOpen: () => wished === undefined,
    session,
    files,
    listed: [],
    change: async changes => {
      if (wished === undefined) return keep(await act(verbs => verbs.change(about.id, changes)))
      const next = wishAfter(wished, changes)
      const changed = keep(await imagined(next))
      if (changed.ok) wished = next
      return changed
    },
    refresh: async () => {
      if (wished === undefined) keep(await reader.session(about.id))
    },
    enter: async (next, how = { withPast: true }) => {
      const heard = await follower.enter(next, how)
      if (!heard.ok) return heard
      about = next
      wished = undefined
      return heard
    },
    begin: async wanted => {
      const next = await imagined(wanted)
      if (!next.ok) return next
      await follower.enter(undefined, { withPast: false })
      about = next.value
      wished = wanted
      return next
    },
    say: async text => {
      const opened = await session()
      if (!opened.ok) return opened
      const parts = [...files]
      const named = only !== undefined && opened.value.council !== null && !text.startsWith('@')
      const said = await follower.say(opened.value.id, {
        text,
        ...(parts.length === 0 ? {} : { parts }),
        ...(named ? { to: only } : {}),
      })
      // Files that could not be said stay for the next try.
      if (said.ok) files.splice(0, parts.length)
      return said
    },
  })
}

/** Goes on with a session; it is handed over where somebody else is to answer. */
export async function takeUp(chatContext: ChatContext, session: Session, whom: AnswererChoice): Promise<Result<unknown, Fault>> {
  const entered = await chatContext.enter(session)
  return !entered.ok || isFor(session, whom) ? entered : chatContext.change(whom)
}

/** Who answers takes the place of whoever did; what is null is as if nobody had asked for it. */
function wishAfter(wish: NewSession, changes: SessionChange): NewSession {
  const instead = {
    ...(typeof changes.agent === 'string' ? { council: null } : {}),
    ...(typeof changes.council === 'string' ? { agent: null } : {}),
  }
  const given = Object.entries({ ...wish, ...changes, ...instead }).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given)
}
