// The ask command.
import type { Session } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { complain, MISUSED, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { type AnswererChoice, findSession, isFor, sessionUsedLast } from '../sessions/find-session.ts'
import { type AnsweringEngine, findAnsweringEngine, type OutgoingText } from './answering-engine.ts'
import { hearOut } from './conversation.ts'
import type { Approve } from './decide.ts'
import { dryRunCommand } from './dry-run.ts'
import { filesAt } from './files.ts'
import { hearInterrupts } from './interrupts.ts'
import { readingEngine } from './own-engine.ts'
import { replySettingsOf, type SamplingOptions } from './sampling-options.ts'
import { textToSay } from './stdin.ts'

export type AskOptions = SamplingOptions & {
  readonly session?: string
  /** Continue the session used last. */
  readonly continue?: boolean
  readonly agent?: string
  readonly council?: string
  readonly file?: readonly string[]
  readonly json?: boolean
  readonly dryRun?: boolean
  readonly quiet?: boolean
  readonly approve?: Approve
}

/** Sends one message and prints the answer as it arrives. Exits with 0 only if the answer was finished. */
export async function askCommand(terminal: Terminal, words: readonly string[], options: AskOptions): Promise<number> {
  const paths = options.file ?? []
  const parts = await filesAt(paths)
  if (!parts.ok) return complain(terminal, parts.fault.message, MISUSED)
  const text = await textToSay(terminal, words)
  if (text === '' && paths.length === 0)
    return complain(terminal, 'there is nothing to ask; try turnwise ask "hello", or pipe a text in', MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const message: OutgoingText = { text, ...(paths.length === 0 ? {} : { parts: parts.value }), ...replySettingsOf(options) }
  const session = await sessionOf(terminal, workspace.value, options)
  if (!session.ok) return complain(terminal, session.fault.message)
  const { value: known } = session
  if (options.dryRun === true)
    return dryRunCommand(terminal, workspace.value, {
      ...(options.agent === undefined ? {} : { agent: options.agent }),
      ...(options.json === undefined ? {} : { json: options.json }),
      ...message,
      ...(known === undefined ? {} : { session: known.id }),
    })
  const interrupts = hearInterrupts()
  const answerer = await findAnsweringEngine(workspace.value, terminal.environment, interrupts.signal, () =>
    tellOfWaiting(terminal),
  )
  if (!answerer.ok) return interrupts.signal.aborted ? interrupts.signal.reason : complain(terminal, answerer.fault.message)
  try {
    return await converse(terminal, answerer.value, { session: known, message, options, stop: interrupts.signal })
  } finally {
    await answerer.value.close()
    interrupts.stop()
  }
}

type Asking = {
  readonly session: Session | undefined
  readonly message: OutgoingText
  readonly options: AskOptions
  readonly stop: AbortSignal
}

async function converse(
  terminal: Terminal,
  answerer: AnsweringEngine,
  { session, message, options, stop }: Asking,
): Promise<number> {
  const { agent, council, file, approve, ...printing } = options
  const whom = { ...(agent === undefined ? {} : { agent }), ...(council === undefined ? {} : { council }) }
  const opened = session === undefined ? await answerer.verbs.open(whom) : await handed(answerer, session, whom)
  if (!opened.ok) return complain(terminal, opened.fault.message)
  if (stop.aborted) return stop.reason
  return hearOut(terminal, answerer, {
    ...{ session: opened.value.id, printing, stop },
    ...(approve === undefined ? {} : { approve }),
    signals: abort => answerer.say(opened.value.id, message, abort),
    // The person knows a file by its path, not by its position in the message.
    phrase: trouble => trouble.replace(/^parts\.(\d+)/, (place, index) => file?.[Number(index)] ?? place),
  })
}

/** Continues a session with another agent or council. */
const handed = async ({ verbs }: AnsweringEngine, session: Session, whom: AnswererChoice): Promise<Result<Session, Fault>> =>
  isFor(session, whom) ? ok(session) : verbs.change(session.id, whom)

async function sessionOf(
  { environment }: Terminal,
  workspace: Workspace,
  { session: wanted, continue: isLast }: AskOptions,
): Promise<Result<Session | undefined, Fault>> {
  if (wanted === undefined && isLast !== true) return ok(undefined)
  const engine = await readingEngine(workspace, environment)
  if (!engine.ok) return engine
  const found = wanted === undefined ? await sessionUsedLast(engine.value) : await findSession(engine.value, wanted)
  await engine.value.close(0)
  return found
}
