/** Writes server-sent events at the pace of their reader. */
import type { ServerResponse } from 'node:http'
import type { Signal, Thread } from '../../engine.ts'
import type { SessionId } from '../../model/ids.ts'

/** How often a stream gives a sign of life, and how long a reader may take nothing at all before it is cut. */
export type StreamPace = { readonly heartbeatMs: number; readonly stuckMs: number }

const PACE: StreamPace = { heartbeatMs: 15_000, stuckMs: 30_000 }
/** Bytes that may wait in a socket before its reader counts as gone. */
const MOST_WAITING = 1 << 20

/** Writes frames of a stream at the reader's pace, until they end or the reader leaves. */
export async function writeFrames(
  response: ServerResponse,
  frames: AsyncIterable<string>,
  { headers = {}, pace: { heartbeatMs, stuckMs } = PACE }: FrameOptions = {},
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.flushHeaders()
  const beat = setInterval(() => {
    if (response.writableLength > MOST_WAITING) response.destroy()
    else response.write(': \n\n')
  }, heartbeatMs)
  try {
    for await (const frame of frames) if (!response.write(frame) && !(await drained(response, stuckMs))) return
    response.end()
  } finally {
    clearInterval(beat)
  }
}

export type FrameOptions = { readonly headers?: Readonly<Record<string, string>>; readonly pace?: StreamPace }

/** Signals as server-sent events, until those that belong to a thread are over. */
export async function* signalFrames(
  session: SessionId,
  signals: AsyncIterable<Signal>,
  { belongs = () => true, over = () => false }: Partial<Thread> = {},
): AsyncGenerator<string> {
  for await (const signal of signals) {
    if (!belongs(signal)) continue
    yield signalFrame(session, signal)
    if (over() || signal.type === 'fault') return
  }
}

/** One signal as the wire has it: events carry their seq as id, so that a reader can come back. */
export function signalFrame(session: SessionId, signal: Signal): string {
  switch (signal.type) {
    case 'event': {
      const { type, tokens: _, ...data } = signal.event
      return `id: ${data.seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
    }
    case 'delta':
      return `event: delta\ndata: ${JSON.stringify({ session, ...signal.delta })}\n\n`
    case 'notice':
      return `event: notice\ndata: ${JSON.stringify({ session, ...signal.notice })}\n\n`
    case 'reset':
      return `event: reset\ndata: ${JSON.stringify({ session })}\n\n`
    case 'fault':
      return `event: fault\ndata: ${JSON.stringify(signal.fault)}\n\n`
  }
}

/** Waits until the reader has taken what was written; false if it went away, or took nothing for too long. */
export function drained(response: ServerResponse, stuckMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const done = (goOn: boolean): void => {
      clearTimeout(timer)
      response.off('drain', onDrain)
      response.off('close', onClose)
      if (!goOn) response.destroy()
      resolve(goOn)
    }
    const onDrain = (): void => done(true)
    const onClose = (): void => done(false)
    const timer = setTimeout(done, stuckMs, false)
    response.on('drain', onDrain)
    response.on('close', onClose)
    if (response.destroyed) onClose()
  })
}
