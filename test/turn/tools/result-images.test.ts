// Images of results: which are kept, how they go out, and what becomes of them where there is little room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, type EngineOptions, type Log, memoryLog, weigh } from '../../../src/index.ts'
import { parseFact } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { Encoded, Provider, Wire } from '../../../src/model/provider.ts'
import { anthropicWire } from '../../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../../src/provider/demo/wire.ts'
import { ollamaWire } from '../../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../../src/provider/openai-chat/encode.ts'
import { textProtocol } from '../../../src/provider/text-protocol/encode.ts'
import { calls, says } from '../../../src/testing/scripted.ts'
import { type PlainTool, type Settlement, type ToolImage, toolbox } from '../../../src/tool/toolbox.ts'
import { keepImages } from '../../../src/turn/tools/result-images.ts'
import { ask, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'
import { PNG, RESULT_IMAGE } from '../../support/files.ts'
import { anthropicRefuses, ollamaRefuses, openaiChatRefuses } from '../../support/validate-wire.ts'

const SEES = { demo: { images: true, files: true } }

/** The picture with another size in its header; each is different from the others. */
function sized(width: number, height: number): string {
  const bytes = Buffer.from(PNG, 'base64')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes.toString('base64')
}

const imageOf = (data: string, name = 'image-1.png', mediaType = 'image/png'): ToolImage => ({ name, mediaType, data })

const shooting = (settlement: Settlement): PlainTool => ({
  spec: { name: 'shot', description: 'Takes a picture', parameters: { type: 'object' } },
  idempotent: true,
  run: async () => settlement,
})
const SHOT: Settlement = { ok: true, outcome: 'done', content: '[image png, 1 KB]', images: [imageOf(PNG)] }

/** Speaks the replies one after the other over any wire, and keeps the requests. */
function speaker(wire: Wire, replies: readonly (readonly Delta[])[]): Provider & { readonly requests: Encoded[] } {
  const requests: Encoded[] = []
  return {
    wire,
    requests,
    speak: async function* (request) {
      requests.push(request)
      yield* replies[requests.length - 1] ?? says('Seen.')
    },
  }
}

const shotIn = (provider: Provider, options: Partial<EngineOptions> = {}, settlement = SHOT): Engine =>
  engineWith({ provider, models: SEES, toolbox: toolbox([shooting(settlement)]), ...options })

async function verdicts(engine: Engine, session: SessionId): Promise<readonly string[]> {
  const all: string[] = []
  for await (const { verdict, detail } of engine.verify(session)) all.push(detail ?? verdict)
  return all
}

const imagesIn = (request: Encoded | undefined): readonly string[] => {
  const { messages } = JSON.parse(request?.body ?? '{"messages":[]}')
  const blocks = messages.flatMap(({ blocks }: { blocks: unknown[] }) => blocks)
  const found = blocks.flatMap((block: { type: string; name?: string; images?: { name: string }[] }) =>
    block.type === 'image' ? [block] : (block.images ?? []),
  )
  return found.map(({ name }: { name: string }) => name)
}

const EMPTY = { ok: true, outcome: 'done' }
const REFUSED: Readonly<Record<string, readonly [ToolImage, RegExp]>> = {
  'an SVG': [imageOf(Buffer.from('<svg/>').toString('base64'), 'a.svg', 'image/svg+xml'), /^only png, jpeg, gif, webp can be$/],
  'another type': [imageOf(PNG, 'a.png', 'image/webp'), /^its bytes are not webp but png$/],
  'no image': [imageOf(Buffer.from('<html>').toString('base64'), 'a.png'), /^its bytes are not png$/],
  'no base64': [imageOf('§§§§', 'a.png'), /^its data is not base64$/],
  'base64 of the other alphabet': [imageOf(`${PNG.slice(0, -4)}_-==`, 'a.png'), /^its data is not base64$/],
  nothing: [imageOf('', 'a.png'), /^its data is not base64$/],
  'a header and garbage': [
    imageOf(Buffer.concat([Buffer.from(PNG, 'base64').subarray(0, 8), Buffer.alloc(99, 7)]).toString('base64'), 'a.png'),
    /^its bytes are damaged$/,
  ],
  'half of a file': [imageOf(Buffer.from(PNG, 'base64').subarray(0, 51).toString('base64'), 'a.png'), /^its bytes are damaged$/],
  'no pixels': [imageOf(sized(0, 9), 'a.png'), /^its bytes are damaged$/],
  'too many pixels': [imageOf(sized(9000, 9), 'a.png'), /^it is larger than 8000 pixels$/],
  'too many bytes': [imageOf('A'.repeat(6_000_000), 'a.png'), /^it has more than 3\.75 MB$/],
}

test('only images that providers take are kept; the content says why another is not', () => {
  for (const [what, [image, why]] of Object.entries(REFUSED)) {
    const { images, texts, content = '' } = keepImages({ ...EMPTY, content: 'before', images: [image, imageOf(PNG, 'b.png')] })
    assert.deepEqual([images.map(({ name }) => name), texts.map(({ text }) => text)], [['b.png'], [PNG]], what)
    const [, reason = ''] = /^before\n\[a\.\w+ is not shown: (.*)\]$/.exec(content) ?? []
    assert.match(reason, why, what)
  }
  assert.deepEqual(keepImages({ ...EMPTY, images: [imageOf(PNG, ' \u0007x]\n[y\ud800 ')] }).images, [
    { ...RESULT_IMAGE, name: 'x y\ufffd' },
  ])
  assert.deepEqual(keepImages(EMPTY), { ...EMPTY, images: [], texts: [] })
})

test('there are at most eight images, and twelve megabytes of them', () => {
  const many = keepImages({ ...EMPTY, images: Array.from({ length: 100 }, (_, index) => imageOf(sized(index + 1, 9))) })
  assert.equal(many.images.length, 8)
  assert.equal(many.content, '[92 more images are not shown: at most 8 go with one result]')
  const bad = keepImages({ ...EMPTY, images: Array.from({ length: 100 }, () => imageOf('!')) })
  assert.equal(bad.content?.split('\n').length, 9)
  const gif = (index: number): string => {
    const bytes = Buffer.alloc(3_700_000, index)
    bytes.write('GIF89a\u0001\u0000\u0001\u0000', 'latin1')
    return bytes.toString('base64')
  }
  const heavy = keepImages({ ...EMPTY, images: [1, 2, 3, 4].map(index => imageOf(gif(index), `${index}.gif`, 'image/gif')) })
  assert.equal(heavy.images.length, 3)
  assert.equal(heavy.content, '[4.gif is not shown: the images of one result have at most 12 MB together]')
})

const WIRES = [
  { wire: anthropicWire, refuses: anthropicRefuses, holds: true },
  { wire: openaiChatWire, refuses: openaiChatRefuses(), holds: true },
  { wire: ollamaWire, refuses: ollamaRefuses, holds: true },
  { wire: textProtocol(anthropicWire), refuses: anthropicRefuses, holds: true },
  { wire: textProtocol(ollamaWire), refuses: ollamaRefuses, holds: true },
  { wire: demoWire, refuses: () => [], holds: false },
]
for (const { wire, refuses, holds } of WIRES)
  for (const policy of ['steady', 'transcript'])
    test(`${wire.name}, ${policy}: an image goes out with its result, and verify gives every byte back`, async () => {
      const provider = speaker(wire, [calls('shot', {})])
      const engine = shotIn(provider)
      const opened = await engine.open({ policy })
      assert.ok(opened.ok)
      const { id } = opened.value
      await ask(engine, id, 'Look.')
      await ask(engine, id, 'And now?')
      assert.equal(provider.requests.length, 3)
      for (const { body } of provider.requests) assert.deepEqual(refuses(body), [])
      // A transcript shows the images of its running cycle; of the past it has the lines.
      const shown = [false, holds, holds && policy === 'steady']
      assert.deepEqual(
        provider.requests.map(({ body }) => body.includes(PNG)),
        shown,
      )
      assert.ok(provider.requests.slice(1).every(({ body }) => body.includes('[image png, 1 KB]')))
      assert.deepEqual(await verdicts(engine, id), ['identical', 'identical', 'identical'])
      const receipts = (await eventsOf(engine, id)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
      const seen = [undefined, RESULT_IMAGE.tokens, policy === 'steady' ? RESULT_IMAGE.tokens : undefined]
      assert.deepEqual(
        receipts.map(({ tokens }) => tokens.files),
        seen,
      )
      await engine.close()
    })

test('the event names the image; the bytes are there with it, once, until the last session that names them is gone', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const engine = shotIn(speaker(demoWire, [calls('shot', {})]), { log })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Look.')
  const settled = last(events, 'tool.settled')
  assert.deepEqual(settled.images, [RESULT_IMAGE])
  assert.equal(settled.tokens, weigh({ ...settled, images: [] }).tokens + RESULT_IMAGE.tokens)
  const file = await engine.file(session, RESULT_IMAGE.hash)
  assert.ok(file.ok && file.value.mediaType === 'image/png')
  assert.equal(Buffer.from(file.value.bytes).toString('base64'), PNG)
  const elsewhere = await engine.file(await openSession(engine), RESULT_IMAGE.hash)
  assert.ok(!elsewhere.ok && elsewhere.fault.kind === 'not-found')

  const dry = await engine.wouldSend(session, { text: 'And now?' })
  assert.ok(dry.ok)
  assert.ok(JSON.stringify(dry.value.request?.body).includes(RESULT_IMAGE.hash))

  const fork = await engine.fork(session, events.length)
  assert.ok(fork.ok)
  assert.ok((await engine.remove(session)).ok)
  assert.ok((await engine.file(fork.value.id, RESULT_IMAGE.hash)).ok)
  assert.deepEqual(await verdicts(engine, fork.value.id), ['identical', 'identical'])
  assert.ok((await engine.remove(fork.value.id)).ok)
  const found = await log.texts([RESULT_IMAGE.hash])
  assert.deepEqual(found.ok && [...found.value], [])
  await engine.close()
})

test('an event never names an image whose bytes are not kept', async () => {
  const kept = memoryLog({ clock: Date.now, weigh })
  const seen: string[] = []
  const log: Log = {
    ...kept,
    append: async (id, facts, options) => {
      const named = facts.flatMap(fact => (fact.type === 'tool.settled' ? (fact.images ?? []) : []))
      const given = new Set((options?.texts ?? []).map(text => text.hash))
      seen.push(...named.map(image => (given.has(image.hash) ? 'with its bytes' : 'without')))
      return kept.append(id, facts, options)
    },
  }
  const engine = shotIn(speaker(demoWire, [calls('shot', {})]), { log })
  await ask(engine, await openSession(engine), 'Look.')
  assert.deepEqual(seen, ['with its bytes'])
  await engine.close()
})

test('a model that does not see is not charged for an image, and reads its line', async () => {
  const provider = speaker(anthropicWire, [calls('shot', {})])
  const engine = shotIn(provider, { models: {} })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Look.')
  const settled = last(events, 'tool.settled')
  const { receipt } = last(events, 'context.planned')
  assert.deepEqual([settled.images?.length, receipt.tokens.files], [1, undefined])
  const cycle = receipt.in.find(({ reason }) => reason === 'current.cycle')
  assert.ok((cycle?.tokens ?? 0) < RESULT_IMAGE.tokens, `${cycle?.tokens}`)
  assert.ok(!provider.requests[1]?.body.includes(PNG))
  assert.deepEqual(await verdicts(engine, session), ['identical', 'identical'])
  await engine.close()
})

test('in a small window images go before words, the last ones first, and the request still fits', async () => {
  const images = [1, 2, 3, 4].map(index => imageOf(sized(1500, 1000 + index), `image-${index}.png`))
  const content = images.map(() => '[image png, 1 KB]').join('\n')
  const shown: (readonly string[])[] = []
  for (const window of [64_000, 16_000, 6000]) {
    const provider = speaker(demoWire, [calls('shot', {})])
    const engine = shotIn(provider, { models: { demo: { images: true, window } } }, { ...SHOT, content, images })
    const session = await openSession(engine)
    const events = await ask(engine, session, 'Look.')
    assert.equal(last(events, 'turn.ended').reason, 'done')
    const { receipt } = last(events, 'context.planned')
    assert.ok(receipt.tokens.estimated <= receipt.tokens.limit)
    const names = imagesIn(provider.requests[1])
    shown.push(names)
    assert.equal(receipt.tokens.files ?? 0, names.length * 1600)
    assert.equal((receipt.window.results ?? []).length, names.length === 4 ? 0 : 1, 'the receipt says that a result is cut')
    assert.deepEqual(receipt.ladder, names.length === 4 ? [] : ['history'])
    assert.ok(provider.requests[1]?.body.includes(JSON.stringify(content).slice(1, -1)), 'the lines stay')
    await ask(engine, session, 'And now?')
    assert.deepEqual(imagesIn(provider.requests[2]), names, 'what is decided stays')
    assert.deepEqual([...new Set(await verdicts(engine, session))], ['identical'])
    await engine.close()
  }
  assert.deepEqual(shown, [['image-1.png', 'image-2.png', 'image-3.png', 'image-4.png'], ['image-1.png'], []])
})

test('a turn that goes on after a restart shows the images of the steps before', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const asked = gate()
  const hanging: Provider = {
    wire: demoWire,
    speak: async function* (request, signal) {
      if (!request.body.includes('"result"')) return yield* calls('shot', {})
      asked.open()
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
      yield { type: 'done' }
    },
  }
  const first = shotIn(hanging, { log })
  const session = await openSession(first)
  assert.ok((await first.say({ session, text: 'Look.', from: 'person' })).ok)
  await asked.passed
  await first.close(0)
  const provider = speaker(demoWire, [])
  const second = shotIn(provider, { log })
  await second.recover()
  await until(second, session, signal => isEvent(signal, 'turn.ended'))
  assert.deepEqual(imagesIn(provider.requests[0]), ['image-1.png'])
  await second.close()
})

test('stored events without images read as ever, and damaged ones say so', () => {
  const { images, ...plain } = {
    turn: 'trn_1',
    call: 'c1',
    tool: 'shot',
    ok: true,
    outcome: 'done',
    ms: 1,
    images: [RESULT_IMAGE],
  }
  assert.deepEqual(parseFact('tool.settled', JSON.stringify(plain)), { ...plain, type: 'tool.settled' })
  assert.deepEqual(parseFact('tool.settled', JSON.stringify({ ...plain, images })), { ...plain, images, type: 'tool.settled' })
  for (const bad of [null, {}, [null], [{ ...RESULT_IMAGE, hash: 7 }], [{ ...RESULT_IMAGE, type: 'file' }]])
    assert.deepEqual(parseFact('tool.settled', JSON.stringify({ ...plain, images: bad })), {
      why: 'an image of the result is damaged',
    })
})
