// What becomes of a connection when its reply has been heard.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Provider } from '../../src/model/provider.ts'
import { bytesOf } from '../../src/testing/index.ts'
import { DOORS, type Door } from './fakes/door.ts'
import { clientFor, requestTo, spokenBy } from './speaking.ts'

type Ways = {
  /** How an answer ends whose reply is over. */
  readonly end: (response: ServerResponse) => void
  /** A request on a connection that carried one before finds it closed. */
  readonly forgets?: boolean
}
type Talk = {
  /** A whole reply, without a retry. */
  readonly ask: () => Promise<void>
  /** How many requests came on a connection that carried one before. */
  readonly repeated: () => number
  readonly sockets: ReadonlySet<Socket>
}

async function talking(t: TestContext, { name, wire, flavour }: Door, { end, forgets = false }: Ways): Promise<Talk> {
  const sockets = new Set<Socket>()
  const open: ServerResponse[] = []
  let repeated = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const { socket } = request
    const isKnown = sockets.has(socket)
    if (isKnown) repeated += 1
    if (isKnown && forgets) {
      socket.resetAndDestroy()
      return
    }
    sockets.add(socket)
    socket.on('error', () => {})
    response.writeHead(200, { 'content-type': wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream' })
    response.write(bytesOf(wire, {}, { flavour }))
    open.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: Provider = clientFor(name, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => {
    provider.close?.()
    server.closeAllConnections()
    server.close()
  })
  const ask = async (): Promise<void> => {
    const { end: ended, fault, retries } = await spokenBy(provider, requestTo(name))
    assert.deepEqual([ended, fault, retries], ['done', undefined, 0])
    // A service's reply is over before its answer is; here it has been heard, too.
    for (const response of open.splice(0)) end(response)
  }
  return { ask, repeated: () => repeated, sockets }
}

/** Whoever asks before the end of an answer has arrived gets another connection, so it may take a few requests. */
async function askUntil({ ask, repeated }: Talk, many: number): Promise<void> {
  for (let asked = 0; repeated() < many; asked += 1) {
    assert.ok(asked < 50, 'connections are not used again')
    await Promise.all([ask(), ask()])
    await new Promise(setImmediate)
  }
}

for (const door of DOORS) {
  test(`${door.name}: a connection that carried a reply carries a later request too`, async t => {
    const talk = await talking(t, door, { end: response => response.end() })
    await askUntil(talk, 1)
  })

  test(`${door.name}: connections that were closed meanwhile are replaced, and nobody hears of it`, async t => {
    const talk = await talking(t, door, { end: response => response.end(), forgets: true })
    await askUntil(talk, 4)
  })

  test(`${door.name}: an answer that goes on after its last word is cut off`, async t => {
    const { ask, sockets } = await talking(t, door, { end: response => response.write(Buffer.alloc(2 ** 24, '\n')) })
    await ask()
    const [socket] = sockets
    assert.ok(socket)
    if (!socket.destroyed) await new Promise(resolve => socket.once('close', resolve))
  })
}

test('an answer that never ends is cut off after a while', async t => {
  const [door] = DOORS
  assert.ok(door)
  const { ask, sockets } = await talking(t, door, { end: () => {} })
  await ask()
  const [socket] = sockets
  assert.ok(socket && !socket.destroyed)
  await new Promise(resolve => socket.once('close', resolve))
})
