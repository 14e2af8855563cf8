import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { bytesOf, type Fake, type FakeWire, framesOf } from '../../../src/testing/index.ts'
import { type Door, HELLO, hello, withFaults } from './door.ts'
import { type Answer, ask, bodyOfAnswer, connectionEnd } from './plain-client.ts'
import { SCRIPTS } from './scripts.ts'
import { testWith } from './with-fake.ts'

const PINGS: Readonly<Record<string, string>> = {
  anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
  openai: ': ping\n\n',
  openrouter: ': OPENROUTER PROCESSING\n\n',
  ollama: '{"model":"fake","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done":false}\n',
}

/** What goes wrong on the way. */
export function connection({ name, wire, flavour, client }: Door): void {
  const whole = Buffer.from(bytesOf(wire, hello, { flavour }))
  const nth = (ordinal: number): Buffer => Buffer.from(bytesOf(wire, hello, { flavour, ordinal }))
  const ping = PINGS[name] ?? ''

  testWith(`${name}: bytes are cut as the sizes say, wherever that is`, { wire, flavour }, async fake => {
    const sizes = [1, 2, 3, 50]
    const letters = SCRIPTS['letters of every length'] ?? hello
    const script = { ...letters, faults: [{ type: 'chunks', sizes } as const] }
    fake.say(script, script)
    const answer = await ask(fake, { wire })
    await answer.ended
    assert.ok(answer.chunks.length > 40)
    for (const [index, chunk] of answer.chunks.slice(0, -1).entries()) assert.equal(chunk.length, sizes[index % sizes.length])
    assert.deepEqual(answer.bytes(), Buffer.from(bytesOf(wire, letters, { flavour })))
    assert.equal((await client.stream(fake)).text, letters.says?.map(said => (said.type === 'text' ? said.text : '')).join(''))
  })

  testWith(`${name}: a frame at a time, with a pause after each`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'chunks', gapMs: 8 }))
    const answer = await ask(fake, { wire })
    await answer.atLeast(1)
    const began = performance.now()
    await answer.ended
    const frames = framesOf(wire, hello, { flavour })
    assert.deepEqual(answer.chunks.map(String), frames)
    // A timer may be a millisecond early; the first frame came at the beginning, the last pause is after the last.
    assert.ok(performance.now() - began >= (frames.length - 1) * 7)
  })

  testWith(`${name}: pings between slow frames, never inside one`, { wire, flavour }, async fake => {
    const slow = withFaults({ type: 'chunks', gapMs: 6 }, { type: 'pingEvery', ms: 2 })
    fake.say(slow, slow, withFaults({ type: 'chunks', sizes: [40], gapMs: 2 }, { type: 'pingEvery', ms: 1 }))
    const body = await bodyOfAnswer(fake, { wire })
    const frames = framesOf(wire, hello, { flavour })
    const own = frames.filter(frame => frame === ping).length
    assert.equal(body.split(ping).length - 1 - own, 2 * frames.length)
    assert.equal((await client.stream(fake)).text, HELLO)
    assert.equal((await client.stream(fake)).text, HELLO)
  })

  for (const how of ['rst', 'fin', 'end'] as const) {
    testWith(`${name}: the body is cut off, ${how}`, { wire, flavour }, async fake => {
      for (const byte of [0, 1, 150, 151, whole.length - 1]) {
        fake.say(withFaults({ type: 'cutAt', byte, how }), withFaults({ type: 'cutAt', byte, how }))
        const answer = await ask(fake, { wire })
        assert.equal(await answer.ended, how === 'end' ? 'end' : 'ECONNRESET')
        assert.equal(answer.status, 200)
        // After a reset the kernel may throw away what was not read yet.
        if (how === 'rst') assert.ok(answer.bytes().length <= byte)
        else assert.equal(answer.bytes().length, byte)
        assert.deepEqual(answer.bytes(), nth(fake.requests.length).subarray(0, answer.bytes().length))
        assert.equal(await connectionEnd(fake, { wire }), how === 'rst' ? 'ECONNRESET' : 'fin')
      }
    })

    testWith(`${name}: an answer without a stream is cut off, ${how}`, { wire, flavour }, async fake => {
      fake.say(withFaults({ type: 'cutAt', byte: 20, how }))
      const answer = await ask(fake, { wire, stream: false })
      assert.equal(await answer.ended, 'ECONNRESET')
      assert.ok(answer.bytes().length <= 20)
    })
  }

  testWith(`${name}: bytes, then silence on an open connection`, { wire, flavour }, async fake => {
    for (const byte of [0, 1, 200, whole.length]) {
      fake.say(withFaults({ type: 'stallAt', byte }))
      const answer = await ask(fake, { wire })
      await answer.atLeast(byte)
      await isSilent(fake, answer, wire)
      assert.equal(answer.bytes().length, byte)
      answer.hangUp()
      await fake.quiet()
    }
  })

  testWith(`${name}: pings while it stalls`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'stallAt', byte: 900 }, { type: 'pingEvery', ms: 2 }))
    const frames = framesOf(wire, hello, { flavour })
    const fitting = frames.filter((_, index) => frames.slice(0, index + 1).join('').length <= 900).join('')
    const answer = await ask(fake, { wire })
    await answer.atLeast(fitting.length + 5 * ping.length)
    answer.hangUp()
    const body = answer.bytes().toString()
    assert.ok(body.startsWith(fitting))
    assert.equal(body.slice(fitting.length).replaceAll(ping, ''), '')
  })

  testWith(`${name}: everything is said, and the connection stays`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'afterDoneHang' }))
    const answer = await ask(fake, { wire })
    await answer.atLeast(whole.length)
    await isSilent(fake, answer, wire)
    assert.deepEqual(answer.bytes(), whole)
    answer.hangUp()
  })

  testWith(`${name}: an endless text ends with its reader, and others are answered meanwhile`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'endless' }))
    const answer = await ask(fake, { wire })
    await answer.atLeast(200_000)
    assert.equal((await client.stream(fake)).text, 'You said: Weather in Oslo?')
    await fake.quiet(1)
    assert.equal(fake.openSockets(), 1)
    answer.hangUp()
    await fake.quiet()
    assert.doesNotMatch(answer.bytes().toString(), /message_stop|\[DONE\]|"done":true/)
  })

  testWith(`${name}: a little gzip that is very much when unpacked`, { wire, flavour }, async fake => {
    const bytes = 8_000_000
    fake.say(withFaults({ type: 'gzipBomb', bytes }), withFaults({ type: 'gzipBomb', bytes }))
    const answer = await ask(fake, { wire, headers: { 'accept-encoding': 'identity' } })
    assert.equal(await answer.ended, 'end')
    assert.equal(answer.headers['content-encoding'], 'gzip')
    assert.ok(answer.bytes().length < bytes / 100)
    const unpacked = await buffer(createGunzip().end(answer.bytes()))
    assert.ok(unpacked.length >= bytes)
    assert.equal(unpacked.subarray(0, ping.length).toString(), ping)
    const packed = await ask(fake, { wire, stream: false })
    assert.equal(await packed.ended, 'end')
    assert.ok((await buffer(createGunzip().end(packed.bytes()))).length >= bytes)
  })
}

/** Nothing comes while three whole answers do, and the connection is still there. */
async function isSilent(fake: Fake, answer: Answer, wire: FakeWire): Promise<void> {
  const before = answer.bytes().length
  let isOver = false
  answer.ended.then(() => {
    isOver = true
  })
  for (let nth = 1; nth <= 3; nth += 1) await bodyOfAnswer(fake, { wire })
  await fake.quiet(1)
  assert.equal(answer.bytes().length, before)
  assert.equal(isOver, false)
  assert.equal(fake.openSockets(), 1)
}
