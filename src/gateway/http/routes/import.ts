import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { BadFile, IMPORT_FORMATS } from '../../../archive/input/found.ts'
import type { Engine, ImportFileOptions, ImportProgress } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { type Exchange, responseOf } from '../answer.ts'
import { type Env, wantsStream } from '../streams.ts'

/** The one path whose body is a file: any bytes, and many of them. */
export const IMPORT_PATH = '/api/import'

const MOST_BYTES = 2 ** 30
const TOO_LARGE: Fault = fault('too-large', `the file has more than ${MOST_BYTES} bytes`)
/** Whoever sends nothing for so long has gone. */
const SILENT_MS = 30_000
/** Progress is told a few times a second. */
const TOLD_MS = 250
const HEARTBEAT_MS = 15_000

/** Takes in a file while it comes; whoever hangs up takes all of it back. */
export function importRoutes(app: Hono<Env>, engine: Pick<Engine, 'import'>, onBug: (cause: unknown) => void): void {
  app.post(IMPORT_PATH, async c => {
    const options = optionsOf(c)
    if (!options.ok) return responseOf(options)
    if (Number(c.req.header('content-length') ?? 0) > MOST_BYTES) return responseOf(err(TOO_LARGE))
    const { incoming, outgoing } = c.env
    const gone = new AbortController()
    outgoing.once('close', () => gone.abort())
    const bringing = (onProgress: (progress: ImportProgress) => void = () => {}): ReturnType<Engine['import']> =>
      engine.import(arriving(incoming, gone.signal), { ...options.value, abort: gone.signal, onProgress })
    if (wantsStream(c)) {
      tellOf(outgoing, bringing).catch(cause => {
        onBug(cause)
        outgoing.destroy()
      })
      return RESPONSE_ALREADY_SENT
    }
    const brought = await bringing()
    if (!brought.ok) await letGo(incoming)
    return responseOf(brought.ok ? ok(c.json(brought.value)) : brought)
  })
}

function optionsOf(c: Exchange): Result<Pick<ImportFileOptions, 'format'>, Fault> {
  if (c.req.header('content-type')?.startsWith('multipart/') === true)
    return err(fault('invalid', 'the body is a form; send the bytes of the file alone, as curl --data-binary @file does'))
  const wanted = c.req.query('format') ?? ''
  if (wanted === '') return ok({})
  const format = IMPORT_FORMATS.find(known => known === wanted)
  if (format !== undefined) return ok({ format })
  return err(fault('invalid', `format: must be one of ${IMPORT_FORMATS.join(', ')}, or left out to be found`))
}

/** The bytes of a body as they come, no faster than they are taken. */
async function* arriving(request: IncomingMessage, gone: AbortSignal): AsyncGenerator<Uint8Array> {
  let isWaiting = true
  const silent = setTimeout(() => (isWaiting ? request.destroy() : silent.refresh()), SILENT_MS)
  let size = 0
  try {
    // Nothing of the rest is read once somebody has had enough; but the connection stays, so that it can be said why.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_BYTES) throw new BadFile(TOO_LARGE)
      isWaiting = false
      yield chunk
      isWaiting = true
      silent.refresh()
    }
  } catch (cause) {
    if (cause instanceof BadFile || gone.aborted) throw cause
    throw new BadFile(fault('invalid', 'the file ended too early; send it again'))
  } finally {
    clearTimeout(silent)
  }
}

const LET_GO_BYTES = 64 << 20
const LET_GO_MS = 5000

/** Takes what a sender has still to say, for a while: before it is done most do not listen. */
async function letGo(request: IncomingMessage): Promise<void> {
  const late = setTimeout(() => request.destroy(), LET_GO_MS)
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > LET_GO_BYTES) return
    }
  } catch {
    // It went away, and needs no answer.
  } finally {
    clearTimeout(late)
  }
}

type Bringing = (onProgress: (progress: ImportProgress) => void) => ReturnType<Engine['import']>

/** Says how far it has come, as server-sent events, and in the end what came of it. */
async function tellOf(response: ServerResponse, bringing: Bringing): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  response.flushHeaders()
  const tell = (event: string, data: object): boolean => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const beat = setInterval(() => response.write(': \n\n'), HEARTBEAT_MS)
  let told = Number.NEGATIVE_INFINITY
  try {
    const brought = await bringing(progress => {
      if (performance.now() - told < TOLD_MS || response.writableNeedDrain) return
      told = performance.now()
      tell('progress', progress)
    })
    if (brought.ok) tell('done', brought.value)
    else tell('fault', brought.fault)
    response.end()
  } finally {
    clearInterval(beat)
  }
}
