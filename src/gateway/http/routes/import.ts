/** The route that takes in the sessions of a file, while the file comes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import { BadFile, IMPORT_FORMATS } from '../../../archive/input/found.ts'
import type { Engine, ImportFileOptions, ImportProgress, ImportReport } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { type HttpExchange, jsonRouteAnswer, type Route, route, stream } from '../route.ts'
import { describedAs, type Schema, schema, text } from '../schemas/schema.ts'
import { wantsStream } from '../streams.ts'

/** The one path whose body is a file, so it may have any bytes and be large. */
export const IMPORT_PATH = '/api/import'

const MOST_BYTES = 2 ** 30
const TOO_LARGE: Fault = fault('too-large', `the file has more than ${MOST_BYTES} bytes`)
/** A client that sends nothing for so long has gone. */
const SILENT_MS = 30_000
/** Progress is written a few times a second. */
const REPORT_EVERY_MS = 250
const HEARTBEAT_MS = 15_000

const imported: Schema<ImportReport> = schema('Imported', () =>
  z.object({
    format: z.enum(IMPORT_FORMATS).nullable(),
    sessions: z.int(),
    messages: z.int(),
    skipped: z.int(),
    remarks: z.array(z.string()),
    ids: z.array(text<SessionId>()),
  }),
)

const importQuery: z.ZodType<{ readonly format: string }> = z.object({
  format: describedAs(z.string().default(''), () => z.enum(IMPORT_FORMATS).optional()),
})

type Needs = { readonly engine: Pick<Engine, 'import'>; readonly onBug: (cause: unknown) => void }

export const importRoutes = ({ engine, onBug }: Needs): readonly Route[] => [
  route({
    method: 'post',
    path: IMPORT_PATH,
    operationId: 'importSessions',
    summary: 'Take in the sessions of a file, all or none; its format is found by itself',
    query: importQuery,
    takesFile: true,
    answers: [
      jsonRouteAnswer(200, imported, 'What came in, and remarks about it'),
      stream('with Accept: text/event-stream, progress while it comes'),
    ],
    problems: { 400: 'What is wrong with the file, and where' },
    // If the client hangs up, the whole import is undone.
    handle: async ({ query, c }) => {
      const options = optionsOf(c, query.format)
      if (!options.ok) return options
      if (Number(c.req.header('content-length') ?? 0) > MOST_BYTES) return err(TOO_LARGE)
      const { incoming, outgoing } = c.env
      const gone = new AbortController()
      outgoing.once('close', () => gone.abort())
      const importing = (onProgress: (progress: ImportProgress) => void = () => {}): ReturnType<Engine['import']> =>
        engine.import(arriving(incoming, gone.signal), { ...options.value, abort: gone.signal, onProgress })
      if (wantsStream(c)) {
        tellOf(outgoing, importing).catch(cause => {
          onBug(cause)
          outgoing.destroy()
        })
        return ok(RESPONSE_ALREADY_SENT)
      }
      const result = await importing()
      if (!result.ok) await letGo(incoming)
      return result
    },
  }),
]

function optionsOf(c: HttpExchange, wanted: string): Result<Pick<ImportFileOptions, 'format'>, Fault> {
  if (c.req.header('content-type')?.startsWith('multipart/') === true)
    return err(fault('invalid', 'the body is a form; send the bytes of the file alone, as curl --data-binary @file does'))
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
    // Once the reader stops, nothing of the rest is read; but the connection stays, so that the answer can say why.
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

/** Reads the rest of a body for a while: most clients do not read the answer before they have sent everything. */
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

type Importing = (onProgress: (progress: ImportProgress) => void) => ReturnType<Engine['import']>

/** Sends the progress of an import as server-sent events, and its result at the end. */
async function tellOf(response: ServerResponse, importing: Importing): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  })
  response.flushHeaders()
  const tell = (event: string, data: object): boolean => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const beat = setInterval(() => response.write(': \n\n'), HEARTBEAT_MS)
  let reportedAt = Number.NEGATIVE_INFINITY
  try {
    const result = await importing(progress => {
      if (performance.now() - reportedAt < REPORT_EVERY_MS || response.writableNeedDrain) return
      reportedAt = performance.now()
      tell('progress', progress)
    })
    if (result.ok) tell('done', result.value)
    else tell('fault', result.fault)
    response.end()
  } finally {
    clearInterval(beat)
  }
}
