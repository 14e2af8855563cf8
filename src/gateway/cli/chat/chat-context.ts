// Everything a chat command can use: session, engine, terminal.
import type { Engine, InboundPart, NewSession, Session, SessionWish } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { type MessageSettings, patchedSampling } from '../../../model/sampling.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Ink } from '../output/ink.ts'
import type { Terminal } from '../output/terminal.ts'
import { type AnswererChoice, isFor } from '../sessions/find-session.ts'
import type { OutgoingText } from '../talk/answering-engine.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { GatewayLink } from './link.ts'

/** How a chat hears answers: by following the session while the person types, or by waiting for each answer to end. */
export type ChatFollower = {
  readonly say: (session: SessionId, message: OutgoingText) => Promise<Result<unknown, Fault>>
  /** Continues an unfinished turn; `after` is the last seq that the chat has shown. */
  readonly resume: (session: SessionId, after: number, turn?: TurnId) => Promise<Result<unknown, Fault>>
  /** Follows this session from now on; undefined while the chat has no session yet. */
  readonly enter: (session: Session | undefined, options: { readonly withPast: boolean }) => Promise<Result<unknown, Fault>>
}

/** What a chat is about: a session, or the options for one that begins with the first message. */
export type ChatContext = {
  /** The terminal for commands: their output appears above the line being typed. */
  readonly terminal: Terminal
  readonly workspace: Workspace
  /** Reads the database while another process may write it. */
  readonly reader: Engine
  readonly ink: Ink
  readonly act: GatewayLink['act']
  readonly follower: ChatFollower
  /** The session as it is now, or as it will begin. */
  readonly about: () => Session
  readonly isOpen: () => boolean
  /** The session; begins one if the chat has none yet. */
  readonly session: () => Promise<Result<Session, Fault>>
  readonly change: (wish: SessionWish) => Promise<Result<Session, Fault>>
  /** Reads the session again, because another client may have changed it. */
  readonly refresh: () => Promise<void>
  readonly enter: (session: Session, options?: { readonly withPast: boolean }) => Promise<Result<unknown, Fault>>
  readonly begin: (wish: NewSession) => Promise<Result<Session, Fault>>
  /** Sends a message with the files that are attached to it. */
  readonly say: (text: string) => Promise<Result<unknown, Fault>>
  readonly files: InboundPart[]
  /** The sessions listed last, so that the person can refer to them by number. */
  listed: readonly Session[]
  /** A text for the next line to type on, which the person can change before sending it; empty if there is none. */
  drafted: string
  /** Prints a line for the person that is not part of an answer. */
  readonly note: (line: string) => void
  readonly print: (...lines: readonly string[]) => void
  /** Lets the person write a text in their own editor; undefined without an interactive terminal. */
  readonly compose?: (text: string) => Promise<Result<string, Fault>>
  /** Sends base64 text to the terminal's clipboard; undefined without a terminal. */
  readonly clipboard?: (data: string) => void
  readonly quit: () => void
}

export type ChatContextOptions = Pick<
  ChatContext,
  'terminal' | 'workspace' | 'reader' | 'ink' | 'act' | 'follower' | 'note' | 'print' | 'compose' | 'clipboard' | 'quit'
> & {
  /** Asks only these advisors instead of all. */
  readonly only?: readonly string[]
}

/** Creates a chat context without a session: `enter` a session, or `begin` with the options for one. */
export async function createChatContext(options: ChatContextOptions, wish: NewSession): Promise<Result<ChatContext, Fault>> {
  const { only, ...given } = options
  const { act, follower, reader, terminal, workspace } = given
  const imagined = (wanted: NewSession): Promise<Result<Session, Fault>> =>
    statelessEngine(workspace, terminal.environment).open(wanted)
  const first = await imagined(wish)
  if (!first.ok) return first
  let about = first.value
  /** The options for a session that has not begun yet. */
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
    drafted: '',
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
      // Files that could not be sent stay attached for the next try.
      if (said.ok) files.splice(0, parts.length)
      return said
    },
  })
}

/** Continues a session. Hands it over if the person asked for another agent or council, and changes what was said of replies. */
export async function takeUp(
  chatContext: ChatContext,
  session: Session,
  wish: AnswererChoice & MessageSettings,
): Promise<Result<unknown, Fault>> {
  const entered = await chatContext.enter(session)
  const { agent: _, council: __, ...settings } = wish
  const isSame = isFor(session, wish) && Object.keys(settings).length === 0
  return !entered.ok || isSame ? entered : chatContext.change(isFor(session, wish) ? settings : wish)
}

/** A new agent replaces the council and the other way around. A null value removes the wish. */
function wishAfter(wish: NewSession, changes: SessionWish): NewSession {
  const instead = {
    ...(typeof changes.agent === 'string' ? { council: null } : {}),
    ...(typeof changes.council === 'string' ? { agent: null } : {}),
    ...(changes.sampling === undefined || changes.sampling === null
      ? {}
      : { sampling: patchedSampling(wish.sampling ?? {}, changes.sampling) }),
  }
  const given = Object.entries({ ...wish, ...changes, ...instead }).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(given)
}
