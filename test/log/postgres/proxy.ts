// A TCP proxy in front of a test server: it can keep back what the server answers, and cut every connection.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type Proxy = {
  /** The address of the server, through the proxy. */
  readonly url: string
  /** From now on nothing that the server answers goes on to the client; what the client sends still reaches the server. */
  readonly silence: () => void
  /** Lets new connections through again. Those that were kept silent stay so until they are cut. */
  readonly speak: () => void
  /** Drops the answer to the n-th request from now on, once the server has given it, and cuts its connection. */
  readonly loseAnswer: (request: number) => void
  /** Whether that answer was lost already. */
  readonly hasLost: () => boolean
  readonly cut: () => void
}

export async function proxyTo(t: TestContext, address: string): Promise<Proxy> {
  const target = new URL(address)
  const open = new Set<Socket>()
  let isSilent = false
  let requestsLeft = Number.POSITIVE_INFINITY
  const server = createServer(client => {
    const behind = connect(Number(target.port), target.hostname)
    for (const socket of [client, behind]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        behind.destroy()
      })
    }
    let wasSilent = false
    let isLost = false
    client.on('data', bytes => {
      requestsLeft -= 1
      isLost ||= requestsLeft === 0
      behind.write(bytes)
    })
    behind.on('data', bytes => {
      if (isLost) behind.destroy()
      wasSilent ||= isSilent || isLost
      if (!wasSilent) client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  const url = new URL(address)
  url.port = String((server.address() as { readonly port: number }).port)
  return {
    url: url.href,
    silence: () => {
      isSilent = true
    },
    speak: () => {
      isSilent = false
    },
    loseAnswer: request => {
      requestsLeft = request
    },
    hasLost: () => requestsLeft <= 0,
    cut,
  }
}
