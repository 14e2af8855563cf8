import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Engine } from '../../engine.ts'
import type { Settings } from '../../model/config.ts'
import { fault } from '../../model/fault.ts'
import type { Agents } from '../agents.ts'
import type { Councils } from '../councils.ts'
import type { Projects } from '../projects.ts'
import type { Usual } from '../usual.ts'
import { createApp } from './app.ts'
import { createGuard } from './guard.ts'
import type { Metrics } from './metrics.ts'
import type { Page } from './page.ts'
import { problemResponse, refuse } from './problem.ts'
import type { Pace } from './sse.ts'
import { createStreams } from './streams.ts'

export type Gateway = { readonly url: string; readonly close: () => Promise<void> }

export type GatewayOptions = {
  readonly engine: Engine
  readonly agents?: Agents
  readonly councils?: Councils
  readonly projects?: Projects
  readonly usual?: Usual
  readonly settings: Settings['gateway']
  readonly metrics: Metrics
  readonly page: Page
  readonly pace?: Pace
  readonly onBug: (cause: unknown) => void
  /** What else keeps the gateway from its best. */
  readonly troubles?: () => readonly string[]
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
  'access-control-max-age': '600',
}
const MOST_CONNECTIONS = 20_000
const BUG = fault('bug', 'something went wrong inside Turnwise; its log says what')
const UNREADABLE = fault('invalid', 'the address of this request cannot be read')

/** Opens the HTTP door: the guard looks first, then the page, then the routes. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { engine, agents, councils, projects, usual, settings, metrics, page, pace, onBug, troubles = () => [] } = options
  const guard = createGuard(settings, path => path === '/healthz' || page.has(path))
  const streams = createStreams({ most: settings.streams, pace, onBug })
  const app = createApp({
    engine,
    ...(agents === undefined ? {} : { agents }),
    ...(councils === undefined ? {} : { councils }),
    ...(projects === undefined ? {} : { projects }),
    ...(usual === undefined ? {} : { usual }),
    streams,
    metrics: () => metrics.print({ turnwise_streams: streams.count() }),
    troubles: async () => {
      const listed = await engine.sessions({ limit: 1 })
      return [...(listed.ok ? [] : [listed.fault.message]), ...troubles()]
    },
    onBug,
  })
  const routes = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: cause => {
      if (cause instanceof RequestError) return problemResponse({ fault: UNREADABLE })
      onBug(cause)
      return problemResponse({ fault: BUG })
    },
  })

  /** Refuses a stranger, or lets the request go on; nothing of a body has been read or asked for by then. */
  const isWelcome = (request: IncomingMessage, response: ServerResponse): boolean => {
    // Before the guard, so that a page that may call can also read why it was refused.
    allowOrigin(request, response)
    const refusal = guard(request)
    if (refusal !== undefined) refuse(response, refusal)
    return refusal === undefined
  }
  const allowOrigin = ({ headers: { origin } }: IncomingMessage, response: ServerResponse): void => {
    if (settings.origins.length === 0) return
    response.setHeader('vary', 'Origin')
    if (origin === undefined || !settings.origins.includes(origin)) return
    response.setHeader('access-control-allow-origin', origin)
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'OPTIONS' && response.hasHeader('access-control-allow-origin')) {
      response.writeHead(204, PREFLIGHT).end()
      return
    }
    if (page.answer(request, response)) return
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cross-origin-resource-policy', 'same-origin')
    routes(request, response).catch(cause => {
      onBug(cause)
      if (!response.headersSent) refuse(response, { fault: BUG })
      else response.destroy()
    })
  }

  const server = createServer({
    // Checked by the guard, which answers 421 for all that is wrong with it.
    requireHostHeader: false,
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 5000,
  })
  server.on('request', (request, response) => {
    if (isWelcome(request, response)) answer(request, response)
  })
  server.on('checkContinue', (request, response) => {
    if (!isWelcome(request, response)) return
    response.writeContinue()
    answer(request, response)
  })
  server.maxConnections = MOST_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port, address, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      streams.close()
      // A connection is kept alive when its last answer is out, so idle ones are looked for until none is left.
      const sweep = setInterval(() => server.closeIdleConnections(), 20)
      const last = setTimeout(() => server.closeAllConnections(), 1000)
      await closed
      clearInterval(sweep)
      clearTimeout(last)
    },
  }
}
