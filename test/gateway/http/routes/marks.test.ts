// The contract's POST …/marks: what a person pins or keeps out, from the next turn on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calls, says, scriptedProvider } from '../../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../../src/tool/toolbox.ts'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const replies = (count: number): ReturnType<typeof says>[] =>
  Array.from({ length: count }, (_, index) => says(`reply ${index + 1}`))

const mark = (client: Client, session: string, seq: number, to: string | null): Promise<Json> =>
  client.json(200, 'POST', `${session}/marks`, { body: { seq, mark: to } })

/** The seq of the message or answer with this text. */
async function seqOf(client: Client, session: string, text: string): Promise<number> {
  const found = (await client.events(session)).find(event => event.text === text || event.parts?.[0]?.text === text)
  return found.seq
}

const saidIn = ({ request }: Json): string[] =>
  request.body.messages.flatMap((message: Json) => message.blocks.map((block: Json) => block.text ?? block.tool ?? block.type))

const would = (client: Client, session: string, more: object = {}): Promise<Json> =>
  client.json(200, 'POST', `${session}/context`, { body: { text: 'now', ...more } })

/** A line's neighbours may stand between its ends, so the narrowest that holds a seq is its own. */
const lineOf = ({ receipt }: Json, seq: number): Json =>
  [...receipt.in, ...receipt.out]
    .filter((line: Json) => line.from <= seq && seq <= line.to)
    .sort((a: Json, b: Json) => a.to - a.from - (b.to - b.from))[0]

test('a pinned message stays in whatever the window leaves out, and one that is excluded is out', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider(replies(6)) })).url)
  const session = await client.open({ policy: 'recent' })
  await client.talk(session, 'one', 'two', 'three', 'four', 'five')
  assert.deepEqual(saidIn(await would(client, session)), ['four', 'reply 4', 'five', 'reply 5', 'now'])

  const [one, five] = [await seqOf(client, session, 'one'), await seqOf(client, session, 'reply 5')]
  assert.deepEqual(await mark(client, session, one, 'pin'), {})
  assert.deepEqual(await mark(client, session, five, 'exclude'), {})
  const marked = await would(client, session)
  assert.ok(saidIn(marked).includes('one'))
  assert.ok(!saidIn(marked).includes('reply 5'))
  assert.equal(lineOf(marked, one).reason, 'pin.person')
  assert.equal(lineOf(marked, five).reason, 'out.excluded')

  await client.talk(session, 'six')
  const turn = (await client.events(session)).findLast(event => event.type === 'turn.started').turn
  const sent = await client.json(200, 'GET', `${session}/turns/${turn}/context`)
  assert.ok(sent.verified && saidIn(sent).includes('one') && !saidIn(sent).includes('reply 5'))

  await mark(client, session, one, null)
  await mark(client, session, five, null)
  assert.ok(!saidIn(await would(client, session)).includes('one'))
  const again = await client.json(200, 'GET', `${session}/turns/${turn}/context`)
  assert.deepEqual(again, sent, 'what was sent is what it was')
  assert.deepEqual(
    (await client.events(session)).flatMap(event => (event.type === 'message.marked' ? [[event.target, event.mark]] : [])),
    [
      [one, 'pin'],
      [five, 'exclude'],
      [one, null],
      [five, null],
    ],
  )
})

test('a dry run finds what a pin would bring back, however far behind the window it lies', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider(replies(31)) })).url)
  const session = await client.open({ policy: 'recent' })
  await client.talk(session, ...Array.from({ length: 30 }, (_, index) => `message ${index + 1}`))
  const pinned = await would(client, session, { marks: [{ seq: 1, mark: 'pin' }] })
  assert.equal(saidIn(pinned).filter(text => text === 'message 1').length, 1)
  assert.equal(lineOf(pinned, 1).reason, 'pin.person')
  await mark(client, session, 1, 'pin')
  assert.deepEqual(saidIn(await would(client, session)), saidIn(pinned), 'as it is then')
})

