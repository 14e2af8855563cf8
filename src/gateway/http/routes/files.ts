/** The route of files that came with messages or results of tools, for the session that has them. */
import type { Engine, KeptFile } from '../../../engine.ts'
import { ok } from '../../../model/result.ts'
import { type Route, route, written } from '../route.ts'
import { plainText, sessionId } from '../schemas/fields.ts'

/** Pictures, whose bytes were looked at when they came; anything else is only saved, never opened here. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export const fileRoutes = ({ engine }: { readonly engine: Pick<Engine, 'file'> }): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/sessions/:id/files/:hash',
    operationId: 'getFile',
    summary: 'The bytes of a file that came with a message or a result of this session',
    params: { id: sessionId, hash: plainText('The hash under which the message or result names the file') },
    answers: [written([...SHOWN, 'application/pdf', 'application/octet-stream'], 'The file, as it came')],
    handle: async ({ params: { id, hash }, c }) => {
      const file = await engine.file(id, hash)
      if (!file.ok) return file
      const headers = {
        'content-type': file.value.mediaType,
        'content-disposition': disposition(file.value),
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        // What a hash names never changes. But a session may be deleted, so nothing keeps its files for long.
        'cache-control': 'private, max-age=3600, immutable',
      }
      return ok(c.body(file.value.bytes, 200, headers))
    },
  }),
]

function disposition({ name, mediaType }: KeptFile): string {
  if (SHOWN.has(mediaType)) return 'inline'
  const safe = safeName(name, mediaType)
  return `attachment; filename="${safe.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encoded(safe)}`
}

/** A file name that cannot lead to another folder, hide its ending, or claim to be a program. */
function safeName(name: string, mediaType: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}/\\:*?"<>|]+/gu, '_')
    .replace(/^\.+/, '_')
  return mediaType === 'application/pdf' && !/\.pdf$/i.test(plain) ? `${plain}.pdf` : plain
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
