/** Opens the HTTP server of the gateway: the guard first, then the page, then the routes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Engine } from '../../engine.ts'
import { fault } from '../../model/fault.ts'
import type { Settings } from '../../model/settings/config.ts'
import type { Channel } from '../channel/closed-channel.ts'
import { isOpenAiPath, refuseOpenAi } from '../openai/errors.ts'
import type { Connections } from '../settings/connections.ts'
import type { EditableSettings } from '../settings/edit-settings.ts'
import type { ListedDefaults } from '../usual.ts'
import type { Agents } from '../workspace/agents.ts'
import type { Councils } from '../workspace/councils.ts'
import type { MemorySettings } from '../workspace/memory-settings.ts'
import type { ModelWindows } from '../workspace/model-windows.ts'
import type { Projects } from '../workspace/projects.ts'
import { createApp } from './app.ts'
import { createGuard } from './guard.ts'
import type { Metrics } from './metrics.ts'
import type { Page } from './page.ts'
import { problemResponse, refuse } from './problem.ts'
import { IMPORT_PATH } from './routes/import.ts'
import { MCP_CALLBACK_PATH } from './routes/workspace/mcp-sign-in.ts'
import { serverGauges, serverReasons } from './server-health.ts'
import type { StreamPace } from './sse.ts'
import { createStreams } from './streams.ts'

export type Gateway = { readonly url: string; readonly close: () => Promise<void> }

export type GatewayOptions = {
  readonly engine: Engine
  readonly agents?: Agents
  readonly councils?: Councils
  readonly projects?: Projects
  readonly windows?: ModelWindows
  readonly memory?: MemorySettings
  readonly connections?: Connections
  readonly editable?: EditableSettings
  /** Asked for each answer, because settings change. */
  readonly usual?: () => ListedDefaults
  readonly telegram?: Channel<number>
  readonly settings: Settings['gateway']
  readonly metrics: Metrics
  readonly page: Page
  readonly pace?: StreamPace
  /** How long a request may take to arrive whole, unless its body is a file. */
  readonly requestMs?: number
  readonly onBug: (cause: unknown) => void
  /** What else keeps the gateway from its best. */
  readonly troubles?: () => readonly string[]
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-max-age': '600',
}
const USUAL_HEADERS = 'authorization, content-type, idempotency-key, last-event-id'
/** What a page of another origin may read beside the usual headers of an answer. */
const EXPOSED = 'x-turnwise-context, x-vercel-ai-ui-message-stream, retry-after, x-should-retry'
const MOST_CONNECTIONS = 20_000
const REQUEST_MS = 30_000
const FILE_MS = 3_600_000
const BUG = fault('bug', 'something went wrong inside Turnwise; its log says what')
const UNREADABLE = fault('invalid', 'the address of this request cannot be read')

/** Opens the HTTP door: the guard looks first, then the page, then the routes. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { engine, agents, councils, projects, usual, settings, metrics, page, pace, onBug, troubles = () => [] } = options
  const guard = createGuard(settings, path => path === '/healthz' || path === MCP_CALLBACK_PATH || page.has(path))
  const streams = createStreams({ most: settings.streams, pace, onBug })
  const servers = () => engine.servers()?.list() ?? []
  const app = createApp({
    engine,
    hasToken: settings.token !== null,
    ...(agents === undefined ? {} : { agents }),
    ...(councils === undefined ? {} : { councils }),
    ...(projects === undefined ? {} : { projects }),
    ...(options.windows === undefined ? {} : { windows: options.windows }),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
    ...(options.connections === undefined ? {} : { connections: options.connections }),
    ...(options.editable === undefined ? {} : { editable: options.editable }),
    ...(usual === undefined ? {} : { usual }),
    ...(options.telegram === undefined ? {} : { telegram: options.telegram }),
    streams,
    metrics: () => metrics.print({ turnwise_streams: streams.count(), ...serverGauges(servers()) }),
    troubles: async () => {
      const listed = await engine.sessions({ limit: 1 })
      return [...(listed.ok ? [] : [listed.fault.message]), ...troubles(), ...serverReasons(servers())]
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

  /** Refuses a request that the guard does not let in. No part of the body has been read or asked for by then. */
  const isWelcome = (request: IncomingMessage, response: ServerResponse): boolean => {
    // Before the guard, so that a page that may call can also read why it was refused.
    allowOrigin(request, response)
    const refusal = guard(request)
    if (refusal !== undefined) (isOpenAiPath(request.url ?? '') ? refuseOpenAi : refuse)(response, refusal)
    return refusal === undefined
  }
  const allowOrigin = ({ headers: { origin } }: IncomingMessage, response: ServerResponse): void => {
    if (settings.origins.length === 0) return
    response.setHeader('vary', 'Origin')
    if (origin === undefined || !settings.origins.includes(origin)) return
    response.setHeader('access-control-allow-origin', origin)
    response.setHeader('access-control-expose-headers', EXPOSED)
  }
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === 'OPTIONS' && response.hasHeader('access-control-allow-origin')) {
      // A page that may call may send what its client sends, such as the dozen headers in which OpenAI's says what it is.
      const wished = request.headers['access-control-request-headers'] ?? USUAL_HEADERS
      response.writeHead(204, { ...PREFLIGHT, 'access-control-allow-headers': wished }).end()
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
    // For requests whose body is a file. All others have less time: `inTime` below cuts them off.
    requestTimeout: FILE_MS,
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 5000,
  })
  const { requestMs = REQUEST_MS } = options
  server.on('request', (request, response) => {
    if (isWelcome(request, response)) answer(inTime(request, response, requestMs), response)
  })
  server.on('checkContinue', (request, response) => {
    if (!isWelcome(request, response)) return
    response.writeContinue()
    answer(inTime(request, response, requestMs), response)
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

/** Cuts off a body that arrives too slowly. The import route has a time limit of its own. */
function inTime(request: IncomingMessage, response: ServerResponse, withinMs: number): IncomingMessage {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  if ((length === '0' && encoding === undefined) || request.url?.split('?', 1)[0] === IMPORT_PATH) return request
  const late = setTimeout(() => {
    request.socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    request.socket.destroySoon()
  }, withinMs)
  const isOver = (): void => clearTimeout(late)
  for (const over of ['end', 'close']) request.once(over, isOver)
  // A body that was refused is not read to its end.
  response.once('close', isOver)
  return request
}
