/** Picks the running gateway or an engine of our own. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, InboundPart, Pending, Said, Signal } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { MessageSettings } from '../../../model/sampling.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { GatewayAddress, Workspace } from '../../workspace/workspace.ts'
import { attached, runningGateway } from './attached.ts'
import type { McpVerbs } from './mcp-verbs.ts'
import { isReadable, ownEngine } from './own-engine.ts'

/** A message from a person, with its files, and with its recipients if it is not for everyone. */
export type OutgoingText = MessageSettings & {
  readonly text: string
  readonly parts?: readonly InboundPart[]
  readonly to?: readonly string[]
}

/** The engine's verbs that conversations need. The engine is in this process or in the gateway. */
export type Verbs = Pick<
  Engine,
  | ('open' | 'change' | 'mark' | 'fork' | 'remove' | 'resume' | 'cancel' | 'answer' | 'follow' | 'sessions')
  | ('folds' | 'fold' | 'editFold' | 'redoFold' | 'removeFold')
> & {
  /** Calls that wait for a person. */
  readonly approvals: () => Promise<Result<readonly Pending[], Fault>>
  /** Resources and prompts of MCP servers. */
  readonly mcp: McpVerbs
  /** Returns as soon as the message is stored. */
  readonly say: (inbound: Parameters<Engine['say']>[0]) => Promise<Result<Pick<Said, 'seq' | 'turns'>, Fault>>
}

/** How a session was left: the seq of its last turn, and its turns that have no end. */
export type LeftOpen = { readonly after: number; readonly open: readonly { readonly turn: TurnId; readonly seq: number }[] }

/** The engine that answers in a workspace: the running gateway, or one in this process. */
export type AnsweringEngine = {
  /** Whether the engine is in this process, so that no other client can use it. */
  readonly isAlone: boolean
  readonly verbs: Verbs
  /** Sends a message and yields every signal it causes. A fault is the last signal. */
  readonly say: (session: SessionId, message: OutgoingText, abort: AbortSignal) => AsyncIterable<Signal>
  /** Continues unfinished turns and yields their signals. If there are none, a `conflict` is the only signal. */
  readonly resume: (session: SessionId, left: LeftOpen & { readonly turn?: TurnId }, abort: AbortSignal) => AsyncIterable<Signal>
  readonly close: () => Promise<void>
}

/** How long to wait for another writer that has no HTTP server, such as another `ask`. */
const PATIENCE_MS = 30_000
const LOOK_AGAIN_MS = 200

/**
 * The database's own lock decides who may write. If it is free, no gateway is running, even if a crash left its address file
 * behind. If it is taken, the gateway that took it can be reached.
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

/** The two ways to write: with an engine in this process, or through the running gateway. */
export type Writing<Writer> = {
  readonly own: () => Promise<Result<Writer, Fault>>
  readonly attached: (gateway: GatewayAddress) => Writer
  readonly abort: AbortSignal
  /** Called once if the command must wait for another writer that has no HTTP server. */
  readonly onWait?: () => void
}

/**
 * Finds a writer for any kind of write. A store that several nodes share has no lock: the gateway of this workspace is asked if one
 * runs, and an engine of our own is one more node otherwise.
 */
export async function findWriter<Writer>(workspace: Workspace, writing: Writing<Writer>): Promise<Result<Writer, Fault>> {
  const { abort } = writing
  if (workspace.shared !== undefined) {
    const gateway = await runningGateway(workspace.home)
    return gateway === undefined ? writing.own() : ok(writing.attached(gateway))
  }
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
