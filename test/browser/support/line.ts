import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire between browser and gateway that can be cut like a real one: without a word. */
export type Line = { readonly url: string; readonly cut: () => void; readonly close: () => void }

export async function layLine(to: string): Promise<Line> {
  const { hostname, port } = new URL(to)
  const ends = new Set<Socket>()
  const server = createServer(near => {
    const far = connect(Number(port), hostname)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        ends.delete(end)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, hostname)
  await once(server, 'listening')
  const cut = (): void => {
    for (const end of ends) end.destroy()
  }
  return {
    url: `http://${hostname}:${(server.address() as AddressInfo).port}`,
    cut,
    close: () => {
      server.close()
      cut()
    },
  }
}
