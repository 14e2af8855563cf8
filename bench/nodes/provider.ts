// node bench/nodes/provider.ts <deltas>, forked by nodes.ts: a provider that has its whole answer ready and sends it in one write.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { framesOf } from '../../src/testing/index.ts'

const LETTERS_PER_DELTA = 6
const TEXT = 'A small boat on a wide river. '

const letters = Number(process.argv[2]) * LETTERS_PER_DELTA
const text = TEXT.repeat(Math.ceil(letters / TEXT.length)).slice(0, letters)
const reply = Buffer.from(framesOf('openai', { says: [{ type: 'text', text }], every: LETTERS_PER_DELTA }).join(''))

const server = createServer((request, response) => {
  // Gateways ask at their start which models there are.
  if (request.method === 'GET') return void response.writeHead(404).end()
  request.resume()
  request.once('end', () => response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(reply))
})
server.keepAliveTimeout = 0
process.once('disconnect', () => process.exit())
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
