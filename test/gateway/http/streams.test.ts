// Safety row 34: streams are limited, and a reader that stops reading harms nobody but itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { says, scriptedProvider } from '../../../src/testing/index.ts'
import { startGateway } from '../../support/gateway.ts'
import { clientOf } from './client.ts'
import { type Frame, idsOf, isEvent } from './frames.ts'
import { dial, head, type Line } from './raw.ts'

const STREAM = { accept: 'text/event-stream' }
const PIECE = 'x'.repeat(64 * 1024)
const PIECES = 192

test('one stream too many is 429, and there is room again when one is closed', async t => {
  const { url, port } = await startGateway(t, { settings: { streams: 3 } })
  const client = clientOf(url)
  const session = await client.open()
  const open = await Promise.all([client.follow(session), client.follow(session), client.follow(session)])

  const response = await client.ask('GET', `${session}/events`, { headers: STREAM })
  assert.equal(response.status, 429)
  assert.equal(response.headers.get('retry-after'), '1')
  const problem = await client.problem(429, 'throttled', 'GET', `${session}/events`, { headers: STREAM })
  assert.equal(problem.detail, '3 streams are open already; close one first')
  await client.json(200, 'GET', `${session}/events`)

  // From another address it is someone else.
  const elsewhere = dial(port, { localAddress: '127.0.0.2' })
  elsewhere.socket.write(head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream'))
  await elsewhere.until(/^HTTP\/1\.1 200 /)
  elsewhere.socket.destroy()

  await open[0]?.hangUp()
  await client.untilStreams(2)
  const again = await client.follow(session)
  for (const reader of [again, open[1], open[2]]) await reader?.hangUp()
})

test('a message whose stream has no room is not taken', async t => {
  const provider = scriptedProvider([says('Hello')])
  const client = clientOf((await startGateway(t, { settings: { streams: 1 }, provider })).url)
  const session = await client.open()
  const reader = await client.follow(session)
  await client.problem(429, 'throttled', 'POST', `${session}/messages`, { body: { text: 'Hello' }, headers: STREAM })
  assert.deepEqual(await client.events(session), [])
  await reader.hangUp()
  await client.untilStreams(0)
  assert.equal((await (await client.say(session, 'Hello')).rest()).length, 6)
  assert.equal(provider.requests.length, 1)
})

test('a refused message gives its place back', async t => {
  const client = clientOf((await startGateway(t, { settings: { streams: 1 } })).url)
  const session = await client.open()
  const headers = { ...STREAM, 'idempotency-key': 'k' }
  await client.talk(session, 'Hello')
  await (await client.say(session, 'One', { 'idempotency-key': 'k' })).rest()
  for (let count = 0; count < 5; count += 1)
    await client.problem(409, 'conflict', 'POST', `${session}/messages`, { body: { text: 'Two' }, headers })
  await (await client.say(session, 'Three')).rest()
})

test('readers that leave while their request is looked at leave nothing behind', async t => {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const request = head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream')
  const gone = Array.from({ length: 200 }, async () => {
    const line = dial(port)
    line.socket.write(request, () => line.socket.resetAndDestroy())
    await line.closed
  })
  await Promise.all(gone)
  await client.untilStreams(0)
})

test('asking for the head of a stream does not open one', async t => {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const line = dial(port)
  line.socket.write(head(`HEAD ${session}/events`, 'Host: localhost', 'Accept: text/event-stream'))
  assert.match(await line.until(/\r\n\r\n/), /^HTTP\/1\.1 200 /)
  assert.match(await (await client.ask('GET', '/metrics')).text(), /^turnwise_streams 0$/m)
  line.socket.destroy()
})

test('a reader that stops reading is cut, the others hear everything, and it can come back', async t => {
  const lockstep = stepByStep()
  const { url, port } = await startGateway(t, {
    provider: scriptedProvider([lockstep.reply]),
    pace: { heartbeatMs: 15_000, stuckMs: 2000 },
  })
  const client = clientOf(url)
  const session = await client.open()
  const healthy = await client.follow(session)
  const paused = await Promise.all(Array.from({ length: 8 }, () => pausedReader(port, session)))
  await client.untilStreams(9)

  const before = memoryInUse()
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Go on and on' } })
  const frames = await lockstep.readAll(healthy)
  const grown = memoryInUse() - before
  assert.equal(textOf(frames), PIECE.repeat(PIECES))
  const all = paused.length * PIECES * PIECE.length
  assert.ok(grown < all, `${grown} bytes more for readers that had ${all} coming`)

  await client.untilStreams(1)
  const [one] = paused
  assert.ok(one)
  one.socket.resume()
  const got = await one.closed
  assert.ok(got.length < PIECES * PIECE.length, 'it was cut before the end')
  const last = Number(
    got
      .match(/^id: (\d+)$/gm)
      ?.at(-1)
      ?.slice(4) ?? 0,
  )
  assert.equal(last, 3)

  const back = await client.follow(session, { 'last-event-id': String(last) })
  const rest = await back.until(isEvent('turn.ended'))
  assert.deepEqual(idsOf(rest), [4, 5])
  assert.equal(rest[0]?.data.parts[0].text, PIECE.repeat(PIECES))
  for (const { socket } of paused) socket.destroy()
  await Promise.all([back.hangUp(), healthy.hangUp()])
})

test('a reader that reads on too late is told so, and where to go on', async t => {
  const lockstep = stepByStep()
  const { url, port } = await startGateway(t, { provider: scriptedProvider([lockstep.reply]) })
  const client = clientOf(url)
  const session = await client.open()
  const healthy = await client.follow(session)
  const late = await pausedReader(port, session)
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Go on and on' } })
  await lockstep.readAll(healthy)
  late.socket.resume()
  const text = await late.until(/event: fault\ndata: .*\n\n/)
  const [, data] = /event: fault\ndata: (.*)\n\n/.exec(text) ?? []
  assert.deepEqual(JSON.parse(data ?? ''), {
    kind: 'overloaded',
    message: 'this reader is too slow; reconnect to go on',
    retryable: true,
  })
  assert.ok(!text.includes('event: turn.ended'))
  late.socket.destroy()
  await healthy.hangUp()
})

/** A reply in big pieces, each spoken when the one before was read: as fast as a reader, whatever the machine. */
function stepByStep(): {
  readonly reply: () => AsyncGenerator<{ type: 'think'; text: string } | { type: 'done' }>
  readonly readAll: (reader: { next: () => Promise<Frame | undefined> }) => Promise<Frame[]>
} {
  const steps = Array.from({ length: PIECES }, () => Promise.withResolvers<void>())
  return {
    // Thinking, because nobody counts its tokens.
    reply: async function* () {
      for (const step of steps) {
        yield { type: 'think', text: PIECE }
        await step.promise
      }
      yield { type: 'done' }
    },
    readAll: async reader => {
      const frames: Frame[] = []
      let heard = 0
      for (let frame = await reader.next(); frame !== undefined; frame = await reader.next()) {
        frames.push(frame)
        if (frame.event === 'delta') steps[heard++]?.resolve()
        if (frame.event === 'turn.ended') return frames
      }
      assert.fail('the stream ended')
    },
  }
}

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()

function memoryInUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function pausedReader(port: number, session: string): Promise<Line> {
  const line = dial(port)
  line.socket.write(head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream'))
  await line.until(/\r\n\r\n/)
  line.socket.pause()
  return line
}

const textOf = (frames: readonly Frame[]): string =>
  frames
    .filter(isEvent('delta'))
    .map(frame => frame.data.text)
    .join('')
