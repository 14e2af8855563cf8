/** A load balancer without stickiness: every request goes to the next node, and one that cannot be reached is passed over. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LoadBalancer = {
  readonly url: string
  /** How many requests each node has answered. */
  readonly answered: () => readonly number[]
  /** Ends every connection that is open now, so that whoever reads a stream has to come back. */
  readonly cut: () => void
  readonly close: () => void
}

export async function balance(nodes: readonly string[]): Promise<LoadBalancer> {
  const answered = nodes.map(() => 0)
  const open = new Set<ServerResponse>()
  let next = 0
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer, tries: number): void => {
    const index = next % nodes.length
    next += 1
    const { hostname, port } = new URL(nodes[index] ?? '')
    const { method, url: path, headers } = incoming
    const passed = request({ hostname, port, method, path, headers, agent: false })
    passed.on('response', response => {
      answered[index] = (answered[index] ?? 0) + 1
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      outgoing.flushHeaders()
      response.pipe(outgoing)
      response.on('error', () => outgoing.destroy())
    })
    passed.on('error', cause => {
      const isRefused = 'code' in cause && cause.code === 'ECONNREFUSED'
      if (isRefused && tries > 1) pass(incoming, outgoing, body, tries - 1)
      else outgoing.destroy()
    })
    outgoing.on('close', () => passed.destroy())
    passed.end(body)
  }
  const server = createServer((incoming, outgoing) => {
    open.add(outgoing)
    outgoing.on('close', () => open.delete(outgoing))
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), nodes.length))
    incoming.on('error', () => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const response of open) response.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: () => answered,
    cut,
    close: () => {
      server.close()
      cut()
      server.closeAllConnections()
    },
  }
}
