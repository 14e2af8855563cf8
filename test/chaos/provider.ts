import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { framesOf } from '../../src/testing/fake-frames.ts'
import { askedBy } from './asked.ts'
import { replyName } from './conversation.ts'

/** A request that reached the provider; `life` is which gateway sent it. */
export type Request = { readonly life: number; readonly reply: string }

/** A model that outlives every gateway that asks it. */
export type Provider = {
  readonly url: string
  readonly requests: readonly Request[]
  /** What it was asked that it must never be asked. */
  readonly faults: readonly string[]
  readonly close: () => Promise<void>
}

export type ProviderOptions = {
  readonly life: () => number
  /** Told of each frame before it is sent; what it gives is done when it was: whoever wants a kill there takes their time. */
  readonly sending: (reply: string, frame: number) => () => Promise<void>
}

const BETWEEN_FRAMES_MS = 1
const CHARACTERS = 14

export async function startProvider({ life, sending }: ProviderOptions): Promise<Provider> {
  const requests: Request[] = []
  const faults: string[] = []
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    // The gateway also asks which models there are; that is no request of a turn.
    if (incoming.method === 'GET') return void response.writeHead(404).end()
    const asked = askedBy(JSON.parse(await text(incoming)))
    const reply = replyName(asked.voice, asked.key, asked.step)
    requests.push({ life: life(), reply })
    const { text: words, call } = asked.say
    const says = [
      // Blank lines at the beginning come by themselves, as from many models.
      ...words.split(/(?<=^\s+)(?=\S)/).flatMap(text => (text === '' ? [] : [{ type: 'text' as const, text }])),
      ...(call === undefined
        ? []
        : [{ type: 'call' as const, id: `call_${requests.length}`, tool: call.tool, args: JSON.stringify(call.args) }]),
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const [index, frame] of framesOf('openai', { says, every: CHARACTERS }, { ordinal: requests.length }).entries()) {
      if (gone.signal.aborted) return
      const sent = sending(reply, index + 1)
      response.write(frame)
      await pause(BETWEEN_FRAMES_MS)
      await sent()
    }
    response.end()
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => {
      // A gateway that dies while it asks has said nothing wrong.
      if (!incoming.destroyed || !(cause instanceof Error) || !('code' in cause)) faults.push(String(cause))
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    faults,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
