/** Counts and closes the connections of a fake server. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server, for tests that check that none is left. */
export type Sockets = {
  /** Counts connections that carried a request. Clients open others in advance, and close them when they like. */
  readonly count: () => number
  /** Resolves when at most `count` are open. */
  readonly downTo: (count: number) => Promise<void>
  readonly destroy: () => void
}

/** `refuses` decides about each connection as it is accepted. */
export function watchSockets(server: Server, refuses: () => boolean): Sockets {
  const open = new Set<Socket>()
  const used = new Set<Socket>()
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []
  server.on('connection', socket => {
    open.add(socket)
    socket.setNoDelay(true)
    socket.once('close', () => {
      open.delete(socket)
      used.delete(socket)
      for (const { count, resolve } of waiting) if (used.size <= count) resolve()
      waiting = waiting.filter(({ count }) => used.size > count)
    })
    if (refuses()) socket.resetAndDestroy()
  })
  server.on('request', ({ socket }) => used.add(socket))
  return {
    count: () => used.size,
    downTo: count => (used.size <= count ? Promise.resolve() : new Promise(resolve => waiting.push({ count, resolve }))),
    destroy: () => {
      for (const socket of open) socket.destroy()
    },
  }
}
