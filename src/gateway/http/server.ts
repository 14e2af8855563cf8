import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Engine } from '../../engine.ts'
import type { Settings } from '../../model/config.ts'
import { fault } from '../../model/fault.ts'
import { createApp } from './app.ts'
import { createGuard } from './guard.ts'
import type { Metrics } from './metrics.ts'
import type { Page } from './page.ts'
import { refuse } from './problem.ts'
import { createStreams } from './streams.ts'

export type Gateway = { readonly url: string; readonly close: () => Promise<void> }

export type GatewayOptions = {
  readonly engine: Engine
  readonly settings: Settings['gateway']
  readonly metrics: Metrics
  readonly page: Page
  readonly onBug: (cause: unknown) => void
}

const CORS_MAX_AGE = '600'
const MOST_CONNECTIONS = 20_000

/** Opens the HTTP door: the guard looks first, then the page, then the routes. */
export async function openGateway({ engine, settings, metrics, page, onBug }: GatewayOptions): Promise<Gateway> {
  const guard = createGuard(settings)
  const streams = createStreams(settings.streams, onBug)
  const app = createApp({
    engine,
    streams,
    metrics: () => metrics.print({ turnwise_streams: streams.count() }),
    troubles: async () => {
      const listed = await engine.sessions({ limit: 1 })
      return listed.ok ? [] : [listed.fault.message]
    },
    onBug,
  })
  const routes = getRequestListener(app.fetch, { overrideGlobalObjects: false })

  const server: Server = createServer(
    {
      // Checked by the guard, which answers 421 for all that is wrong with it.
      requireHostHeader: false,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 5000,
    },
    (request, response) => {
      const refusal = guard(request)
      if (refusal !== undefined) return refuse(response, refusal)
      const { origin } = request.headers
      if (origin !== undefined && settings.origins.includes(origin)) {
        response.setHeader('access-control-allow-origin', origin)
        response.setHeader('vary', 'Origin')
        if (request.method === 'OPTIONS') {
          response.writeHead(204, {
            'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
            'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
            'access-control-max-age': CORS_MAX_AGE,
          })
          return response.end()
        }
      }
      if (page(request, response)) return
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('cross-origin-resource-policy', 'same-origin')
      routes(request, response).catch(cause => {
        onBug(cause)
        if (!response.headersSent)
          refuse(response, { fault: fault('bug', 'something went wrong inside Turnwise; its log says what') })
        else response.destroy()
      })
    },
  )
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
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), 1000).unref()
      await closed
    },
  }
}
