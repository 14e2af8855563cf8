import type { Hono } from 'hono'
import type { Engine, KeptFile } from '../../../engine.ts'
import { parseSessionId } from '../../../model/ids.ts'
import { problemResponse } from '../problem.ts'
import type { Env } from '../streams.ts'

/** Pictures, whose bytes were looked at when they came; anything else is only saved, never opened here. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Files that came with messages, for the session that has them. */
export function fileRoutes(app: Hono<Env>, { engine }: { readonly engine: Pick<Engine, 'file'> }): void {
  app.get('/api/sessions/:id/files/:hash', async c => {
    const id = parseSessionId(c.req.param('id'))
    const file = id.ok ? await engine.file(id.value, c.req.param('hash')) : id
    if (!file.ok) return problemResponse({ fault: file.fault })
    return c.body(file.value.bytes, 200, {
      'content-type': file.value.mediaType,
      'content-disposition': disposition(file.value),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      // What a hash names never changes; but a session may be deleted, and then it is not to be found here for long.
      'cache-control': 'private, max-age=3600, immutable',
    })
  })
}

function disposition({ name, mediaType }: KeptFile): string {
  if (SHOWN.has(mediaType)) return 'inline'
  const safe = safeName(name, mediaType)
  return `attachment; filename="${safe.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encoded(safe)}`
}

/** Nothing that leads elsewhere, hides its end, or claims to be a program. */
function safeName(name: string, mediaType: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '_')
  return mediaType === 'application/pdf' && !/\.pdf$/i.test(plain) ? `${plain}.pdf` : plain
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
