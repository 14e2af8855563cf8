/** Counts and limits open streams: a route takes a place for its reader first, and only then begins what it will send. */
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type StreamPace, writeFrames } from './sse.ts'

/** What Hono hands to a route: Node's own request and response, since we write streams ourselves. */
export type Env = { Bindings: HttpBindings }

/** A request for the head of an answer alone gets no stream. */
export const wantsStream = (c: Context<Env>): boolean =>
  c.env.incoming.method !== 'HEAD' && (c.req.header('accept') ?? '').includes('text/event-stream')

/** A place for one reader. Leaving its scope gives it back, unless it is sending by then. */
export type StreamPlace = Disposable & {
  /** Aborted when the reader has left, or when the gateway stops. */
  readonly signal: AbortSignal
  /** Writes frames until they end or the reader leaves, and gives the place back then. */
  readonly send: (frames: AsyncIterable<string>, headers?: Readonly<Record<string, string>>) => Response
}

/** The readers at the other end of open streams: counted, limited, and let go together when the gateway stops. */
export type Streams = {
  readonly take: (env: HttpBindings) => Result<StreamPlace, Fault>
  readonly count: () => number
  readonly close: () => void
}

export type StreamsOptions = {
  /** The limit for one caller. A caller is known by its address, because all callers share one token. */
  readonly most: number
  readonly pace: StreamPace | undefined
  readonly onBug: (cause: unknown) => void
}

export function createStreams({ most, pace, onBug }: StreamsOptions): Streams {
  const open = new Map<AbortController, string>()
  return {
    take: ({ incoming, outgoing }) => {
      const caller = incoming.socket.remoteAddress ?? ''
      const callers = [...open.values()].filter(address => address === caller).length
      if (callers >= most) return err(fault('throttled', `${most} streams are open already; close one first`, 1000))
      const controller = new AbortController()
      let isSending = false
      const leave = (): void => {
        controller.abort()
        open.delete(controller)
      }
      open.set(controller, caller)
      outgoing.once('close', leave)
      // The reader may have hung up while its request was read; no event will say so any more.
      if (outgoing.destroyed) leave()
      return ok({
        signal: controller.signal,
        send: (frames, headers = {}) => {
          isSending = true
          writeFrames(outgoing, frames, { headers, ...(pace === undefined ? {} : { pace }) })
            .catch(onBug)
            .finally(() => {
              leave()
              if (!outgoing.writableEnded) outgoing.destroy()
            })
          return RESPONSE_ALREADY_SENT
        },
        [Symbol.dispose]: () => {
          if (!isSending) leave()
        },
      })
    },
    count: () => open.size,
    close: () => {
      for (const controller of open.keys()) controller.abort()
    },
  }
}
