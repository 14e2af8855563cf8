/** A new provider is one folder (toy-provider/) and one line: its descriptor in the list. It then answers a real turn. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { PROVIDERS } from '../../src/index.ts'
import { ask, engineWith, last, openSession } from '../support/engine.ts'
import { toy } from './toy-provider/descriptor.ts'

/** The one line. */
const descriptors = [...PROVIDERS, toy]

type Asked = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }

async function toyServer(
  t: TestContext,
  answer: (response: ServerResponse) => void,
): Promise<{ baseURL: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    asked.push({ path: request.url ?? '', headers: request.headers, body })
    answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked }
}

const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

test('a provider outside of src answers a turn through the same door', async t => {
  const { baseURL, asked } = await toyServer(t, response =>
    response.end(event('word', 'Pretty ') + event('word', 'Polly.') + event('end', '7')),
  )
  const engine = engineWith({ descriptors, model: 'toy/parrot', providers: { toy: { baseURL, apiKey: 'sk-toy' } } })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Who is a pretty bird?')
  assert.deepEqual(last(events, 'reply.finished').parts, [{ type: 'text', text: 'Pretty Polly.' }])
  assert.equal(last(events, 'turn.ended').reason, 'done')
  const { usage } = last(events, 'reply.finished')
  assert.deepEqual([usage?.input, usage?.output, usage?.costUsd], [7, 2, 0.000011], 'paid at the price of its descriptor')

  assert.deepEqual(
    asked.map(({ path, headers }) => [path, headers['x-toy-key'], headers.authorization, headers['user-agent']]),
    [['/v1/talk', 'sk-toy', undefined, 'Turnwise']],
  )
  const body = JSON.parse(asked[0]?.body ?? '') as { model: string; lines: readonly string[] }
  assert.equal(body.model, 'parrot')
  assert.match(body.lines.at(-1) ?? '', /^user: .*Who is a pretty bird\?$/)

  const verdicts: string[] = []
  for await (const { verdict } of engine.verify(session)) verdicts.push(verdict)
  assert.deepEqual(verdicts, ['identical'], 'and its request can be built again')
  await engine.close(100)
})

test('its models and what they need are listed like those of the others', async () => {
  const engine = engineWith({ descriptors, model: 'toy/parrot' })
  const { items } = await engine.models()
  const parrot = items.find(({ name }) => name === 'toy/parrot')
  assert.deepEqual([parrot?.window, parrot?.ready, parrot?.needs], [2000, false, 'TOY_API_KEY'])
  assert.deepEqual(
    (await engine.providers()).find(({ name }) => name === 'toy'),
    { name: 'toy', baseURL: 'https://toy.example/v1', hasKey: false, keyName: 'TOY_API_KEY', needs: 'TOY_API_KEY' },
  )
  const events = await ask(engine, await openSession(engine), 'Hello?')
  assert.equal(last(events, 'turn.ended').fault?.message, 'toy needs a key; set TOY_API_KEY, or run "turnwise connect toy"')
  await engine.close(100)
})

test('what goes wrong has the same names as everywhere', async t => {
  const { baseURL, asked } = await toyServer(t, response => response.writeHead(401).end('{"error":"no bird"}'))
  const engine = engineWith({ descriptors, model: 'toy/other', providers: { toy: { baseURL, apiKey: 'sk-toy' } } })
  const events = await ask(engine, await openSession(engine), 'Hello?')
  const { fault } = last(events, 'turn.ended')
  assert.deepEqual([fault?.kind, asked.length], ['unauthorized', 1])
  assert.match(fault?.message ?? '', /^toy refused the key \(401\): no bird; set TOY_API_KEY/)
  await engine.close(100)
})

test('an error in the middle of a reply keeps what was said, and says what the toy said', async t => {
  const { baseURL } = await toyServer(t, response => response.end(event('word', 'Pretty ') + event('trouble', 'not today')))
  const engine = engineWith({ descriptors, model: 'toy/parrot', providers: { toy: { baseURL, apiKey: 'sk-toy' } } })
  const events = await ask(engine, await openSession(engine), 'Hello?')
  assert.equal(last(events, 'turn.ended').fault?.message, 'toy stopped with an error (invalid_request_error): not today')
  assert.deepEqual(last(events, 'reply.broken').parts, [{ type: 'text', text: 'Pretty ' }])
  await engine.close(100)
})

test('without the line there is no such provider', () => {
  const engine = engineWith({ model: 'toy/parrot' })
  assert.match(engine.unready().join('\n'), /"toy\/parrot" is not a model/)
})
