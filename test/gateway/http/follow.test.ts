// The contract's §5 and faults 39 to 42: what a reader pieces together is what the log holds, however often it was cut off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { demoProvider } from '../../../src/index.ts'
import { type ScriptedReply, says, scriptedProvider } from '../../../src/testing/index.ts'
import { startGateway } from '../../support/gateway.ts'
import { tries } from '../../support/tries.ts'
import { type Client, clientOf, type Json } from './client.ts'
import { type Frame, type FrameReader, idsOf, isEvent, readFrames } from './frames.ts'
import { dial, head } from './raw.ts'

test('events are read in pages that neither lose nor repeat one', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'One', 'Two', 'Three')
  const all = await client.events(session)
  assert.equal(all.length, 15)
  for (const limit of [1, 4, 5, 15, 16]) {
    const paged: Json[] = []
    for (let after: number | null = 0; after !== null; ) {
      const page: Json = await client.json(200, 'GET', `${session}/events?after=${after}&limit=${limit}`)
      assert.ok(page.items.length <= limit)
      paged.push(...page.items)
      after = page.next
    }
    assert.deepEqual(paged, all)
  }
  assert.deepEqual(await client.json(200, 'GET', `${session}/events?after=15`), { items: [], next: null })
  assert.deepEqual(await client.json(200, 'GET', `${session}/events?after=999`), { items: [], next: null })
  const { items } = await client.json(200, 'GET', `${session}/events?after=10`)
  assert.deepEqual(items, all.slice(10))
  for (const event of all) {
    assert.equal(typeof event.type, 'string')
    assert.match(event.at, /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.ok(session.endsWith(event.session))
    assert.equal(event.tokens, undefined)
  }
})

test('the frames of a stream say what the listing says', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'One', 'think about tides')
  const reader = await client.follow(session)
  const frames = await reader.until(frame => frame.id === 10)
  await reader.hangUp()
  assert.deepEqual(
    frames.map(({ id, event, data }) => ({ id, type: event, ...data })),
    (await client.events(session)).map(event => ({ id: event.seq, ...event })),
  )
})

test('a reader goes on after the last event it has seen, by header or else by query', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'One', 'Two')
  const first = async (headers: Record<string, string>, query = ''): Promise<Frame | undefined> => {
    const response = await client.ask('GET', `${session}/events${query}`, {
      headers: { accept: 'text/event-stream', ...headers },
    })
    const reader = readFrames(response)
    const frame = await reader.next()
    await reader.hangUp()
    return frame
  }
  assert.equal((await first({}))?.id, 1)
  assert.equal((await first({ 'last-event-id': '0' }))?.id, 1)
  assert.equal((await first({ 'last-event-id': '4' }))?.id, 5)
  assert.equal((await first({}, '?after=4'))?.id, 5)
  assert.equal((await first({ 'last-event-id': '6' }, '?after=2'))?.id, 7)
})

test('a cursor at the end waits for what comes next', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'One')
  const reader = await client.follow(session, { 'last-event-id': '5' })
  await client.talk(session, 'Two')
  const frames = await reader.until(isEvent('turn.ended'))
  assert.deepEqual(idsOf(frames), [6, 7, 8, 9, 10])
  await reader.hangUp()
})

test('a cursor beyond the end is reset, and everything follows from the beginning', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'One')
  for (const cursor of ['6', '999999999999999']) {
    const reader = await client.follow(session, { 'last-event-id': cursor })
    const frames = await reader.until(isEvent('turn.ended'))
    assert.deepEqual(frames[0], { event: 'reset', data: { session: session.split('/').at(-1) } })
    assert.deepEqual(idsOf(frames), [1, 2, 3, 4, 5])
    await reader.hangUp()
  }
  const empty = await client.follow(await client.open(), { 'last-event-id': '1' })
  assert.equal((await empty.next())?.event, 'reset')
  await empty.hangUp()
})

test('a cursor that is not a number is refused, as a header and as a query', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  for (const accept of ['text/event-stream', 'application/json']) {
    for (const cursor of ['x', '-1', '1.5', '1e3', '0x1', ' ', '1,2', '9'.repeat(16), 'NaN']) {
      const path = `${session}/events?after=${encodeURIComponent(cursor)}`
      assert.match((await client.problem(400, 'invalid', 'GET', path, { headers: { accept } })).detail, /^after: /)
      if (cursor.trim() === '') continue
      const headers = { accept, 'last-event-id': cursor }
      assert.match((await client.problem(400, 'invalid', 'GET', `${session}/events`, { headers })).detail, /^Last-Event-ID: /)
    }
    for (const limit of ['0', '5001', 'x'])
      await client.problem(400, 'invalid', 'GET', `${session}/events?limit=${limit}`, { headers: { accept } })
  }
})

