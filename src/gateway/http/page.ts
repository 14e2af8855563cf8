/** Serves the built web page from memory. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The built page and everything it loads. */
export type Page = {
  /** By the exact path of a request line: nothing is decoded or tidied up. */
  readonly has: (path: string) => boolean
  /** Answers a request for the page; false if it is for something else. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Nothing from elsewhere is loaded, nothing inline is run, and text from a model can never become markup. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

const NOT_BUILT = 'The page is not built. Run "npm start" in the clone once; the API works all the same.\n'

type ServedFile = {
  readonly body: Buffer
  readonly type: string
  /** Its bytes in gzip, made when a client first asks. Undefined if gzip does not make the file smaller. */
  readonly packed: () => Buffer | undefined
}

/** Pictures and fonts are packed already. */
const PACKABLE: ReadonlySet<string> = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest'])
const WORTH_PACKING = 1024

function servedFile(file: string): ServedFile {
  const body = readFileSync(file)
  const isWorthIt = PACKABLE.has(extname(file)) && body.length > WORTH_PACKING
  let packed: Buffer | undefined
  return {
    body,
    type: TYPES[extname(file)] ?? 'application/octet-stream',
    packed: () => {
      if (isWorthIt) packed ??= gzipSync(body, { level: 9 })
      return packed
    },
  }
}

const takesGzip = ({ headers }: IncomingMessage): boolean =>
  String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(each => each.split(';').map(piece => piece.trim()))
    .some(([coding, ...parameters]) => coding === 'gzip' && !parameters.some(each => /^q=0(\.0*)?$/.test(each)))

/** Serves the built page from memory: names are looked up, never joined to a path. */
export function loadPage(folder: string): Page {
  const files = new Map(
    (existsSync(folder) ? globSync('**/*', { cwd: folder, withFileTypes: true }) : [])
      .filter(entry => entry.isFile())
      .map(entry => {
        const file = join(entry.parentPath, entry.name)
        return [file.slice(folder.length).split(sep).join('/'), servedFile(file)]
      }),
  )
  const has = (path: string): boolean => path === '/' || files.has(path)
  const answer: Page['answer'] = (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if ((request.method !== 'GET' && request.method !== 'HEAD') || !has(path)) return false
    const file = files.get(path === '/' ? '/index.html' : path)
    const packed = file === undefined || !takesGzip(request) ? undefined : file.packed()
    const body = packed ?? file?.body ?? Buffer.from(NOT_BUILT)
    const isNamedByContent = path.startsWith('/assets/')
    response.writeHead(file === undefined ? 503 : 200, {
      ...HEADERS,
      'content-type': file?.type ?? 'text/plain; charset=utf-8',
      'content-length': body.length,
      ...(packed === undefined ? {} : { 'content-encoding': 'gzip' }),
      // Other headers that the answer depends on are in it already.
      vary: [response.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '),
      'cache-control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
    return true
  }
  return { has, answer }
}
