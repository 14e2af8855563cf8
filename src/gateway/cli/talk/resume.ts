// The resume command.
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { parseTurnId, type SessionId, type TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { complain, MISUSED, type Terminal, tellOfWaiting } from '../output/terminal.ts'
import { findSession } from '../sessions/find-session.ts'
import { findAnsweringEngine, type LeftOpen } from './answering-engine.ts'
import { hearOut } from './conversation.ts'
import { hearInterrupts } from './interrupts.ts'
import { readingEngine } from './own-engine.ts'

export type ResumeOptions = { readonly turn?: string; readonly json?: boolean; readonly quiet?: boolean }

/** Continues what was interrupted or failed, and prints it like an answer. */
export async function resumeCommand(terminal: Terminal, wanted: string, { turn, ...printing }: ResumeOptions): Promise<number> {
  const meant = turn === undefined ? undefined : parseTurnId(turn)
  if (meant?.ok === false) return complain(terminal, `${meant.fault.message}; "turnwise show --json" has the ids`, MISUSED)
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const found = await leftIn(terminal, workspace.value, wanted)
  if (!found.ok) return complain(terminal, found.fault.message)
  const { session, left } = found.value
  const interrupts = hearInterrupts()
  const answerer = await findAnsweringEngine(workspace.value, terminal.environment, interrupts.signal, () =>
    tellOfWaiting(terminal),
  )
  if (!answerer.ok) return interrupts.signal.aborted ? interrupts.signal.reason : complain(terminal, answerer.fault.message)
  try {
    return await hearOut(terminal, answerer.value, {
      ...{ session, printing, stop: interrupts.signal },
      signals: abort => answerer.value.resume(session, { ...left, ...(meant === undefined ? {} : { turn: meant.value }) }, abort),
    })
  } finally {
    await answerer.value.close()
    interrupts.stop()
  }
}

/** How many turns to look back; older ones were abandoned long ago. */
const LOOK_BACK = 64

/** Reads the state of a session before becoming its writer, because opening it for writing may already continue turns. */
async function leftIn(
  { environment }: Terminal,
  workspace: Workspace,
  wanted: string,
): Promise<Result<{ readonly session: SessionId; readonly left: LeftOpen }, Fault>> {
  const engine = await readingEngine(workspace, environment)
  if (!engine.ok) return engine
  try {
    const found = await findSession(engine.value, wanted)
    if (!found.ok) return found
    const left = await openTurns(engine.value, found.value.id)
    return left.ok ? ok({ session: found.value.id, left: left.value }) : left
  } finally {
    await engine.value.close(0)
  }
}

async function openTurns(engine: Engine, id: SessionId): Promise<Result<LeftOpen, Fault>> {
  const started = await engine.read(id, { only: 'turn.started', newest: true, limit: LOOK_BACK })
  if (!started.ok) return started
  const open: { readonly turn: TurnId; readonly seq: number }[] = []
  for (const event of started.value) {
    if (event.type !== 'turn.started') continue
    const own = await engine.read(id, { turn: event.turn })
    if (!own.ok) return own
    if (!own.value.some(({ type }) => type === 'turn.ended')) open.push({ turn: event.turn, seq: event.seq })
  }
  return ok({ after: started.value.at(-1)?.seq ?? 0, open })
}
