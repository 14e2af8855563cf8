/** A model on a real socket that says a little more of its replies only when the test wants more. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { framesOf } from '../../../src/testing/fake-frames.ts'
import type { Script } from '../../../src/testing/index.ts'
import type { Scope } from '../../support/gateway.ts'
import type { Json } from '../http/client.ts'

export type HeldProvider = {
  readonly url: string
  /** Says one more piece of every reply under way; the first reply to come says it where there is none yet. */
  readonly sayMore: () => void
  /** From now on everything is said at once. */
  readonly letGo: () => void
  /** The bodies of all chat requests so far. */
  readonly requests: readonly Json[]
}

type Reply = { readonly pieces: string[]; readonly response: ServerResponse }

/** Begins with everything held. `answer` gives what is said to a request. */
export async function startHeldProvider(t: Scope, answer: (request: Json) => Script): Promise<HeldProvider> {
  const requests: Json[] = []
  const faults: unknown[] = []
  const underWay = new Set<Reply>()
  let isWanted = false
  let isFree = false
  const say = (reply: Reply): void => {
    const piece = reply.pieces.shift()
    if (piece !== undefined) reply.response.write(piece)
    if (reply.pieces.length > 0) return
    reply.response.end()
    underWay.delete(reply)
  }
  const sayAll = (reply: Reply): void => {
    while (underWay.has(reply)) say(reply)
  }
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A gateway also asks which models there are; that is no request of a turn.
    if (incoming.method === 'GET') return void response.writeHead(404).end()
    const body: Json = JSON.parse(await text(incoming))
    requests.push(body)
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const reply = {
      pieces: piecesOf(framesOf('openai', answer(body), { ordinal: requests.length, flavour: 'openrouter' })),
      response,
    }
    underWay.add(reply)
    response.on('close', () => underWay.delete(reply))
    if (isFree) sayAll(reply)
    else if (isWanted) say(reply)
    isWanted = false
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => {
      // A node that is killed while it asks has said nothing wrong.
      if (!incoming.destroyed) faults.push(cause)
      response.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    assert.deepEqual(faults, [])
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    sayMore: () => {
      isWanted = underWay.size === 0
      for (const reply of [...underWay]) say(reply)
    },
    letGo: () => {
      isFree = true
      for (const reply of [...underWay]) sayAll(reply)
    },
    requests,
  }
}

/** Frames together with those before them that no reader sees; the last piece ends the reply. */
function piecesOf(frames: readonly string[]): string[] {
  const pieces: string[] = []
  let waiting = ''
  for (const frame of frames) {
    waiting += frame
    if (!/"(?:content|reasoning_content|reasoning)":"[^"]/.test(frame)) continue
    pieces.push(waiting)
    waiting = ''
  }
  return [...pieces, waiting]
}
