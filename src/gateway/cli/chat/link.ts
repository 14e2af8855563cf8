// Keeps a chat connected while gateways come and go.
import { setTimeout as pause } from 'node:timers/promises'
import type { Signal } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { type AnsweringEngine, findAnsweringEngine, type Verbs } from '../talk/answering-engine.ts'
import { attached, runningGateway } from '../talk/attached.ts'

/** The engine that answers for as long as a chat lasts. A gateway may stop or start in the meantime. */
export type GatewayLink = {
  /** Does something with the engine that answers; if the gateway is gone, with its successor. */
  readonly act: <Value>(work: (verbs: Verbs) => Promise<Result<Value, Fault>>) => Promise<Result<Value, Fault>>
  /** Checks whether the gateway is still there. */
  readonly check: () => Promise<void>
  readonly answerer: () => Promise<Result<AnsweringEngine, Fault>>
  /** Stops waiting for the process that has locked the database; false if the chat is not waiting. */
  readonly giveUp: () => boolean
  /** Yields everything in a session after a cursor until `abort`, even when gateways stop and start. */
  readonly follow: (session: SessionId, after: number, abort: AbortSignal) => AsyncIterable<Signal>
  readonly close: () => Promise<void>
}

export type LinkOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  /** Receives one line when a gateway stops or starts. */
  readonly onNews: (line: string) => void
  readonly first: AnsweringEngine
  /** Aborted when the chat ends. */
  readonly stop: AbortSignal
  /**
   * Whether no answer is running. After some idle time the chat unlocks the database for others. Without this function it keeps
   * the lock.
   */
  readonly isIdle?: () => boolean
  readonly restMs?: number
}

const LOOK_AGAIN_MS = 500
/** How long to wait before reconnecting when the connection broke but the gateway lives. */
const AGAIN_MS = 100
const WAITING = 'another command holds the database; waiting for it, until Ctrl-C gives up'
/** Shorter than the time for which another command waits. */
const REST_MS = 10_000

export function createGatewayLink(options: LinkOptions): GatewayLink {
  const { workspace, environment, onNews, first, stop, isIdle, restMs = REST_MS } = options
  let current: AnsweringEngine | undefined = first
  let finding: Promise<Result<AnsweringEngine, Fault>> | undefined
  let patience = new AbortController()
  let closing: Promise<void> = Promise.resolve()
  /** True while the chat has unlocked the database because it was idle. */
  let isResting = false
  let listening = new AbortController()
  let rest: NodeJS.Timeout | undefined

  /** Restarts the idle timer. Only one process can write a workspace, so an idle chat unlocks it. */
  const stayAwake = (): void => {
    clearTimeout(rest)
    if (isIdle === undefined || current?.isAlone !== true) return
    rest = setTimeout(() => {
      const resting = current
      if (resting?.isAlone !== true || !isIdle()) return stayAwake()
      current = undefined
      isResting = true
      listening.abort()
      closing = resting.close()
    }, restMs)
    rest.unref()
  }
  const lose = (lost: AnsweringEngine): void => {
    if (current !== lost || lost.isAlone) return
    current = undefined
    onNews('the gateway went away; what was said until then is kept, and what you say next is answered here or by the next one')
  }
  const take = (found: AnsweringEngine): AnsweringEngine => {
    current = found
    listening = new AbortController()
    if (!found.isAlone) onNews('a gateway is running, and answers from here on')
    else if (!isResting) onNews('no gateway is running; this terminal answers by itself now')
    isResting = false
    stayAwake()
    return found
  }
  const find = async (): Promise<Result<AnsweringEngine, Fault>> => {
    patience = new AbortController()
    await closing
    const found = await findAnsweringEngine(workspace, environment, AbortSignal.any([stop, patience.signal]), () =>
      onNews(WAITING),
    )
    return found.ok ? ok(current ?? take(found.value)) : found
  }
  /** Finds the engine that answers. All callers share one search. */
  const answerer: GatewayLink['answerer'] = () => {
    stayAwake()
    if (current !== undefined) return Promise.resolve(ok(current))
    finding ??= find().finally(() => {
      finding = undefined
    })
    return finding
  }
  /**
   * Waits for an engine to follow. A chat that only listens does not become the writer, so that a gateway can start meanwhile.
   */
  const somebody = async (abort: AbortSignal): Promise<AnsweringEngine | undefined> => {
    while (current === undefined && !abort.aborted) {
      const gateway = finding === undefined ? await runningGateway(workspace.home) : undefined
      if (gateway !== undefined && current === undefined && finding === undefined) return take(attached(gateway))
      await pause(LOOK_AGAIN_MS, undefined, { signal: abort }).catch(() => undefined)
    }
    return current
  }
  stayAwake()

  return {
    answerer,
    giveUp: () => {
      if (finding === undefined) return false
      patience.abort()
      return true
    },
    check: async () => {
      const now = current
      if (now !== undefined && !now.isAlone && (await runningGateway(workspace.home)) === undefined) lose(now)
    },
    act: async work => {
      const found = await answerer()
      if (!found.ok) return found
      const done = await work(found.value.verbs)
      if (done.ok || found.value.isAlone || done.fault.kind !== 'unreachable') return done
      lose(found.value)
      const next = await answerer()
      return next.ok ? work(next.value.verbs) : next
    },
    follow: async function* (session, after, abort) {
      let cursor = after
      while (!abort.aborted) {
        const from = await somebody(abort)
        if (from === undefined) return
        let last: Signal | undefined
        for await (const signal of from.verbs.follow(session, cursor, AbortSignal.any([abort, listening.signal]))) {
          last = signal
          if (signal.type === 'fault') break
          if (signal.type === 'event') cursor = signal.event.seq
          yield signal
        }
        if (last?.type !== 'fault') continue
        if (last.fault.kind === 'unreachable') lose(from)
        else if (last.fault.kind !== 'overloaded') return yield last
        await pause(AGAIN_MS, undefined, { signal: abort }).catch(() => undefined)
      }
    },
    close: async () => {
      // An engine that is still opening will have its own lock and servers, so it must be closed too.
      patience.abort()
      await finding?.catch(() => undefined)
      clearTimeout(rest)
      await closing
      await current?.close()
    },
  }
}
