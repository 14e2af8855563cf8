// Picks the running gateway or an engine of our own.
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, InboundPart, Pending, Said, Signal } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { GatewayAddress, Workspace } from '../../workspace/workspace.ts'
import { attached, runningGateway } from './attached.ts'
import { isReadable, ownEngine } from './own-engine.ts'

/** What a person says, with the files that go with it, and to whom where it is not for everybody. */
export type OutgoingText = { readonly text: string; readonly parts?: readonly InboundPart[]; readonly to?: readonly string[] }

/** The engine's own verbs, as far as conversations need them; the engine is here or in the gateway. */
export type Verbs = Pick<
  Engine,
  'open' | 'change' | 'mark' | 'fork' | 'remove' | 'resume' | 'cancel' | 'answer' | 'follow' | 'sessions'
> & {
  /** Calls that wait for a person. */
  readonly approvals: () => Promise<Result<readonly Pending[], Fault>>
  /** Returns as soon as the message is safe. */
  readonly say: (inbound: Parameters<Engine['say']>[0]) => Promise<Result<Pick<Said, 'seq' | 'turns'>, Fault>>
}

/** How a session was left: the seq of its last turn, and those that had no end. */
export type LeftOpen = { readonly after: number; readonly open: readonly { readonly turn: TurnId; readonly seq: number }[] }

/** Whoever answers in a workspace: the gateway that runs on it, or an engine of our own. */
export type AnsweringEngine = {
  /** Nobody else can be asked, or answer. */
  readonly isAlone: boolean
  readonly verbs: Verbs
  /** Says something and hears everything it causes; trouble is the last signal. */
  readonly say: (session: SessionId, message: OutgoingText, abort: AbortSignal) => AsyncIterable<Signal>
  /** Goes on with what was left, and hears it; with nothing to go on with, a `conflict` is the only signal. */
  readonly resume: (session: SessionId, left: LeftOpen & { readonly turn?: TurnId }, abort: AbortSignal) => AsyncIterable<Signal>
  readonly close: () => Promise<void>
}

/** How long another writer without a door, which is another `ask`, is waited for. */
const PATIENCE_MS = 30_000
const LOOK_AGAIN_MS = 200

/**
 * The database's own lock decides who may write: if it is free, no gateway runs, whatever a file left behind says.
 * If it is taken, the gateway that took it can be reached.
 */
export const findAnsweringEngine = (
  workspace: Workspace,
  environment: Environment,
  abort: AbortSignal,
  onWait?: () => void,
): Promise<Result<AnsweringEngine, Fault>> =>
  findWriter(workspace, {
    ...{ own: () => ownEngine(workspace, environment), attached, abort },
    ...(onWait === undefined ? {} : { onWait }),
  })

/** How something is done that writes: by an engine of our own, or by the gateway that runs. */
export type Writing<Writer> = {
  readonly own: () => Promise<Result<Writer, Fault>>
  readonly attached: (gateway: GatewayAddress) => Writer
  readonly abort: AbortSignal
  /** Told once when somebody without a door has to be waited for. */
  readonly onWait?: () => void
}

/** The same for whatever has to be written. */
export async function findWriter<Writer>(workspace: Workspace, writing: Writing<Writer>): Promise<Result<Writer, Fault>> {
  const { abort } = writing
  let tell = writing.onWait
  const deadline = performance.now() + PATIENCE_MS
  while (true) {
    const own = await writing.own()
    if (own.ok) return own
    const gateway = await runningGateway(workspace.home)
    if (gateway !== undefined) return ok(writing.attached(gateway))
    if (abort.aborted || performance.now() > deadline || !(await isReadable(workspace))) return own
    tell?.()
    tell = undefined
    await pause(LOOK_AGAIN_MS, undefined, { signal: abort }).catch(() => undefined)
  }
}
