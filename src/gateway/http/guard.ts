/** Refuses requests with a foreign host, a foreign origin, a wrong token or a wrong content type, before their body is read. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { fault } from '../../model/fault.ts'
import { isLoopback } from '../workspace/settings.ts'
import type { Refusal } from './problem.ts'
import { IMPORT_PATH } from './routes/import.ts'

export type GuardSettings = {
  readonly host: string
  readonly token: string | null
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** Looks at a request before anything of its body is read, and says why it may not come in. */
export type Guard = (request: IncomingMessage) => Refusal | undefined

/** Wrong tokens from one address in one minute before it has to wait. */
const MOST_GUESSES = 30
const WINDOW_MS = 60_000
const MOST_ADDRESSES = 10_000

/**
 * `isOpen` names the exact paths that need no token: the page, which asks for it, the sign of life, and the page for people
 * who are back from signing in elsewhere. Everything else does, since a router may find its way where no list of protected
 * paths would (`/%61pi`, `/x/../api`).
 */
export function createGuard(settings: GuardSettings, isOpen: (path: string) => boolean, clock: () => number = Date.now): Guard {
  const guesses = new Map<string, { count: number; since: number }>()
  const expected = settings.token === null ? undefined : digest(settings.token)

  const hosts = new Set(['127.0.0.1', 'localhost', '[::1]', settings.host, ...settings.hosts].map(name => name.toLowerCase()))

  return request => {
    const host = hostOf(request)
    if (host === undefined || !isAllowedHost(host)) {
      return {
        fault: fault('invalid', 'this gateway does not answer to that Host; add it to gateway.hosts if it should'),
        status: 421,
      }
    }
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
    if (!isAllowedOrigin(request, host, path)) {
      return {
        fault: fault('unauthorized', 'pages of another origin may not call this gateway; add it to gateway.origins if it should'),
        status: 403,
      }
    }
    if (request.method === 'OPTIONS') return undefined
    return tokenRefusal(request, path) ?? (isImport(request, path) ? undefined : contentRefusal(request))
  }

  function isAllowedHost(host: string): boolean {
    const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
    // A literal address cannot be rebound to another one, so it is safe where others may reach us anyway.
    return hosts.has(name) || (isLoopback(settings.host) ? isLoopback(name) : isIP(name.replace(/^\[|\]$/g, '')) !== 0)
  }

  function isAllowedOrigin(request: IncomingMessage, host: string, path: string): boolean {
    const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers
    if (origin !== undefined && settings.origins.includes(origin)) return true
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false
    if (site === undefined || site === 'same-origin' || site === 'none') return true
    // Following a link to the page is fine; only the page's own scripts may go further.
    return request.method === 'GET' && mode === 'navigate' && isOpen(path)
  }

  function tokenRefusal(request: IncomingMessage, path: string): Refusal | undefined {
    if (expected === undefined || isOpen(path)) return undefined
    const address = request.socket.remoteAddress ?? ''
    const known = guesses.get(address)
    const recent = known !== undefined && clock() - known.since < WINDOW_MS ? known : { count: 0, since: clock() }
    if (recent.count >= MOST_GUESSES) {
      return { fault: fault('throttled', 'too many wrong tokens from this address', recent.since + WINDOW_MS - clock()) }
    }
    const [, given] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return undefined
    if (guesses.size >= MOST_ADDRESSES) guesses.clear()
    // A request without a token is no guess: the page that has not asked for the token yet must not lock its reader out.
    if (given !== undefined) guesses.set(address, { count: recent.count + 1, since: recent.since })
    return { fault: fault('unauthorized', 'the token is missing or wrong; send it as "Authorization: Bearer …"') }
  }
}

/**
 * A file may be of any type. Pages of other origins were refused above, by the Origin that a browser sends with every POST,
 * that of a plain form too; a client that sends none is no browser.
 */
const isImport = ({ method }: IncomingMessage, path: string): boolean => method === 'POST' && path === IMPORT_PATH

const JSON_TYPE = /^application\/json\s*(;|$)/i
/** A merge patch has a type of its own (RFC 7396). A page of another origin cannot send that one without asking, either. */
const JSON_OR_PATCH = /^application\/(merge-patch\+)?json\s*(;|$)/i

function contentRefusal(request: IncomingMessage): Refusal | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = request.headers
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0')
  const isJson = request.method === 'PATCH' ? JSON_OR_PATCH : JSON_TYPE
  if (!hasBody || isJson.test(type ?? '')) return undefined
  return { fault: fault('invalid', 'send JSON, with "content-type: application/json"'), status: 415 }
}

/** The Host of a request. Undefined if there is none, if there are two, or if the request line has a whole address. */
function hostOf({ rawHeaders, url }: IncomingMessage): string | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  return hosts.length === 1 && url?.startsWith('/') === true ? hosts[0] : undefined
}

const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
