// The chat command.
import type { Engine, Session } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { MessageSettings } from '../../../model/sampling.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { complain, MISUSED, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { type AnswererChoice, findSession, sessionUsedLast } from '../sessions/find-session.ts'
import { type AnsweringEngine, findAnsweringEngine } from '../talk/answering-engine.ts'
import type { Approve } from '../talk/decide.ts'
import { readingEngine } from '../talk/own-engine.ts'
import { replySettingsOf, type SamplingOptions } from '../talk/sampling-options.ts'
import { canEdit } from '../terminal/line-editor/editor.ts'

export type ChatOptions = SamplingOptions & {
  readonly agent?: string
  readonly council?: string
  readonly continue?: boolean
  readonly session?: string
  /** Choose the session from a list first. */
  readonly pick?: boolean
  /** Asks only these advisors instead of all. */
  readonly only?: readonly string[]
  readonly approve?: Approve
  readonly json?: boolean
}

/** Everything that a chat needs to begin. */
export type ChatStart = {
  readonly terminal: Terminal
  readonly workspace: Workspace
  /** Reads the database while another process may write it. */
  readonly reader: Engine
  readonly answerer: AnsweringEngine
  readonly options: ChatOptions
  /** The agent or council that should answer, and how, as far as the person said so. */
  readonly wish: AnswererChoice & MessageSettings
  readonly session?: Session
  /** Aborted when the process should end; its reason is the exit code. */
  readonly stop: AbortSignal
}

/** Runs a conversation in the terminal. Without a terminal, every line of stdin is a message. */
export async function chatCommand(terminal: Terminal, options: ChatOptions): Promise<number> {
  const { agent, council, only, session: wanted } = options
  if (only !== undefined && council === undefined && wanted === undefined && options.continue !== true && options.pick !== true)
    return complain(terminal, '--only names advisors; say of which council with --council', MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const signals = hearSignals()
  try {
    const answerer = await findAnsweringEngine(workspace.value, terminal.environment, signals.stop, () => tellOfWaiting(terminal))
    if (!answerer.ok) return signals.stop.aborted ? signals.stop.reason : complain(terminal, answerer.fault.message)
    const reader = await readingEngine(workspace.value, terminal.environment)
    if (!reader.ok) {
      await answerer.value.close()
      return complain(terminal, reader.fault.message)
    }
    const session = await sessionOf(reader.value, options)
    const start = {
      terminal,
      workspace: workspace.value,
      reader: reader.value,
      answerer: answerer.value,
      options,
      stop: signals.stop,
    }
    const wish = {
      ...(agent === undefined ? {} : { agent }),
      ...(council === undefined ? {} : { council }),
      ...replySettingsOf(options),
    }
    try {
      if (!session.ok) {
        await answerer.value.close()
        return complain(terminal, session.fault.message)
      }
      const whole: ChatStart = { ...start, wish, ...(session.value === undefined ? {} : { session: session.value }) }
      if (canEdit(terminal) && options.json !== true) return await (await import('./live-chat.ts')).liveChat(whole)
      return await (await import('./plain-chat.ts')).plainChat(whole)
    } finally {
      await reader.value.close(0)
    }
  } finally {
    signals.off()
  }
}

async function sessionOf(reader: Engine, options: ChatOptions): Promise<Result<Session | undefined, Fault>> {
  if (options.session !== undefined) return findSession(reader, options.session)
  return options.continue === true ? sessionUsedLast(reader) : ok(undefined)
}

/** Listens for signals that end the process, so that the terminal and the database are left in order. */
type Signals = {
  /** Aborted by the first signal; its reason is the exit code. */
  readonly stop: AbortSignal
  readonly off: () => void
}

const EXIT_CODES = { SIGTERM: 143, SIGHUP: 129 } as const
type Name = keyof typeof EXIT_CODES

/** Ctrl-C is not among them: in a chat it stops an answer, and the code that shows answers listens for it. */
function hearSignals(): Signals {
  const controller = new AbortController()
  const hear = (name: Name): void => controller.abort(EXIT_CODES[name])
  const names = Object.keys(EXIT_CODES) as Name[]
  for (const name of names) process.on(name, hear)
  return {
    stop: controller.signal,
    off: () => {
      for (const name of names) process.off(name, hear)
    },
  }
}
