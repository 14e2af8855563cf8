import { setTimeout as pause } from 'node:timers/promises'
import type { InboundPart, Signal } from '../../engine.ts'
import type { ApprovalAnswer } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Environment } from '../settings.ts'
import type { Workspace } from '../workspace.ts'
import { attached, runningGateway } from './attached.ts'
import { isReadable, ownEngine } from './own-engine.ts'

/** What a person says, with the files that go with it. */
export type Saying = { readonly text: string; readonly parts?: readonly InboundPart[] }

/** How a session was left: the seq of its last turn, and those that had no end. */
export type Left = { readonly after: number; readonly open: readonly { readonly turn: TurnId; readonly seq: number }[] }

/** Whoever answers in a workspace: the gateway that runs on it, or an engine of our own. */
export type Answerer = {
  /** Nobody else can be asked, or answer. */
  readonly isAlone: boolean
  /** With nobody named, whoever is asked first answers. */
  readonly open: (whom: { readonly agent?: string; readonly council?: string }) => Promise<Result<SessionId, Fault>>
  /** Says something and hears everything it causes; trouble is the last signal. */
  readonly say: (session: SessionId, message: Saying, abort: AbortSignal) => AsyncIterable<Signal>
  /** Goes on with what was left, and hears it; with nothing to go on with, a `conflict` is the only signal. */
  readonly resume: (session: SessionId, left: Left & { readonly turn?: TurnId }, abort: AbortSignal) => AsyncIterable<Signal>
  /** Stops what is being said in a session; what was said so far is kept. */
  readonly cancel: (session: SessionId) => Promise<void>
  /** A person's word on a call that waits; somebody else may have been first. */
  readonly answer: (approval: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** How long another writer without a door, which is another `ask`, is waited for. */
const PATIENCE_MS = 30_000
const LOOK_AGAIN_MS = 200

/**
 * The database's own lock decides who may write: if it is free, no gateway runs, whatever a file left behind says.
 * If it is taken, the gateway that took it can be reached.
 */
export async function findAnswerer(
  workspace: Workspace,
  environment: Environment,
  abort: AbortSignal,
): Promise<Result<Answerer, Fault>> {
  const deadline = performance.now() + PATIENCE_MS
  while (true) {
    const own = await ownEngine(workspace, environment)
    if (own.ok) return own
    const gateway = await runningGateway(workspace.home)
    if (gateway !== undefined) return ok(attached(gateway))
    if (abort.aborted || performance.now() > deadline || !(await isReadable(workspace))) return own
    await pause(LOOK_AGAIN_MS, undefined, { signal: abort }).catch(() => undefined)
  }
}
