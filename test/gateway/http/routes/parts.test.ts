// The contract's files and images: what is taken, what is refused and by which path, how large it may be, and that it goes for good.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { says, scriptedProvider } from '../../../../src/testing/index.ts'
import { occurrences } from '../../../log/files.ts'
import { IMAGE, PAPER, PDF, PNG } from '../../../support/files.ts'
import { startGateway } from '../../../support/gateway.ts'
import { startWorkspace } from '../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../client.ts'
import { isEvent, readFrames } from '../frames.ts'
import { exchange, head } from '../raw.ts'

const MIB = 1 << 20
const photo = { type: 'image', name: 'photo.png', mediaType: 'image/png', data: PNG }
const paper = { type: 'file', name: 'paper.pdf', mediaType: 'application/pdf', data: PDF }
const textFile = (text: string, name = 'notes.md'): Json => ({
  type: 'file',
  name,
  mediaType: 'text/markdown',
  data: Buffer.from(text).toString('base64'),
})

/** A picture of so many bytes, in base64: a header and then nothing of meaning. */
const picture = (bytes: number, fill = 7): string =>
  Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(bytes, fill)]).toString('base64')

const post = (client: Client, session: string, body: object, headers = {}): Promise<Json> =>
  client.json(202, 'POST', `${session}/messages`, { body, headers })

async function ended(client: Client, session: string): Promise<void> {
  await (await client.follow(session)).until(isEvent('turn.ended'))
}

test('a message brings files: they are shown by name and size, answered, and found on the receipt', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([says('Seen.'), says('Again.')]) })).url)
  const session = await client.open()
  const body = { text: 'What are these?', parts: [photo, textFile('# Oslo\n'), paper] }
  const response = await client.ask('POST', `${session}/messages`, { body, headers: { accept: 'text/event-stream' } })
  const frames = await readFrames(response).rest()
  const parts = [IMAGE, { type: 'text', name: 'notes.md', mediaType: 'text/markdown', text: '# Oslo\n' }, PAPER]
  assert.deepEqual(frames[0]?.data.parts, parts)
  assert.deepEqual(Object.keys(frames[0]?.data), ['text', 'parts', 'from', 'session', 'seq', 'at'])
  assert.equal(frames.at(-1)?.data.reason, 'done')
  const [message] = await client.events(session)
  assert.deepEqual(message.parts, parts)

  const taken = await post(client, session, { text: '', parts: [photo] })
  assert.equal(taken.seq, 6)
  assert.equal((await client.json(200, 'GET', session)).preview, 'What are these?')
})

test('a message with files only, or with a list of none, is what it looks like', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await post(client, session, { text: '', parts: [photo] })
  await ended(client, session)
  assert.equal((await client.json(200, 'GET', session)).preview, '[Image photo.png]')
  const other = await client.open()
  await post(client, other, { text: 'Hello', parts: [] })
  assert.equal('parts' in (await client.events(other))[0], false)
  const problem = await client.problem(400, 'invalid', 'POST', `${other}/messages`, { body: { text: ' ', parts: [] } })
  assert.equal(problem.detail, 'text: must not be empty')
})

test('whatever is wrong with a file is named by its path, and nothing is kept', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ['none', /^parts: .*expected array/],
    [[photo, null], /^parts\.1: .*expected object/],
    [[{ ...photo, type: 'video' }], /^parts\.0\.type: /],
    [[{ ...photo, more: 1 }], /^parts\.0: Unrecognized key: "more"/],
    [[{ type: 'image', name: 'a', mediaType: 'image/png' }], /^parts\.0\.data: /],
    [[photo, { ...photo, name: 'a\nb' }], /^parts\.1\.name: /],
    [[{ ...photo, data: `${PNG}\n` }], /^parts\.0\.data: is not base64/],
    [[{ ...photo, data: PDF }], /^parts\.0: the bytes are not image\/png$/],
    [[photo, { ...photo, mediaType: 'image/webp' }], /^parts\.1: the bytes are not image\/webp but image\/png$/],
    [[{ ...paper, data: PNG }], /^parts\.0: the bytes are not application\/pdf$/],
    [
      [{ ...paper, mediaType: 'application/zip' }],
      /^parts\.0\.mediaType: "application\/zip" cannot be sent; images .*PDF .*text files/,
    ],
    [[{ ...textFile(''), data: '//4=' }], /^parts\.0: the bytes are not text in UTF-8$/],
    [[textFile('a\0b')], /^parts\.0: the bytes are not text$/],
    [Array.from({ length: 21 }, () => photo), /^parts: /],
  ]
  for (const [parts, detail] of wrong) {
    const problem = await client.problem(400, 'invalid', 'POST', `${session}/messages`, { body: { text: 'Hello', parts } })
    assert.match(problem.detail, detail)
  }
  assert.deepEqual(await client.events(session), [])
})

