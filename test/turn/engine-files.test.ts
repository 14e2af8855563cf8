// Files from the message that brought them to the bytes on the wire, and back again by verify.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, type InboundPart, type Log, memoryLog, weigh } from '../../src/index.ts'
import { fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Encoded, Provider, Wire } from '../../src/model/provider.ts'
import { err, ok } from '../../src/model/result.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { textProtocol } from '../../src/provider/text-protocol/encode.ts'
import { hash } from '../../src/turn/step/measure.ts'
import { ask, engineWith, isEvent, last, openSession, until } from '../support/engine.ts'
import { IMAGE, PAPER, PDF, PNG } from '../support/files.ts'
import { anthropicRefuses, ollamaRefuses, openaiChatRefuses } from '../support/validate-wire.ts'

const photo: InboundPart = { type: 'image', name: 'photo.png', mediaType: 'image/png', data: PNG }
const paper: InboundPart = { type: 'file', name: 'paper.pdf', mediaType: 'application/pdf', data: PDF }
const notes: InboundPart = {
  type: 'file',
  name: 'notes.md',
  mediaType: 'text/markdown',
  data: Buffer.from('# Oslo\n').toString('base64'),
}
const SEES = { demo: { images: true, files: true } }

/** Says one word to everything and remembers what it was sent. */
function provider(wire: Wire): Provider & { readonly requests: Encoded[] } {
  const requests: Encoded[] = []
  return {
    wire,
    requests,
    speak: async function* (request) {
      requests.push(request)
      yield { type: 'text', text: 'Seen.' }
      yield { type: 'done' }
    },
  }
}

async function say(engine: Engine, session: SessionId, text: string, parts: readonly InboundPart[]): Promise<void> {
  const said = await engine.say({ session, text, parts, from: 'person' })
  assert.ok(said.ok, said.ok ? '' : said.fault.message)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.seq > said.value.seq)
}

async function verdicts(engine: Engine, session: SessionId): Promise<string[]> {
  const all: string[] = []
  for await (const { verdict, detail } of engine.verify(session))
    all.push(detail === undefined ? verdict : `${verdict}: ${detail}`)
  return all
}

const WIRES = [
  { wire: anthropicWire, refuses: anthropicRefuses, holds: [PNG, PDF] },
  { wire: openaiChatWire, refuses: openaiChatRefuses(), holds: [PNG, PDF] },
  { wire: ollamaWire, refuses: ollamaRefuses, holds: [PNG] },
  { wire: textProtocol(anthropicWire), refuses: anthropicRefuses, holds: [PNG, PDF] },
  { wire: demoWire, refuses: () => [], holds: [] },
]

for (const { wire, refuses, holds } of WIRES) {
  test(`${wire.name}: files go out with their message, again with the next one, and verify gives every byte back`, async () => {
    const speaker = provider(wire)
    const engine = engineWith({ provider: speaker, models: SEES })
    const session = await openSession(engine)
    await say(engine, session, 'What is this?', [photo, notes, paper])
    await say(engine, session, '', [photo])
    await ask(engine, session, 'And now?')
    assert.equal(speaker.requests.length, 3)
    for (const { body } of speaker.requests) {
      assert.deepEqual(refuses(body), [])
      assert.ok(body.includes('[File notes.md]\\n# Oslo'))
      for (const data of [PNG, PDF]) assert.equal(body.includes(data), holds.includes(data))
    }
    assert.deepEqual(await verdicts(engine, session), ['identical', 'identical', 'identical'])
    await engine.close()
  })
}

test('a model that does not see is told so, and the files weigh nothing', async () => {
  const speaker = provider(anthropicWire)
  const engine = engineWith({ provider: speaker })
  const session = await openSession(engine)
  await say(engine, session, 'What is this?', [photo, paper])
  const [request] = speaker.requests
  assert.ok(request?.body.includes('[Image photo.png is not shown: this model does not see images]'))
  assert.ok(request?.body.includes('[File paper.pdf is not shown: this model does not read PDF files]'))
  const read = await engine.read(session)
  assert.ok(read.ok)
  const { receipt } = last(read.value, 'context.planned')
  assert.ok(receipt.tokens.estimated < 60, `${receipt.tokens.estimated}`)
  assert.equal(receipt.tokens.files, undefined)
  assert.deepEqual(await verdicts(engine, session), ['identical'])
  await engine.close()
})

test('the event names the files and what they cost; the bytes are kept beside it', async () => {
  const engine = engineWith({ provider: provider(anthropicWire), models: SEES })
  const session = await openSession(engine)
  await say(engine, session, 'What is this?', [photo, notes, paper])
  const read = await engine.read(session)
  assert.ok(read.ok)
  const message = last(read.value, 'message.received')
  assert.deepEqual(message.parts, [
    IMAGE,
    { type: 'text', name: 'notes.md', mediaType: 'text/markdown', text: '# Oslo\n' },
    PAPER,
  ])
  assert.ok(message.tokens > IMAGE.tokens + PAPER.tokens)
  const { receipt } = last(read.value, 'context.planned')
  assert.equal(receipt.tokens.files, IMAGE.tokens + PAPER.tokens)
  assert.equal(receipt.in.find(line => line.reason === 'current.message')?.tokens, message.tokens + 4)
  await engine.close()
})

