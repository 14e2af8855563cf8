/** A model that outlives every node: it answers each request by the script, and gives each call a number of its own. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { framesOf } from '../../../src/testing/fake-frames.ts'
import { askedBy } from '../asked.ts'
import { NODES_SCRIPT, ticketIn } from './script.ts'

export type NodesProvider = {
  /** Each node asks below its own name, as in `/node-1/v1`. */
  readonly url: string
  readonly requests: () => number
  /** How many replies to one node are under way. */
  readonly underway: (node: string) => number
  /** What it was asked that it must never be asked. */
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

const CHARACTERS = 14

export async function startNodesProvider(frameMs: number): Promise<NodesProvider> {
  const faults: string[] = []
  const underway = new Map<string, number>()
  let requests = 0
  const count = (node: string, more: number): void => {
    underway.set(node, (underway.get(node) ?? 0) + more)
  }
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A node also asks which models there are; that is no request of a turn.
    if (incoming.method === 'GET') return void response.writeHead(404).end()
    const body = await text(incoming)
    requests += 1
    const number = requests
    const { say } = askedBy(JSON.parse(body), NODES_SCRIPT)
    const args = { ...say.call?.args, call: `${ticketIn(body)}-${number}` }
    const says = [
      // Blank lines at the beginning come by themselves, as from many models.
      ...say.text.split(/(?<=^\s+)(?=\S)/).flatMap(each => (each === '' ? [] : [{ type: 'text' as const, text: each }])),
      ...(say.call === undefined
        ? []
        : [{ type: 'call' as const, id: `call_${number}`, tool: say.call.tool, args: JSON.stringify(args) }]),
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const node = incoming.url?.split('/')[1] ?? ''
    count(node, 1)
    try {
      for (const frame of framesOf('openai', { says, every: CHARACTERS }, { ordinal: number })) {
        if (response.destroyed) return
        response.write(frame)
        await pause(frameMs)
      }
      response.end()
    } finally {
      count(node, -1)
    }
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => {
      // A node that dies while it asks has said nothing wrong.
      if (!incoming.destroyed || !(cause instanceof Error) || !('code' in cause)) faults.push(String(cause))
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    underway: node => underway.get(node) ?? 0,
    faults,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
