import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Engine, Exported, ExportFormat } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { EXPORT_FORMATS, ExportStopped } from '../../../turn/transfer/export-formats.ts'
import { type Exchange, idOf, responseOf, then } from '../answer.ts'
import { drained } from '../sse.ts'
import type { Env } from '../streams.ts'

/** Whoever saves a file may be asked where to; nothing is read meanwhile, and nothing kept. */
const STUCK_MS = 120_000

/** Conversations as files. */
export function exportRoutes(app: Hono<Env>, engine: Pick<Engine, 'export'>, onBug: (cause: unknown) => void): void {
  app.get('/api/sessions/:id/export', c =>
    then(idOf(c), id => then(formatOf(c), async format => sent(c, await engine.export(id, format), onBug))).then(responseOf),
  )
  app.get('/api/export', c => engine.export('all', 'json').then(file => responseOf(sent(c, file, onBug))))
}

async function formatOf(c: Exchange): Promise<Result<ExportFormat, Fault>> {
  const wanted = c.req.query('format') ?? 'json'
  const format = EXPORT_FORMATS.find(known => known === wanted)
  return format === undefined ? err(fault('invalid', `format: must be one of ${EXPORT_FORMATS.join(', ')}`)) : ok(format)
}

function sent(c: Exchange, file: Result<Exported, Fault>, onBug: (cause: unknown) => void): Result<Response, Fault> {
  if (!file.ok) return file
  const { outgoing } = c.env
  outgoing.writeHead(200, {
    'content-type': file.value.mediaType,
    'content-disposition': `attachment; filename="${file.value.name}"`,
    // Should a browser open it all the same, nothing of it runs and nothing is fetched.
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