test('a dry run shows what marks would cost or save, and keeps none', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider(replies(5)) })).url)
  const session = await client.open({ policy: 'recent' })
  await client.talk(session, `a long message ${'indeed '.repeat(50)}`, 'two', 'three', 'four', 'five')
  const before = await client.events(session)
  const plain = await would(client, session)
  const pinned = await would(client, session, { marks: [{ seq: 1, mark: 'pin' }] })
  const five = await seqOf(client, session, 'five')
  const less = await would(client, session, { marks: [{ seq: five, mark: 'exclude' }] })
  const added = pinned.receipt.tokens.estimated - plain.receipt.tokens.estimated
  assert.equal(lineOf(pinned, 1).reason, 'pin.person')
  assert.ok(lineOf(pinned, 1).tokens > 50 && added >= lineOf(pinned, 1).tokens, 'a pin costs what it holds')
  for (const { receipt } of [plain, pinned, less])
    assert.equal(
      receipt.tokens.estimated,
      receipt.in.reduce((sum: number, line: Json) => sum + line.tokens, 0),
    )
  assert.equal(lineOf(less, five).reason, 'out.excluded')
  assert.deepEqual(await client.events(session), before)
  assert.deepEqual((await would(client, session)).receipt.digest, plain.receipt.digest)
  const both = await would(client, session, {
    marks: [
      { seq: 1, mark: 'pin' },
      { seq: 1, mark: null },
    ],
  })
  assert.deepEqual(saidIn(both), saidIn(plain))

  await mark(client, session, 1, 'pin')
  assert.deepEqual(saidIn(await would(client, session)), saidIn(pinned), 'as it was foretold')
})

test('a mark made while a turn runs counts from the next one', async t => {
  const running = Promise.withResolvers<void>()
  const result = Promise.withResolvers<string>()
  const tool: PlainTool = {
    spec: { name: 'clock', description: 'the time', parameters: {} },
    run: async () => {
      running.resolve()
      return { ok: true, outcome: await result.promise }
    },
  }
  const provider = scriptedProvider([says('reply 1'), calls('clock', {}), says('It is 12:00'), says('reply 3')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([tool]) })).url)
  const session = await client.open()
  await client.talk(session, 'a secret')
  const asking = client.say(session, 'What time is it?')
  await running.promise
  await mark(client, session, 1, 'exclude')
  result.resolve('12:00')
  await (await asking).rest()
  await client.talk(session, 'And now?')
  const has = provider.requests.map(({ body }) => body.includes('a secret'))
  assert.deepEqual(has, [true, true, true, false])
  for (const turn of (await client.events(session)).filter(event => event.type === 'turn.started'))
    assert.equal((await client.json(200, 'GET', `${session}/turns/${turn.turn}/context`)).verified, true)
})

test('only a message or an answer can be marked, and only so', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const before = await client.events(session)
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ seq: 2, mark: 'pin' }, /^seq: there is no message at 2; a mark goes on a message or a reply$/],
    [{ seq: 99, mark: 'pin' }, /^seq: there is no message at 99; /],
    [{ seq: 0, mark: 'pin' }, /^seq: /],
    [{ seq: 1.5, mark: 'pin' }, /^seq: /],
    [{ seq: '1', mark: 'pin' }, /^seq: /],
    [{ seq: 1, mark: 'star' }, /^mark: /],
    [{ seq: 1 }, /^mark: /],
    [{ mark: 'pin' }, /^seq: /],
    [{ seq: 1, mark: 'pin', why: 'x' }, /"why"/],
  ]
  for (const [body, detail] of wrong)
    assert.match((await client.problem(400, 'invalid', 'POST', `${session}/marks`, { body })).detail, detail)
  assert.deepEqual(await client.events(session), before)
})

test('a session may have a model of its own, and only one that can be named', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open({ model: 'demo' })
  assert.equal((await client.json(200, 'GET', session)).model, 'demo')
  assert.equal((await client.json(200, 'PATCH', session, { body: { model: null } })).model, null)
  assert.equal((await client.json(200, 'PATCH', session, { body: { model: 'demo' } })).model, 'demo')
  for (const [method, path] of [
    ['POST', '/api/sessions'],
    ['PATCH', session],
    ['POST', `${session}/context`],
  ] as const) {
    const problem = await client.problem(400, 'invalid', method, path, {
      body: { model: 'gpt', ...(path.endsWith('context') ? { text: 'x' } : {}) },
    })
    assert.match(problem.detail, /^model: "gpt" is not a model; write "demo" or provider\/model: /)
  }
  const elsewhere = await client.json(200, 'POST', `${session}/context`, { body: { text: 'x', model: 'anthropic/claude' } })
  assert.equal(elsewhere.receipt.model, 'anthropic/claude')
  await client.problem(400, 'invalid', 'POST', '/api/sessions', { body: { council: 'x' } })
  await client.problem(400, 'invalid', 'POST', `${session}/context`, { body: { text: 'x', agent: 'nobody' } })
  await client.problem(400, 'invalid', 'POST', `${session}/context`, { body: { text: 'x', advisor: 'nobody' } })
})