test('who joins in the middle of a reply hears it from its beginning, once, and then goes on', async t => {
  const [second, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const reply: ScriptedReply = async function* () {
    yield { type: 'think', text: 'Well' }
    yield { type: 'think', text: ', now' }
    yield { type: 'text', text: 'Hello' }
    yield { type: 'text', text: ' wor' }
    await second.promise
    yield { type: 'text', text: 'ld 🌊' }
    await third.promise
    yield { type: 'text', text: '!' }
    yield { type: 'done' }
  }
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([reply]) })).url)
  const session = await client.open()
  const early = await client.say(session, 'Hello')
  await early.until(({ data }) => data.text === ' wor')
  const brief = (frames: readonly Frame[]): unknown[] =>
    frames.map(({ id, event, data: { part, offset, text } }) => id ?? `${event} ${part} ${offset} ${text}`)

  const late = await client.follow(session)
  const joined = await late.until(({ data }) => data.part === 1)
  assert.deepEqual(brief(joined), [1, 2, 3, 'delta 0 0 Well, now', 'delta 1 0 Hello wor'])
  second.resolve()
  assert.deepEqual(brief(await late.until(isEvent('delta'))), ['delta 1 9 ld 🌊'])

  const knowing = await client.follow(session, { 'last-event-id': '3' })
  assert.deepEqual(brief(await knowing.until(({ data }) => data.part === 1)), ['delta 0 0 Well, now', 'delta 1 0 Hello world 🌊'])
  third.resolve()
  for (const reader of [late, knowing]) assert.deepEqual(brief(await reader.until(isEvent('turn.ended'))), ['delta 1 14 !', 4, 5])
  assert.deepEqual(brief(await early.rest()), ['delta 1 9 ld 🌊', 'delta 1 14 !', 4, 5])
  for (const reader of [late, knowing]) await reader.hangUp()

  const after = await client.follow(session)
  const told = await after.until(isEvent('turn.ended'))
  assert.deepEqual(brief(told), [1, 2, 3, 4, 5])
  await after.hangUp()
})

/** What a reader knows: each event once and in order, and within one connection every delta where the last one ended. */
function createNotebook(): { note: (frame: Frame) => void; rejoin: () => void; seen: Frame[]; last: () => number } {
  const seen: Frame[] = []
  let parts = new Map<string, string>()
  const last = (): number => seen.at(-1)?.id ?? 0
  return {
    seen,
    last,
    rejoin: () => {
      parts = new Map()
    },
    note: frame => {
      const { id, event, data } = frame
      if (event === 'delta') {
        const place = `${data.turn} ${data.step} ${data.part}`
        const before = parts.get(place) ?? ''
        assert.equal(data.offset, before.length, 'a delta goes on where the last one ended')
        parts.set(place, before + data.text)
        return
      }
      assert.equal(id, last() + 1, 'each event comes once, in order')
      seen.push(frame)
      if (event !== 'reply.finished') return
      const heard = data.parts.map((_: Json, index: number) => parts.get(`${data.turn} ${data.step} ${index}`))
      // Who joined when the reply was already in the log has heard nothing of it; everyone else has heard all of it.
      if (heard.some((text: string | undefined) => text !== undefined))
        assert.deepEqual(
          heard,
          data.parts.map((part: Json) => part.text),
        )
    },
  }
}

test('however often a reader is cut off, it has every event once and every word where it belongs', async t => {
  const client = clientOf((await startGateway(t, { provider: demoProvider({ delayMs: 1 }) })).url)
  const texts = ['think about the sea', 'say 30 words', 'Hello']
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 25 }), { minLength: 1, maxLength: 12 }), async cuts => {
      const session = await client.open()
      const talking = client.talk(session, ...texts)
      const { note, rejoin, seen, last } = createNotebook()
      const isOver = (): boolean => seen.filter(isEvent('turn.ended')).length === texts.length
      for (let round = 0; !isOver(); round += 1) {
        const reader = await client.follow(session, last() === 0 ? {} : { 'last-event-id': String(last()) })
        rejoin()
        for (let left = cuts[round] ?? Number.POSITIVE_INFINITY; left > 0 && !isOver(); left -= 1) {
          const frame = await reader.next()
          assert.ok(frame)
          note(frame)
        }
        await reader.hangUp()
      }
      await talking
      const stored = await client.events(session)
      assert.deepEqual(
        seen.map(({ event, data }) => ({ type: event, ...data })),
        stored,
      )
      assert.equal(stored.filter(event => event.type === 'reply.finished').length, texts.length)
    }),
    tries(8),
  )
})

test('many readers of many sessions hear their own and nothing else', async t => {
  const client = clientOf((await startGateway(t)).url)
  const sessions = await Promise.all(Array.from({ length: 10 }, () => client.open()))
  const listen = async (session: string): Promise<void> => {
    const readers: FrameReader[] = await Promise.all([client.follow(session), client.follow(session)])
    await client.talk(session, `about ${session}`)
    for (const reader of readers) {
      const frames = await reader.until(isEvent('turn.ended'))
      assert.ok(frames.every(({ data }) => session.endsWith(data.session)))
      assert.equal(frames[0]?.data.text, `about ${session}`)
      await reader.hangUp()
    }
  }
  await Promise.all(sessions.map(listen))
})

test('a silent stream gives a sign of life', async t => {
  const { url, port } = await startGateway(t, { pace: { heartbeatMs: 20, stuckMs: 30_000 } })
  const client: Client = clientOf(url)
  const session = await client.open()
  const line = dial(port)
  line.socket.write(head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream'))
  await line.until(/(\r\n4\r\n: \n\n\r\n){3}$|(4\r\n: \n\n\r\n){3}/)
  line.socket.destroy()

  const reader = await client.follow(session)
  while (reader.comments() === 0) {
    await client.talk(session, 'Hello')
    await reader.until(isEvent('turn.ended'))
  }
  await reader.hangUp()
})

test('a stream of a session without anything to say answers at once', async t => {
  const { url, port } = await startGateway(t, { provider: scriptedProvider([says('Hello')]) })
  const session = await clientOf(url).open()
  const line = dial(port)
  line.socket.write(head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream'))
  const answer = await line.until(/\r\n\r\n/)
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
  for (const header of ['content-type: text/event-stream; charset=utf-8', 'cache-control: no-store', 'x-accel-buffering: no'])
    assert.ok(answer.includes(`\r\n${header}\r\n`), header)
  line.socket.destroy()
})
