// The reindex command.
import { openEngine, type ReindexProgress } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { GatewayAddress, Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import { jsonForTerminal } from '../output/escape-for-terminal.ts'
import { counted, figure } from '../output/phrase.ts'
import { complain, MISUSED, print, printPage, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { findWriter } from '../talk/answering-engine.ts'
import { gatewayCall } from '../talk/attached.ts'
import { hearInterrupts } from '../talk/interrupts.ts'
import { readingEngine } from '../talk/own-engine.ts'
import { everySession, findSession } from './find-session.ts'

export type ReindexOptions = { readonly all?: boolean; readonly json?: boolean }

/** Indexes one session anew, in this process or in the running gateway. */
type Reindexer = {
  readonly reindex: (id: SessionId, progress: (done: ReindexProgress) => void) => Promise<Result<ReindexProgress, Fault>>
  readonly close: () => Promise<void>
}

/** Makes the recall index of one session anew, or of all. What was said is not touched. */
export async function reindexCommand(terminal: Terminal, wanted: string | undefined, options: ReindexOptions): Promise<number> {
  if ((wanted === undefined) === (options.all !== true)) return complain(terminal, 'give a session or --all', MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const sessions = await sessionsMeant(terminal, workspace.value, wanted)
  if (!sessions.ok) return complain(terminal, sessions.fault.message)
  const interrupts = hearInterrupts()
  try {
    const reindexer = await findReindexer(terminal, workspace.value, interrupts.signal)
    if (!reindexer.ok) return complain(terminal, reindexer.fault.message)
    const progress = progressOn(terminal)
    let [done, messages] = [0, 0]
    try {
      for (const id of sessions.value) {
        if (interrupts.signal.aborted)
          return complain(terminal, 'stopped; the sessions that are left keep their index', interrupts.signal.reason)
        const indexed = await reindexer.value.reindex(id, part => progress.tell(id, part))
        progress.clear()
        if (!indexed.ok) return complain(terminal, `${id}: ${indexed.fault.message}`)
        done += 1
        messages += indexed.value.messages
      }
    } finally {
      await reindexer.value.close()
    }
    if (options.json === true) print(terminal, jsonForTerminal({ sessions: done, messages }))
    else printPage(terminal, `Indexed ${counted(messages, 'message')} of ${counted(done, 'session')}.`)
    return 0
  } finally {
    interrupts.stop()
  }
}

async function sessionsMeant(
  { environment }: Terminal,
  workspace: Workspace,
  wanted: string | undefined,
): Promise<Result<readonly SessionId[], Fault>> {
  const engine = await readingEngine(workspace, environment)
  if (!engine.ok) return engine
  try {
    const ids: SessionId[] = []
    for await (const session of wanted === undefined ? everySession(engine.value) : [await findSession(engine.value, wanted)]) {
      if (!session.ok) return session
      ids.push(session.value.id)
    }
    return ok(ids)
  } finally {
    await engine.value.close(0)
  }
}

/** Becomes the writer, or uses the gateway that is. */
const findReindexer = (terminal: Terminal, workspace: Workspace, abort: AbortSignal): Promise<Result<Reindexer, Fault>> =>
  findWriter<Reindexer>(workspace, {
    abort,
    onWait: () => tellOfWaiting(terminal),
    attached: gateway => ({ reindex: (id, progress) => askGateway(gateway, id, progress, abort), close: async () => {} }),
    own: async () => {
      const engine = await openEngine(workspace.database, engineOptions(workspace, terminal.environment))
      return engine.ok ? ok({ reindex: engine.value.reindex, close: () => engine.value.close(0) }) : engine
    },
  })

const GONE: Fault = fault('unreachable', 'the gateway went away before the index was done')

/** The gateway's answer is not checked: it is our own program on the same workspace. */
async function askGateway(
  gateway: GatewayAddress,
  id: SessionId,
  progress: (done: ReindexProgress) => void,
  abort: AbortSignal,
): Promise<Result<ReindexProgress, Fault>> {
  const options = { headers: { accept: 'text/event-stream' }, abort }
  const answered = await gatewayCall(gateway, 'POST', `/sessions/${id}/reindex`, undefined, options)
  if (!answered.ok) return answered
  try {
    for await (const { event, data } of framesOf(answered.value)) {
      if (event === 'progress') progress(JSON.parse(data) as ReindexProgress)
      if (event === 'done') return ok(JSON.parse(data) as ReindexProgress)
      if (event === 'fault') return err(JSON.parse(data) as Fault)
    }
  } catch {
    // A broken connection and a stopped gateway are reported alike.
  }
  return err(GONE)
}

async function* framesOf({ body }: Response): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    const frames = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(frame) ?? []
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}

/** A line on stderr for each session: on a terminal it is written over, elsewhere only the end is said. */
function progressOn({ stderr }: Terminal): {
  readonly tell: (id: SessionId, done: ReindexProgress) => void
  readonly clear: () => void
} {
  let last: string | undefined
  return {
    tell: (id, { messages, of }) => {
      last = `${id}: ${figure(messages)} of ${counted(Math.max(messages, of), 'message')}`
      if (stderr.isTTY === true) stderr.write(`\r\x1b[K${last} …`)
    },
    clear: () => {
      if (last !== undefined) stderr.write(stderr.isTTY === true ? '\r\x1b[K' : `${last}\n`)
      last = undefined
    },
  }
}
