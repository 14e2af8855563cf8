import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { type Answerer, findAnswerer, type Saying } from './answerer.ts'
import { createDecider } from './decide.ts'
import { dryRun } from './dry-run.ts'
import { filesAt } from './files.ts'
import { findSession } from './find-session.ts'
import { inkFor } from './ink.ts'
import { hearInterrupts } from './interrupts.ts'
import { readingEngine } from './own-engine.ts'
import { figure } from './phrase.ts'
import { jsonSpeaker, type Outcome, textSpeaker } from './speaker.ts'
import { spokenText } from './stdin.ts'
import { complain, MISUSED, type Terminal } from './terminal.ts'

export type AskOptions = {
  readonly session?: string
  readonly file?: readonly string[]
  readonly json?: boolean
  readonly dryRun?: boolean
  readonly quiet?: boolean
}

/** After a stop was asked for, the turn's own end is waited for this long. */
const STOP_MS = 2000

/** Says one thing and prints the answer as it comes. Only an answer that was finished ends with 0. */
export async function askCommand(terminal: Terminal, words: readonly string[], options: AskOptions): Promise<number> {
  const paths = options.file ?? []
  const parts = await filesAt(paths)
  if (!parts.ok) return complain(terminal, parts.fault.message, MISUSED)
  const text = await spokenText(terminal, words)
  if (text === '' && paths.length === 0)
    return complain(terminal, 'there is nothing to ask; try turnwise ask "hello", or pipe a text in', MISUSED)
  const workspace = openWorkspace(terminal.environment, { create: true })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const message: Saying = { text, ...(paths.length === 0 ? {} : { parts: parts.value }) }
  if (options.dryRun === true) return dryRun(terminal, workspace.value, { ...options, ...message })
  const session = await sessionOf(terminal, workspace.value, options.session)
  if (!session.ok) return complain(terminal, session.fault.message)
  const interrupts = hearInterrupts()
  const answerer = await findAnswerer(workspace.value, terminal.environment, interrupts.signal)
  if (!answerer.ok) return interrupts.signal.aborted ? interrupts.signal.reason : complain(terminal, answerer.fault.message)
  try {
    return await converse(terminal, answerer.value, { session: session.value, message, options, stop: interrupts.signal })
  } finally {
    await answerer.value.close()
    interrupts.stop()
  }
}

type Asking = {
  readonly session: SessionId | undefined
  readonly message: Saying
  readonly options: AskOptions
  readonly stop: AbortSignal
}

async function converse(terminal: Terminal, answerer: Answerer, { session, message, options, stop }: Asking): Promise<number> {
  const opened = session === undefined ? await answerer.open() : ok(session)
  if (!opened.ok) return complain(terminal, opened.fault.message)
  if (stop.aborted) return stop.reason
  const id = opened.value
  const speaker = options.json === true ? jsonSpeaker(terminal, id) : textSpeaker(terminal, { quiet: options.quiet === true })
  const decider = createDecider(terminal, answerer)
  const listening = new AbortController()
  const cancelling: Promise<void>[] = []
  const cancel = (): void => {
    cancelling.push(answerer.cancel(id))
    setTimeout(() => listening.abort(), STOP_MS).unref()
  }
  stop.addEventListener('abort', cancel, { once: true })
  for await (const signal of answerer.say(id, message, listening.signal)) {
    speaker.hear(signal)
    decider.hear(signal)
    // A stop that came before the turn had begun found nothing to stop.
    if (stop.aborted && signal.type === 'event' && signal.event.type === 'context.planned') cancel()
  }
  decider.end()
  stop.removeEventListener('abort', cancel)
  await Promise.all(cancelling)
  const outcome = speaker.end()
  if (stop.aborted) return stop.reason
  // A file is known here by its path, not by its place in the message.
  const trouble = troubleOf(outcome)?.replace(/^parts\.(\d+)/, (place, index) => options.file?.[Number(index)] ?? place)
  if (trouble !== undefined) return complain(terminal, `${trouble}; "turnwise show ${id}" has what was said`)
  if (options.json !== true && options.quiet !== true) sign(terminal, id, outcome)
  return 0
}

/** Why an answer is not one; nothing if it is. */
function troubleOf({ endings, fault }: Outcome): string | undefined {
  if (fault !== undefined) return fault.message
  if (endings.length === 0) return 'the answer broke off'
  const unfinished = endings.find(({ reason }) => reason !== 'done')
  if (unfinished === undefined) return undefined
  switch (unfinished.reason) {
    case 'done':
      return undefined
    case 'failed':
      return `not answered: ${unfinished.fault?.message ?? 'the turn failed'}`
    case 'cancelled':
      return 'not answered: someone stopped the turn'
    case 'interrupted':
      return 'not answered: the gateway stopped'
    case 'limit':
      return 'not answered: the turn reached its step limit'
  }
}

/** For a person who watches: where this can go on, and how much the model saw. */
function sign({ stderr, environment }: Terminal, id: SessionId, { receipt }: Outcome): void {
  if (stderr.isTTY !== true) return
  const seen = receipt === undefined ? '' : ` · ${figure(receipt.tokens.estimated)} tokens sent, ${receipt.policy}`
  stderr.write(`${inkFor(stderr, environment).dim(`${id}${seen}`)}\n`)
}

async function sessionOf(
  { environment }: Terminal,
  workspace: Workspace,
  wanted: string | undefined,
): Promise<Result<SessionId | undefined, Fault>> {
  if (wanted === undefined) return ok(undefined)
  const engine = await readingEngine(workspace, environment)
  if (!engine.ok) return engine
  const found = await findSession(engine.value, wanted)
  await engine.value.close(0)
  return found.ok ? ok(found.value.id) : found
}
