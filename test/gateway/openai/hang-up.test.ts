// Whoever hangs up has no more interest: the provider is let go, and what was sent is accounted for all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fault, fault } from '../../../src/model/fault.ts'
import { err, type Result } from '../../../src/model/result.ts'
import type { Script } from '../../../src/testing/index.ts'
import { advisor, councilOf } from '../../support/council.ts'
import { doorWithFake, FAKE, openDoor } from './door.ts'

const ENDLESS: Script = { says: [{ type: 'text', text: 'On and on.' }], faults: [{ type: 'endless' }] }
const SILENT: Script = { faults: [{ type: 'delayHeaders', ms: 60_000 }] }
const ASK = { model: FAKE, messages: [{ role: 'user' as const, content: 'Go' }] }

test('a stream that is hung up lets its provider go', async t => {
  const { openai, fake, http } = await doorWithFake(t, { scripts: [ENDLESS] })
  const { data: stream, response } = await openai.chat.completions.create({ ...ASK, stream: true }).withResponse()
  for await (const chunk of stream) if ((chunk.choices[0]?.delta.content ?? '') !== '') break
  await fake.quiet()
  await http.untilStreams(0)
  const id = response.headers.get('x-turnwise-context')
  assert.equal((await http.json(200, 'GET', `/api/receipts/${id}`)).receipt.model, FAKE)
})

test('so does a whole answer that nobody waits for any more, before its first word', async t => {
  const { openai, fake, http } = await doorWithFake(t, { scripts: [SILENT, SILENT] })
  for (const stream of [false, true]) {
    const gone = new AbortController()
    const asked = openai.chat.completions.create({ ...ASK, stream }, { signal: gone.signal })
    await fake.nextRequest()
    assert.equal(fake.openSockets(), 1)
    gone.abort()
    await assert.rejects(asked)
    await fake.quiet()
    await http.untilStreams(0)
  }
})

test('every advisor of a council is let go', async t => {
  const council = councilOf(
    ['ada', 'bob', 'cyd'].map(id => advisor(id, { model: FAKE })),
    { synthesis: 'brief' },
  )
  const { openai, fake } = await doorWithFake(t, { scripts: [ENDLESS, ENDLESS, ENDLESS], councils: () => [council] })
  const stream = await openai.chat.completions.create({ ...ASK, model: 'council:board', stream: true })
  for (let asked = 0; asked < 3; asked += 1) await fake.nextRequest()
  for await (const chunk of stream) if ((chunk.choices[0]?.delta.content ?? '') !== '') break
  await fake.quiet()
  assert.equal(fake.requests.length, 3)
})

test('a gateway that stops takes no new talk and ends those there are', async t => {
  const { openai, fake, engine } = await doorWithFake(t, { scripts: [ENDLESS] })
  const stream = await openai.chat.completions.create({ ...ASK, stream: true })
  const { promise: spoken, resolve: begin } = Promise.withResolvers<void>()
  const read = (async (): Promise<unknown> => {
    for await (const _ of stream) begin()
    return 'whole'
  })().catch((cause: unknown) => cause)
  await spoken
  await engine.close(100)
  assert.match(String(await read), /the gateway stopped before the answer was whole/)
  await fake.quiet()
  await assert.rejects(openai.chat.completions.create(ASK), /the gateway is stopping/)
})

test('a store that is away costs no answer, and has the receipt when it is back', async t => {
  const away: Result<null, Fault> = err(fault('store', 'away'))
  let tries = 0
  const { openai, http } = await openDoor(t, {
    inMemory: false,
    storing: log => ({
      ...log,
      account: async (receipt, reply) => {
        tries += 1
        return tries <= 2 ? away : log.account(receipt, reply)
      },
    }),
  })
  const { data, response } = await openai.chat.completions.create({ ...ASK, model: 'demo' }).withResponse()
  assert.equal(data.choices[0]?.finish_reason, 'stop')
  const path = `/api/receipts/${response.headers.get('x-turnwise-context')}`
  for (let isKept = false; !isKept; ) {
    const kept = await http.ask('GET', path)
    isKept =
      kept.ok && ((await kept.json()) as { receipt: { tokens: { reported: number | null } } }).receipt.tokens.reported !== null
  }
  assert.equal((await http.json(200, 'GET', '/api/usage')).total.requests, 1)
})