test('without files a message may have one MiB, with files twenty-four', async t => {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const path = `${session}/messages`
  const padded = (body: object, size: number): string => {
    const text = JSON.stringify(body)
    return text + ' '.repeat(size - text.length)
  }
  await client.json(202, 'POST', path, { body: padded({ text: 'Hello' }, MIB) })
  for (const body of [{ text: 'Hello' }, { text: 'Hello', parts: [] }, { text: 'Hello', parts: 'many' }, []])
    await client.problem(413, 'too-large', 'POST', path, { body: padded(body, MIB + 1) })
  await client.problem(413, 'too-large', 'POST', path, { body: '['.repeat(MIB + 1) })
  await client.json(202, 'POST', path, { body: padded({ text: 'Hello', parts: [photo] }, MIB + 1) })
  await client.json(202, 'POST', path, {
    body: padded({ text: 'Hello', parts: [{ ...photo, data: picture(17 * MIB) }] }, 24 * MIB),
  })
  await client.problem(413, 'too-large', 'POST', path, { body: padded({ text: 'Hello', parts: [photo] }, 24 * MIB + 1) })
  const length = `Content-Length: ${24 * MIB + 1}`
  const answer = await exchange(port, head(`POST ${path}`, 'Host: localhost', 'Content-Type: application/json', length))
  assert.equal(answer.status, 413)
  // Nowhere else.
  await client.problem(413, 'too-large', 'POST', `${session}/context`, {
    body: padded({ text: 'Hello', parts: [photo] }, MIB + 1),
  })
})

test('a very long text file is taken quickly; what is too long for the model is said by its turn', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const parts = [textFile('All work and no play.\n'.repeat(400_000)), textFile('x'.repeat(4 * MIB))]
  const started = performance.now()
  await post(client, session, { text: 'Read this.', parts })
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`)
  await ended(client, session)
  const events = await client.events(session)
  assert.deepEqual(events.at(-1).fault.kind, 'too-long')
})

test('the same key with the same files is the same message; other files are a conflict', async t => {
  const provider = scriptedProvider([says('Once.')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  const headers = { 'idempotency-key': 'k' }
  const body = { text: 'What is this?', parts: [photo, textFile('# Oslo\n')] }
  const first = await post(client, session, body, headers)
  assert.deepEqual(await post(client, session, body, headers), first)
  const others = [
    [],
    [photo],
    [textFile('# Oslo\n'), photo],
    [photo, textFile('# Bergen\n')],
    [{ ...photo, name: 'other.png' }, textFile('# Oslo\n')],
    [{ ...photo, data: picture(1) }, textFile('# Oslo\n')],
  ]
  for (const parts of others) {
    const again = { body: { text: body.text, parts }, headers }
    const problem = await client.problem(409, 'conflict', 'POST', `${session}/messages`, again)
    assert.equal(problem.detail, 'this Idempotency-Key was used with other files; use a new key')
  }
  await client.problem(409, 'conflict', 'POST', `${session}/messages`, { body: { ...body, text: 'Other' }, headers })
  await ended(client, session)
  assert.deepEqual(await post(client, session, body, headers), first)
  assert.equal(provider.requests.length, 1)
})

test('what was sent is shown without the bytes of its files', async t => {
  const { url } = await startWorkspace(t, { 'turnwise.json': {} })
  const client = clientOf(url)
  const session = await client.open()
  const data = picture(500)
  const { turns } = await post(client, session, { text: 'What is this?', parts: [{ ...photo, data }] })
  await ended(client, session)
  const sent = await client.json(200, 'GET', `${session}/turns/${turns[0]}/context`)
  assert.equal(sent.verified, true)
  const dry = await client.json(200, 'POST', `${session}/context`, {
    body: { text: 'And?', model: 'anthropic/claude-sonnet-4-5' },
  })
  const [image] = dry.request.body.messages[0].content
  assert.equal(image.source.data, `…${data.length} characters of photo.png…`)
  assert.ok(!JSON.stringify(dry).includes(data.slice(0, 300)))
})

test('files that two sessions share are kept once, and go for good with the last of them', async t => {
  const { url, home } = await startWorkspace(t, {})
  const client = clientOf(url)
  const [one, two] = [await client.open(), await client.open()]
  const data = picture(30_000, 0xa5)
  const needles = [data.slice(200, 400), 'xylocanary']
  for (const session of [one, two]) {
    await post(client, session, { text: 'Keep.', parts: [{ ...photo, data }, textFile('about the xylocanary', 'bird.md')] })
    await ended(client, session)
  }
  const found = (needle: string): number =>
    Object.values(occurrences(join(home, 'turnwise.db'), needle)).reduce((sum, count) => sum + count, 0)
  const gone = async (needle: string): Promise<void> => {
    for (let tries = 0; found(needle) > 0; tries += 1) {
      assert.ok(tries < 100, `${needle.slice(0, 20)} is still there`)
      await pause(100)
    }
  }
  assert.ok(needles.every(needle => found(needle) > 0))
  assert.equal((await client.ask('DELETE', one)).status, 204)
  const { items } = await client.json(200, 'GET', '/api/sessions?query=xylocanary')
  assert.deepEqual(
    items.map(({ id }: Json) => `/api/sessions/${id}`),
    [two],
  )
  assert.ok(
    needles.every(needle => found(needle) > 0),
    'the other session still has them',
  )
  assert.equal((await client.ask('DELETE', two)).status, 204)
  for (const needle of needles) await gone(needle)
})
