/** A TCP proxy between one node and the database that can cut its connections and stall them. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type DatabaseProxy = {
  readonly port: number
  /** Ends every connection at once, as a network does that forgets them. */
  readonly cut: () => void
  /** Holds all bytes back, in both directions, until `flow`. */
  readonly stall: () => void
  readonly flow: () => void
  readonly close: () => Promise<void>
}

export async function startProxy(target: number): Promise<DatabaseProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isStalled = false
  const server = createServer({ noDelay: true }, near => {
    const far = connect({ host: '127.0.0.1', port: target, noDelay: true })
    const pair = [near, far] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('data', bytes => {
        if (!to.write(bytes)) from.pause()
      })
      to.on('drain', () => {
        if (!isStalled) from.resume()
      })
      from.on('error', end).on('close', end)
    }
    if (isStalled) hold(pair)
  })
  const hold = (pair: readonly [Socket, Socket]): void => {
    for (const socket of pair) socket.pause()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall: () => {
      isStalled = true
      for (const pair of pairs) hold(pair)
    },
    flow: () => {
      isStalled = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
