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

/** Whoever answers, for as long as a chat lasts: a gateway may go away meanwhile, and come. */
export type GatewayLink = {
  /** Does something; where the gateway is gone, by whoever answers then. */
  readonly act: <Value>(work: (verbs: Verbs) => Promise<Result<Value, Fault>>) => Promise<Result<Value, Fault>>
  /** Looks whether the gateway is still there. */
  readonly check: () => Promise<void>
  readonly answerer: () => Promise<Result<AnsweringEngine, Fault>>
  /** Nobody wants to wait any longer for whoever holds the database; false where nobody waits. */
  readonly giveUp: () => boolean
  /** Everything in a session after a cursor, over every coming and going, until `abort`. */
  readonly follow: (session: SessionId, after: number, abort: AbortSignal) => AsyncIterable<Signal>
  readonly close: () => Promise<void>
}

export type LinkOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  /** Told in a line what became of the gateway. */
  readonly onNews: (line: string) => void
  readonly first: AnsweringEngine
  /** The chat is over. */
  readonly stop: AbortSignal
  /** Whether nothing is being said: after a while the database is then left to others. Without it, it is kept. */
  readonly isIdle?: () => boolean
  readonly restMs?: number
}

const LOOK_AGAIN_MS = 500
/** A line that broke while the gateway lives is tried again, not in a hurry. */
const AGAIN_MS = 100
const WAITING = 'another command holds the database; waiting for it, until Ctrl-C gives up'
/** Shorter than another command is willing to wait. */
const REST_MS = 10_000

export function createGatewayLink(options: LinkOptions): GatewayLink {
  const { workspace, environment, onNews, first, stop, isIdle, restMs = REST_MS } = options
  let current: AnsweringEngine | undefined = first
  let finding: Promise<Result<AnsweringEngine, Fault>> | undefined
  let patience = new AbortController()
  let closing: Promise<void> = Promise.resolve()
  /** Nobody answers just now because nobody asks. */
  let isResting = false
  let listening = new AbortController()
  let rest: NodeJS.Timeout | undefined

  /** The one writer of a workspace holds it for itself; one that has nothing to write lets go. */
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
  /** One search at a time, whoever asks for it. */
  const answerer: GatewayLink['answerer'] = () => {
    stayAwake()
    if (current !== undefined) return Promise.resolve(ok(current))
    finding ??= find().finally(() => {
      finding = undefined
    })
    return finding
  }
  /** Somebody who only listens does not become the writer; so a gateway that is started finds its place free. */
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
      // An engine that is just being opened will have a lock and servers of its own, so it has to be closed too.
      patience.abort()
      await finding?.catch(() => undefined)
      clearTimeout(rest)
      await closing
      await current?.close()
    },
  }
}
