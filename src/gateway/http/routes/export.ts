/** Routes that give conversations as files. */
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from 'zod'
import type { Engine, Exported, ExportFormat } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { EXPORT_FORMATS, ExportStopped } from '../../../turn/transfer/export-formats.ts'
import { type HttpExchange, type Route, route, written } from '../route.ts'
import { sessionId } from '../schemas/fields.ts'
import { describedAs } from '../schemas/schema.ts'
import { drained } from '../sse.ts'

/** While a browser asks a person where to save the file, it reads nothing, so a reader may be stuck for this long. */
const STUCK_MS = 120_000

const exportQuery: z.ZodType<{ readonly format: string }> = z.object({
  format: describedAs(z.string().default('json'), () => z.enum(EXPORT_FORMATS).optional()),
})

type Needs = { readonly engine: Pick<Engine, 'export'>; readonly onBug: (cause: unknown) => void }

export const exportRoutes = ({ engine, onBug }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/sessions/:id/export',
    operationId: 'exportSession',
    summary: 'A conversation as a file: our archive, Markdown, a session file of Port 42, or one self-contained page',
    params: { id: sessionId },
    query: exportQuery,
    answers: [written(['application/json', 'text/markdown', 'text/html'], 'The file')],
    problems: { 400: 'An unknown format' },
    handle: async ({ params: { id }, query, c }) => {
      const format = formatOf(query.format)
      return format.ok ? sent(c, await engine.export(id, format.value), onBug) : format
    },
  }),
  route({
    method: 'get',
    path: '/api/export',
    operationId: 'exportAll',
    summary: 'All sessions as one archive',
    answers: [written(['application/json'], 'The archive')],
    handle: async ({ c }) => sent(c, await engine.export('all', 'json'), onBug),
  }),
]

function formatOf(wanted: string): Result<ExportFormat, Fault> {
  const format = EXPORT_FORMATS.find(known => known === wanted)
  return format === undefined ? err(fault('invalid', `format: must be one of ${EXPORT_FORMATS.join(', ')}`)) : ok(format)
}

function sent(c: HttpExchange, file: Result<Exported, Fault>, onBug: (cause: unknown) => void): Result<Response, Fault> {
  if (!file.ok) return file
  const { outgoing } = c.env
  outgoing.writeHead(200, {
    'content-type': file.value.mediaType,
    'content-disposition': `attachment; filename="${file.value.name}"`,
    // If a browser opens the file anyway, it runs no scripts and fetches nothing.
    'content-security-policy':
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  if (c.env.incoming.method === 'HEAD') outgoing.end()
  else
    write(outgoing, file.value.pieces).catch((cause: unknown) => {
      if (!(cause instanceof ExportStopped)) onBug(cause)
      // Half a file must not look like a whole one.
      outgoing.destroy()
    })
  return ok(RESPONSE_ALREADY_SENT)
}

/** At the reader's pace, until it leaves. */
async function write(outgoing: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (outgoing.destroyed) return
    if (!outgoing.write(piece) && !(await drained(outgoing, STUCK_MS))) return
  }
  outgoing.end()
}
