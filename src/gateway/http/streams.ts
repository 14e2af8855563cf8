import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Signal, Thread } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Pace, signalFrames, writeFrames } from './sse.ts'

/** What Hono hands to a route here: Node's own request and response, since streams are written by us. */
export type Env = { Bindings: HttpBindings }

/** Whoever asks only for the head of an answer has nothing to listen to. */
export const wantsStream = (c: Context<Env>): boolean =>
  c.env.incoming.method !== 'HEAD' && (c.req.header('accept') ?? '').includes('text/event-stream')

/** The signals of a stream, and which of them its reader is to have; all of them unless a thread says otherwise. */
export type Source = { readonly signals: AsyncIterable<Signal>; readonly thread?: Thread }

export type FrameSource = { readonly frames: AsyncIterable<string>; readonly headers?: Readonly<Record<string, string>> }

/** The readers at the other end of open streams: counted, limited, and let go together when the gateway stops. */
export type Streams = {
  /** Takes a place first and begins then, so that nothing has happened when there is none. */
  readonly send: (
    env: HttpBindings,
    session: SessionId,
    begin: (signal: AbortSignal) => Promise<Result<Source, Fault>>,
  ) => Promise<Result<Response, Fault>>
  /** The same for a stream in the form of another door: its frames as they are written, and headers of its own. */
  readonly sendFrames: (
    env: HttpBindings,
    begin: (signal: AbortSignal) => Promise<Result<FrameSource, Fault>>,
  ) => Promise<Result<Response, Fault>>
  /** The same for a reader who waits for the whole of something: its place is taken for as long as that is made. */
  readonly hold: <Value>(
    env: HttpBindings,
    make: (signal: AbortSignal) => Promise<Result<Value, Fault>>,
  ) => Promise<Result<Value, Fault>>
  readonly count: () => number
  readonly close: () => void
}

export type StreamsOptions = {
  /** For one caller, known by its address; there is one token, so everyone who has it is the owner. */
  readonly most: number
  readonly pace: Pace | undefined
  readonly onBug: (cause: unknown) => void
}

export function createStreams({ most, pace, onBug }: StreamsOptions): Streams {
  const open = new Map<AbortController, string>()
  /** A place for one reader, which knows when that reader has left. */
  const take = ({ incoming, outgoing }: HttpBindings): Result<{ signal: AbortSignal; leave: () => void }, Fault> => {
    const caller = incoming.socket.remoteAddress ?? ''
    const callers = [...open.values()].filter(address => address === caller).length
    if (callers >= most) return err(fault('throttled', `${most} streams are open already; close one first`, 1000))
    const controller = new AbortController()
    const leave = (): void => {
      controller.abort()
      open.delete(controller)
    }
    open.set(controller, caller)
    outgoing.once('close', leave)
    // It may have hung up while its request was looked at; no event will tell of that any more.
    if (outgoing.destroyed) leave()
    return ok({ signal: controller.signal, leave })
  }
  const sendFrames: Streams['sendFrames'] = async (env, begin) => {
    const place = take(env)
    if (!place.ok) return place
    const { signal, leave } = place.value
    const { outgoing } = env
    const source = await begin(signal).catch((cause: unknown) => {
      leave()
      throw cause
    })
    if (!source.ok) {
      leave()
      return source
    }
    const { frames, headers = {} } = source.value
    writeFrames(outgoing, frames, { headers, ...(pace === undefined ? {} : { pace }) })
      .catch(onBug)
      .finally(() => {
        leave()
        if (!outgoing.writableEnded) outgoing.destroy()
      })
    return ok(RESPONSE_ALREADY_SENT)
  }
  return {
    sendFrames,
    send: (env, session, begin) =>
      sendFrames(env, async signal => {
        const source = await begin(signal)
        if (!source.ok) return source
        const { signals, thread } = source.value
        return ok({ frames: signalFrames(session, signals, thread) })
      }),
    hold: async (env, make) => {
      const place = take(env)
      return place.ok ? make(place.value.signal).finally(place.value.leave) : place
    },
    count: () => open.size,
    close: () => {
      for (const controller of open.keys()) controller.abort()
    },
  }
}
