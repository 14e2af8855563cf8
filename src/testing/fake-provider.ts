/** Starts a fake provider: a real HTTP server on loopback that answers by a script. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequestRecorder } from './fake-recorder.ts'
import { type RecordedRequest, recorded } from './fake-request.ts'
import type { Script } from './fake-script.ts'
import { send } from './fake-send.ts'
import { watchSockets } from './fake-sockets.ts'
import { createTalk, type TalkOptions } from './fake-talk.ts'

export type FakeOptions = TalkOptions & {
  /** No server listens at the URL. */
  readonly refuseConnections?: boolean
  /** Keeps connections for further requests. Without it each answer closes its connection, so that an open one is a leak. */
  readonly keepAlive?: boolean
}

/** A fake provider: a real HTTP server on loopback that answers by scripts. */
export type Fake = AsyncDisposable & {
  /** The base URL, in the form that the service's own client takes. */
  readonly url: string
  /** Every request so far, for chats and for anything else. */
  readonly requests: readonly RecordedRequest[]
  /** Gives every request once and in order, whether it has arrived or not. */
  readonly nextRequest: () => Promise<RecordedRequest>
  /** Queues the answers to the next chats. */
  readonly say: (...scripts: readonly Script[]) => void
  /** The number of open connections that carried a request. Connections that a client opened in advance do not count. */
  readonly openSockets: () => number
  /** Resolves when no such connection is left, or at most `open` of them. */
  readonly quiet: (open?: number) => Promise<void>
  /** Destroys every connection and ends every wait. Rejects if the fake itself had a bug. */
  readonly close: () => Promise<void>
}

/** Starts a fake provider on a free port of 127.0.0.1. */
export async function startFake(options: FakeOptions): Promise<Fake> {
  const talk = createTalk(options)
  const recorder = createRequestRecorder()
  const answers = new Set<Promise<void>>()
  const bugs: unknown[] = []

  const server = createServer((incoming, response) => {
    if (options.keepAlive !== true) response.shouldKeepAlive = false
    const serving = serve(incoming, response)
      .catch(bug => {
        bugs.push(bug)
        incoming.destroy()
      })
      .finally(() => answers.delete(serving))
    answers.add(serving)
  })
  const sockets = watchSockets(server, talk.refusesNext)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  if (options.refuseConnections) await close()

  return {
    url: `http://127.0.0.1:${port}${options.wire === 'openai' ? '/v1' : ''}`,
    requests: recorder.requests,
    nextRequest: recorder.next,
    say: talk.say,
    openSockets: sockets.count,
    quiet: (open = 0) => sockets.downTo(open),
    close,
    [Symbol.asyncDispose]: close,
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await recorded(incoming)
    if (request === null) return
    recorder.add(request)
    const reply = talk.reply(request)
    if (reply === null) incoming.socket.resetAndDestroy()
    else await send(response, reply.answer, reply.script)
  }

  async function close(): Promise<void> {
    recorder.close()
    if (server.listening) {
      const closed = once(server, 'close')
      server.close()
      sockets.destroy()
      await closed
    }
    await Promise.all(answers)
    if (bugs.length > 0) throw new AggregateError(bugs, 'the fake provider had a bug')
  }
}
