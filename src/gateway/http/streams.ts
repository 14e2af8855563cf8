import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import type { Signal } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type SseOptions, writeSignals } from './sse.ts'

/** What Hono hands to a route here: Node's own request and response, since streams are written by us. */
export type Env = { Bindings: HttpBindings }

export const wantsStream = (c: Context<Env>): boolean => (c.req.header('accept') ?? '').includes('text/event-stream')

/** The readers at the other end of open streams: counted, limited, and let go together when the gateway stops. */
export type Streams = {
  readonly send: (
    env: HttpBindings,
    session: SessionId,
    signals: (signal: AbortSignal) => AsyncIterable<Signal>,
    options?: SseOptions,
  ) => Result<Response, Fault>
  readonly count: () => number
  readonly close: () => void
}

/** `most` is for one caller, known by its address; there is one token, so everyone who has it is the owner. */
export function createStreams(most: number, onBug: (cause: unknown) => void): Streams {
  const open = new Map<AbortController, string>()
  return {
    send: ({ incoming, outgoing }, session, signals, options = {}) => {
      const caller = incoming.socket.remoteAddress ?? ''
      const callers = [...open.values()].filter(address => address === caller).length
      if (callers >= most) return err(fault('throttled', `${most} streams are open already; close one first`, 1000))
      const controller = new AbortController()
      open.set(controller, caller)
      outgoing.once('close', () => controller.abort())
      writeSignals(outgoing, session, signals(controller.signal), options)
        .catch(onBug)
        .finally(() => {
          controller.abort()
          open.delete(controller)
          if (!outgoing.writableEnded) outgoing.destroy()
        })
      return ok(RESPONSE_ALREADY_SENT)
    },
    count: () => open.size,
    close: () => {
      for (const controller of open.keys()) controller.abort()
    },
  }
}
