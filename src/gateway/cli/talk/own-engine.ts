// Opens an engine in this process: writing, reading or stateless.
import { type Engine, type EngineOptions, memoryEngine, openEngine, type Signal } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { threadOf } from '../../../turn/schedule/message-thread.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import type { AnsweringEngine, OutgoingText } from './answering-engine.ts'
import { signalsOfTurns } from './heard-of.ts'
import { engineMcp } from './mcp-verbs.ts'

/** How long running turns may take to finish after the command is done. */
const GRACE_MS = 5000
/** A read-only command blocks no other process, so it may spend more time on a long history. */
const READING_MS = 30_000

/** Becomes the writer of a workspace, after closing the turns that a crash left open. */
export async function ownEngine(workspace: Workspace, environment: Environment): Promise<Result<AnsweringEngine, Fault>> {
  const opened = await openEngine(workspace.database, engineOptions(workspace, environment, { withServers: true }))
  if (!opened.ok) return opened
  const engine = opened.value
  const ready = await begin(engine)
  if (!ready.ok) return ready
  return ok({
    isAlone: true,
    verbs: { ...engine, approvals: engine.allApprovals, mcp: engineMcp(engine) },
    say: (session, message, abort) => say(engine, session, message, abort),
    resume: (session, left, abort) => resume(engine, session, left, abort),
    close: () => engine.close(GRACE_MS),
  })
}

/** Closes an engine that cannot begin, because the servers it started would keep the command from exiting. */
async function begin(engine: Engine): Promise<Result<null, Fault>> {
  let isReady = false
  try {
    const recovered = await (await informed(engine)).recover()
    isReady = recovered.ok
    return recovered
  } finally {
    if (!isReady) await engine.close(0)
  }
}

/** Opens the database while another process may write it. Refuses every write. */
export async function readingEngine(workspace: Workspace, environment: Environment): Promise<Result<Engine, Fault>> {
  const opened = await openEngine(workspace.database, { ...patiently(workspace, environment), readOnly: true })
  return opened.ok ? ok(await informed(opened.value)) : opened
}

/** An engine without a database, which plans as this workspace would. */
export const statelessEngine = (workspace: Workspace, environment: Environment): Engine =>
  memoryEngine(patiently(workspace, environment))

/** A running gateway already knows the models of local servers. A command must ask for them before it plans anything. */
export async function informed(engine: Engine): Promise<Engine> {
  if (engine.asksServers()) await engine.models()
  return engine
}

/** Whether the database can be read, so that it makes sense to wait for its writer. */
export async function isReadable(workspace: Workspace): Promise<boolean> {
  const engine = await openEngine(workspace.database, { readOnly: true })
  if (engine.ok) await engine.value.close(0)
  return engine.ok
}

async function* say(engine: Engine, session: SessionId, message: OutgoingText, abort: AbortSignal): AsyncGenerator<Signal> {
  const said = await engine.say({ session, ...message, from: 'person' })
  if (!said.ok) return yield { type: 'fault', fault: said.fault }
  const { belongs, over } = threadOf(said.value.seq)
  for await (const signal of engine.follow(session, said.value.seq - 1, abort)) {
    if (belongs(signal)) yield signal
    if (over() || signal.type === 'fault') return
  }
}

type Wish = Parameters<AnsweringEngine['resume']>[1]

/** Also follows turns that continued on their own when this engine began, including what they had said before. */
async function* resume(
  engine: Engine,
  session: SessionId,
  { turn, after, open }: Wish,
  abort: AbortSignal,
): AsyncGenerator<Signal> {
  const begun = await engine.resume(session, turn)
  if (!begun.ok && begun.fault.kind !== 'conflict') return yield { type: 'fault', fault: begun.fault }
  const going: Wish['open'][number][] = []
  for (const each of open) if (await wentOn(engine, session, each.turn)) going.push(each)
  const wanted = going.filter(each => turn === undefined || each.turn === turn)
  if (!begun.ok && wanted.length === 0) return yield { type: 'fault', fault: begun.fault }
  const turns = [...wanted.map(each => each.turn), ...(begun.ok ? begun.value : [])]
  const from = Math.min(after, ...wanted.map(({ seq }) => seq - 1))
  yield* signalsOfTurns(turns, engine.follow(session, from, abort))
}

/** Whether an unfinished turn continued instead of being closed as interrupted. */
async function wentOn(engine: Engine, session: SessionId, turn: TurnId): Promise<boolean> {
  const events = await engine.read(session, { turn })
  return events.ok && !events.value.some(event => event.type === 'turn.ended' && event.reason === 'interrupted')
}

const patiently = (workspace: Workspace, environment: Environment): Omit<EngineOptions, 'log'> => ({
  ...engineOptions(workspace, environment),
  limits: { historyMs: READING_MS },
})
