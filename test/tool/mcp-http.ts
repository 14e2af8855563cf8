// Servers behind an address of this machine, of both protocols.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createState, furnished, type State } from './mcp-furniture.ts'

export type HttpServer = {
  readonly url: string
  readonly port: number
  readonly state: State
  /** Every request, as it came. */
  readonly seen: { readonly method: string; readonly headers: Headers }[]
  readonly openSockets: () => Promise<number>
  /** Hangs up on everybody at once. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

export type Door = (request: Request) => Promise<Response>

/** Answers every request with a server of its own, as the newer protocol does; those of the older one as well, if `legacy` says so. */
export function newerDoor(state: State, legacy: 'stateless' | 'reject' = 'reject'): Door {
  const { fetch, notify } = createMcpHandler(() => furnished(state, () => notify.toolsChanged()), { legacy, keepAliveMs: 0 })
  return fetch
}

/** Keeps a session for each client, and knows nothing of the newer protocol. */
export function olderDoor(state: State): Door {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async request => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response('no such session', { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, transport),
      onsessionclosed: id => void sessions.delete(id),
      keepAliveMs: 0,
    })
    await furnished(state).connect(transport)
    return transport.handleRequest(request)
  }
}

export async function listen(t: TestContext, door: (state: State) => Door, port = 0): Promise<HttpServer> {
  const state = createState()
  const answer = door(state)
  const seen: HttpServer['seen'] = []
  const listener = getRequestListener(request => {
    seen.push({ method: request.method, headers: request.headers })
    return answer(request)
  })
  const server: Server = createServer(listener)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  t.after(stop)
  const { port: given } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${given}/mcp`,
    port: given,
    state,
    seen,
    openSockets: () =>
      new Promise((resolve, reject) => server.getConnections((bug, count) => (bug ? reject(bug) : resolve(count)))),
    cut: () => server.closeAllConnections(),
    stop,
  }
}
