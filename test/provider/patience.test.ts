// What is asked again and what is not, who waits for whom, and what a person never reads.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { clientFor, requestTo, spokenBy } from './speaking.ts'

type Answers = (response: ServerResponse, ordinal: number) => unknown

/** A server that answers each request as told, by its number. */
async function serving(t: TestContext, answers: Answers): Promise<{ readonly url: string; readonly count: () => number }> {
  let count = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    count += 1
    await answers(response, count)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count }
}

const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [choice] })}\n\n`
const HELLO = `${chunk({ delta: { content: 'Hello' } })}${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`
const block = (index: number, content_block: object): string =>
  `data: ${JSON.stringify({ type: 'content_block_start', index, content_block })}\n\n`

test('a body that ends after one frame without a line break is said once and not asked again', async t => {
  const { url, count } = await serving(t, response => response.end(chunk({ delta: { content: 'Hello' } }).trimEnd()))
  const reply = await spokenBy(clientFor('openai', url), requestTo('openai'))
  assert.deepEqual([count(), reply.text, reply.retries, reply.fault?.kind], [1, 'Hello', 0, 'garbled'])
})

for (const [what, said, requests] of [
  ['an empty block', block(0, { type: 'text', text: '' }), 3],
  ['empty thinking', block(0, { type: 'thinking', thinking: '' }), 3],
  ['thinking that is not shown', block(0, { type: 'redacted_thinking', data: 'x' }), 1],
  ['a seal', block(0, { type: 'thinking', thinking: '', signature: 's' }), 1],
  ['a call', block(0, { type: 'tool_use', id: 'a', name: 'look', input: {} }), 1],
] as const)
  test(`${what} and then the end: asked ${requests === 1 ? 'once' : 'again'}`, async t => {
    const { url, count } = await serving(t, response => response.end(said))
    const reply = await spokenBy(clientFor('anthropic', url), requestTo('anthropic'))
    assert.deepEqual([count(), reply.fault?.kind], [requests, 'garbled'])
  })

test('what is not text counts towards the most that a reply may have', async t => {
  const piece = block(0, { type: 'redacted_thinking', data: 'x'.repeat(900_000) })
  const { url } = await serving(t, response => response.end(piece.repeat(10)))
  assert.equal((await spokenBy(clientFor('anthropic', url), requestTo('anthropic'))).fault?.kind, 'too-large')
})

test('no secret is shown, nor the beginning of one that was cut', async t => {
  const apiKey = 'sk-canary-0123456789abcdef'
  const headers = { 'x-gateway': 'Bearer hush-hush-0123456789' }
  const long = 'x'.repeat(485)
  const bodies = [
    (secret: string): Answers =>
      (response: ServerResponse) =>
        response.writeHead(400).end(`${long} ${secret}`),
    (secret: string): Answers =>
      (response: ServerResponse) =>
        response.writeHead(401).end(JSON.stringify({ error: { message: `${long} ${secret}` } })),
    (secret: string): Answers =>
      (response: ServerResponse) =>
        response.end(`data: ${JSON.stringify({ error: { code: 'invalid_prompt', message: `${long} ${secret}` } })}\n\n`),
    (secret: string): Answers =>
      (response: ServerResponse) =>
        response.end(`data: ${JSON.stringify({ error: { code: 401, message: `${long} ${secret}` } })}\n\n`),
  ]
  for (const secret of [apiKey, 'hush-hush-0123456789'])
    for (const answers of bodies) {
      const { url } = await serving(t, answers(secret))
      const { fault } = await spokenBy(clientFor('openai', url, { apiKey, headers }), requestTo('openai'))
      assert.doesNotMatch(fault?.message ?? '', /canary|hush/)
      assert.match(fault?.message ?? '', /\[redacted|\[reda/)
    }
})

test('who is asked to wait waits at least so long, and not all equally', async t => {
  const { url } = await serving(t, (response, ordinal) =>
    ordinal % 2 === 1 ? response.writeHead(503, { 'retry-after-ms': '40' }).end() : response.end(HELLO),
  )
  const provider = clientFor('openai', url)
  const waits: number[] = []
  for (let turn = 0; turn < 6; turn += 1)
    for await (const delta of provider.speak(requestTo('openai'), new AbortController().signal))
      if (delta.type === 'retrying') waits.push(delta.afterMs)
  provider.close?.()
  assert.ok(waits.length === 6 && waits.every(wait => wait >= 40 && wait <= 50), waits.join())
  assert.ok(new Set(waits).size > 1, waits.join())
})

test('429 holds everybody: one asks at a time until one is answered', async t => {
  const together = Promise.withResolvers<void>()
  let underWay = 0
  let mostWhileHeld = 0
  let isAnswered = false
  const { url, count } = await serving(t, async (response, ordinal) => {
    if (ordinal <= 5) {
      if (ordinal === 5) together.resolve()
      await together.promise
      return response.writeHead(429, { 'retry-after-ms': '100' }).end()
    }
    underWay += 1
    if (!isAnswered) mostWhileHeld = Math.max(mostWhileHeld, underWay)
    await pause(60)
    underWay -= 1
    isAnswered = true
    return response.end(HELLO)
  })
  const provider = clientFor('openai', url)
  const replies = await Promise.all(Array.from({ length: 5 }, () => spokenBy(provider, requestTo('openai'))))
  for (const { text } of replies) assert.equal(text, 'Hello')
  provider.close?.()
  assert.equal(mostWhileHeld, 1)
  assert.ok(count() <= 5 + 5, `${count()} requests`)
})

test('one that comes while the others are held waits with them', async t => {
  let refusedAt = 0
  let nextAt = 0
  const { url } = await serving(t, (response, ordinal) => {
    if (ordinal === 1) {
      refusedAt = performance.now()
      return response.writeHead(429, { 'retry-after-ms': '100' }).end()
    }
    nextAt ||= performance.now()
    return response.end(HELLO)
  })
  const provider = clientFor('openai', url)
  const replies: Promise<{ readonly text: string }>[] = []
  for await (const { type } of provider.speak(requestTo('openai'), new AbortController().signal))
    if (type === 'retrying') replies.push(spokenBy(provider, requestTo('openai')))
  assert.deepEqual([replies.length, (await replies[0])?.text], [1, 'Hello'])
  provider.close?.()
  assert.ok(nextAt - refusedAt >= 99, `after ${nextAt - refusedAt} ms`)
})

test('one who gives up while held holds nobody', async t => {
  const { url } = await serving(t, (response, ordinal) =>
    ordinal === 1 ? response.writeHead(429, { 'retry-after-ms': '60' }).end() : response.end(HELLO),
  )
  const provider = clientFor('openai', url)
  const controller = new AbortController()
  const others: Promise<{ readonly text: string }>[] = []
  const heard: string[] = []
  for await (const { type } of provider.speak(requestTo('openai'), controller.signal)) {
    heard.push(type)
    if (type !== 'retrying') continue
    others.push(spokenBy(provider, requestTo('openai')))
    controller.abort()
  }
  assert.deepEqual(heard, ['retrying', 'fault'])
  assert.deepEqual([others.length, (await others[0])?.text], [1, 'Hello'])
  provider.close?.()
})
