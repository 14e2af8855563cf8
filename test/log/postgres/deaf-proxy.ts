// A proxy in front of a test server that lets everything through but notifications: what a pooler that gives each transaction
// another connection does to one that listens.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

export type DeafProxy = {
  readonly url: string
  /** From now on notifications are dropped, or not. */
  readonly deafen: (isDeaf: boolean) => void
  /** Resolves when so many notifications were dropped in all. */
  readonly dropped: (count: number) => Promise<void>
}

/** The first byte of a message that brings a notification. */
const NOTIFICATION = 'A'.charCodeAt(0)

export async function deafProxyTo(t: TestContext, address: string): Promise<DeafProxy> {
  const target = new URL(address)
  let isDeaf = true
  let count = 0
  const waiting = new Set<() => void>()
  const server = createServer(client => {
    const behind = connect(Number(target.port), target.hostname)
    for (const socket of [client, behind]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        behind.destroy()
      })
    }
    client.pipe(behind)
    let rest = Buffer.alloc(0)
    behind.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const length = 1 + rest.readUInt32BE(1)
        const [message, isDropped] = [rest.subarray(0, length), isDeaf && rest[0] === NOTIFICATION]
        rest = rest.subarray(length)
        if (!isDropped) client.write(message)
        else count += 1
      }
      for (const look of waiting) look()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = new URL(address)
  url.port = String((server.address() as { readonly port: number }).port)
  return {
    url: url.href,
    deafen: deaf => {
      isDeaf = deaf
    },
    dropped: wanted =>
      new Promise(resolve => {
        const look = (): void => {
          if (count < wanted) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
  }
}