test('what was sent is shown without the bytes of its files, and verified with them; whoever wants them gets them', async () => {
  const speaker = provider(openaiChatWire)
  const engine = engineWith({ provider: speaker, models: SEES })
  const session = await openSession(engine)
  await say(engine, session, 'What is this?', [photo, paper])
  const read = await engine.read(session)
  assert.ok(read.ok)
  const { turn, receipt } = last(read.value, 'context.planned')
  const sent = await engine.asSent(session, turn)
  assert.ok(sent.ok)
  assert.equal(sent.value.verified, true)
  const shown = JSON.stringify(sent.value.request?.body)
  assert.ok(shown.includes(`"file_data":"data:application/pdf;base64,…${PDF.length} characters of paper.pdf…"`), shown)
  assert.ok(shown.includes(PNG), 'what is short is shown as it is')
  const whole = await engine.asSent(session, turn, undefined, { whole: true })
  assert.ok(whole.ok)
  assert.equal(JSON.stringify(whole.value.request?.body), speaker.requests[0]?.body)
  assert.equal(hash(JSON.stringify(whole.value.request?.body)), receipt.digest)

  const dry = await engine.wouldSend(session, { text: 'And this?', parts: [paper] })
  assert.ok(dry.ok)
  assert.equal(JSON.stringify(dry.value.request?.body).split('characters of paper.pdf').length, 3)
  const after = await engine.read(session)
  assert.ok(after.ok)
  assert.equal(after.value.length, read.value.length, 'a dry run writes nothing')
  const strange = await engine.wouldSend(session, { text: 'And this?', parts: [{ ...paper, data: PNG }] })
  assert.equal(strange.ok ? '' : strange.fault.message, 'parts.0: the bytes are not application/pdf')
  await engine.close()
})

test('a file that is gone fails the turn by its name, and verify says so', async () => {
  let isGone = false
  const kept = memoryLog({ clock: Date.now, weigh })
  const log: Log = { ...kept, texts: async hashes => (isGone ? withoutImage(await kept.texts(hashes)) : kept.texts(hashes)) }
  const session = await sessionWithPhoto(log)
  isGone = true
  const engine = engineWith({ log, provider: provider(anthropicWire), models: SEES })
  const events = await ask(engine, session, 'Do you still see it?')
  const { reason, fault: trouble } = last(events, 'turn.ended')
  assert.deepEqual([reason, trouble?.kind, trouble?.message], ['failed', 'store', 'the file photo.png is gone'])
  assert.deepEqual(await verdicts(engine, session), ['different: the file photo.png is gone'])
  await engine.close()
})

const withoutImage = (found: Awaited<ReturnType<Log['texts']>>): Awaited<ReturnType<Log['texts']>> =>
  found.ok ? ok(new Map([...found.value].filter(([key]) => key !== IMAGE.hash))) : found

async function sessionWithPhoto(log: Log): Promise<SessionId> {
  const engine = engineWith({ log, provider: provider(anthropicWire), models: SEES })
  const session = await openSession(engine)
  await say(engine, session, 'What is this?', [photo])
  return session
}

test('a store that goes away after the message was taken costs its past, not its picture', async () => {
  const away = err(fault('store', 'the database does not answer'))
  const kept = memoryLog({ clock: Date.now, weigh })
  const log: Log = { ...kept, past: async () => away, texts: async () => away, planned: async () => away }
  const speaker = provider(anthropicWire)
  const engine = engineWith({ log, provider: speaker, models: SEES })
  const session = await openSession(engine)
  await say(engine, session, 'What is this?', [photo])
  assert.ok(speaker.requests[0]?.body.includes(PNG))
  const back = engineWith({ log: kept, models: SEES })
  assert.deepEqual(await verdicts(back, session), ['identical'])
})

test('what a provider counts for files teaches nothing about words, and is no sign that some were cut off', async () => {
  for (const input of [300, 9000]) {
    const log = memoryLog({ clock: Date.now, weigh })
    const counting: Provider = {
      wire: anthropicWire,
      speak: async function* () {
        yield { type: 'text', text: 'Seen.' }
        yield { type: 'usage', usage: { input, output: 1, cacheRead: 0, cacheWrite: 0 } }
        yield { type: 'done' }
      },
    }
    const seen: string[] = []
    const engine = engineWith({ log, models: SEES, provider: counting, observe: ({ type }) => seen.push(type) })
    const session = await openSession(engine)
    await say(engine, session, 'What is this?', [photo, paper])
    const factors = await log.factors()
    assert.deepEqual(factors.ok && [...factors.value], [])
    assert.ok(!seen.includes('truncated'))
    await engine.close()
  }
})

test('text files are found by their words, and any file by its name', async () => {
  const engine = engineWith({ provider: provider(demoWire) })
  const session = await openSession(engine)
  await say(engine, session, '', [photo, notes])
  for (const query of ['oslo', 'notes', 'photo']) {
    const found = await engine.sessions({ query, limit: 5 })
    assert.deepEqual(found.ok && found.value.items.map(({ id, seq }) => [id, seq]), [[session, 1]], query)
  }
  const known = await engine.session(session)
  assert.equal(known.ok && known.value.preview, '[Image photo.png] [File notes.md]')
  await engine.close()
})
