import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zipSync } from 'fflate'
import { BadFile, type Found, readFile } from '../../src/archive/input/read-file.ts'
import type { Mint } from '../../src/model/ids.ts'
import { fileOf, inPieces, NOW, readAll } from './reading.ts'

const mint: Mint = kind => `${kind}_t` as ReturnType<typeof mint<typeof kind>>

const message = (number: number): string =>
  `${JSON.stringify({ role: number % 2 === 0 ? 'user' : 'assistant', content: `message ${number} ${'word '.repeat(40)}` })}\n`

/** Messages without end, as many as are asked for. */
async function* endless(asked: { pieces: number }): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; asked.pieces += 1) {
    let text = ''
    while (text.length < 64 << 10) {
      text += message(number)
      number += 1
    }
    yield Buffer.from(text)
  }
}

async function failureOf(batches: AsyncIterable<readonly Found[]>): Promise<unknown> {
  try {
    for await (const _ of batches);
  } catch (cause) {
    return cause
  }
  return undefined
}

test('a thread reads what is read without one, and tells how far it is', async () => {
  const bytes = zipSync({ 'conversations.json': fileOf('chatgpt.json'), 'turnwise.json': fileOf('turnwise.json') })
  const reader = readFile(inPieces(bytes, 100), { mint, now: NOW })
  const found: Found[] = []
  for await (const batch of reader.batches) found.push(...batch)
  assert.deepEqual(found, await readAll(bytes))
  const sessions = found.filter(each => each.type === 'session').length
  const messages = found.reduce((sum, each) => sum + (each.type === 'fact' ? each.messages : 0), 0)
  assert.ok(sessions > 2)
  assert.deepEqual(reader.progress(), { bytes: bytes.length, sessions, messages })
})

test('a bad file ends with what is wrong and where, after what came before it', async () => {
  const lines = Array.from({ length: 2000 }, (_, number) => message(number)).join('')
  const reader = readFile(inPieces(Buffer.from(`${lines}{"role":"user","content":7}\n`), 5000), { mint })
  const failure = await failureOf(reader.batches)
  assert.ok(failure instanceof BadFile)
  assert.equal(failure.fault.kind, 'invalid')
  assert.match(failure.fault.message, /^line 2001: is not a message with a role and content: content/)
  assert.ok(reader.progress().messages > 1000)
})

test('nothing is read far ahead of what is taken', async () => {
  const asked = { pieces: 0 }
  const { batches } = readFile(endless(asked), { mint })
  for await (const _ of batches) {
    // Long enough for thousands of messages, if nobody had to take them.
    await failureOf(readFile(inPieces(fileOf('claude.json')), { mint }).batches)
    break
  }
  assert.ok(asked.pieces <= 16, `${asked.pieces} pieces were asked for`)
  const before = asked.pieces
  await failureOf(readFile(inPieces(fileOf('claude.json')), { mint }).batches)
  assert.equal(asked.pieces, before, 'whoever stops taking stops the reading')
})

test('stopping ends it at once, also while it waits for bytes', async () => {
  const abort = new AbortController()
  const silent: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: async () => ({ done: true, value: undefined }) }),
  }
  const { batches } = readFile(silent, { mint, abort: abort.signal })
  const failure = failureOf(batches)
  setImmediate(() => abort.abort())
  const cause = await failure
  assert.ok(cause instanceof BadFile)
  assert.equal(cause.fault.kind, 'cancelled')
  assert.ok((await failureOf(readFile(silent, { mint, abort: abort.signal }).batches)) instanceof BadFile, 'also before it began')
})

test('trouble of the bytes themselves is told as it is', async () => {
  const lost = new Error('the connection was lost')
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(message(0))
    throw lost
  }
  assert.equal(await failureOf(readFile(failing(), { mint }).batches), lost)
})

test('memory does not grow with the file', async () => {
  // Mostly what is left out: what is told takes far longer, and no more memory.
  const filler = `${JSON.stringify({ role: 'system', content: 'x'.repeat(4000) })}\n`.repeat(50)
  const long = async function* (): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < 700; number += 1) yield Buffer.from(filler + message(number))
  }
  const { batches, progress } = readFile(long(), { mint })
  let early = 0
  for await (const _ of batches) if (early === 0 && progress().bytes > 16 << 20) early = process.memoryUsage().rss
  assert.ok(progress().bytes > 130 << 20)
  const grown = process.memoryUsage().rss - early
  assert.ok(grown < 100 << 20, `${grown >> 20} MiB more for more than a hundred`)
})
