// The contract's §6 over HTTP: what was sent, and what would be.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { calls, says, scriptedProvider } from '../../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../../src/tool/toolbox.ts'
import { startGateway } from '../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const CLOCK: PlainTool = {
  spec: { description: 'the time', name: 'clock', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: '12:00' }),
}

const digestOf = (body: unknown): string => `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`

const turnsOf = async (client: Client, session: string): Promise<string[]> =>
  (await client.events(session)).flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))

const saidIn = ({ request }: Json): string[] =>
  request.body.messages.flatMap((message: Json) => message.blocks.map((block: Json) => block.text))

test('what was sent is shown byte for byte, step by step, and proves itself', async t => {
  const provider = scriptedProvider([says('Hello'), calls('clock', {}), says('It is 12:00')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([CLOCK]) })).url)
  const session = await client.open()
  await client.talk(session, 'Hello', 'What time is it?')
  const [first, second] = await turnsOf(client, session)
  const planned = (await client.events(session)).filter(event => event.type === 'context.planned')

  const asked = [`${first}/context`, `${second}/context?step=1`, `${second}/context?step=2`]
  for (const [index, path] of asked.entries()) {
    const sent = await client.json(200, 'GET', `${session}/turns/${path}`)
    assert.deepEqual(Object.keys(sent), ['receipt', 'request', 'verified'])
    assert.equal(sent.verified, true)
    assert.equal(JSON.stringify(sent.request.body), provider.requests[index]?.body)
    assert.equal(sent.request.url, provider.requests[index]?.url)
    assert.equal(sent.receipt.digest, digestOf(sent.request.body))
    assert.deepEqual(sent.receipt, planned[index].receipt)
    assert.match(sent.receipt.id, /^rcp_/)
  }
  const newest = await client.json(200, 'GET', `${session}/turns/${second}/context`)
  assert.equal(newest.receipt.id, planned[2].receipt.id)
})

test('a tool is shown as it was sent, however its description is written down', async t => {
  const spec = { name: 'clock', parameters: { type: 'object', properties: {} }, description: 'the time' }
  const provider = scriptedProvider([says('Hello')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([{ ...CLOCK, spec }]) })).url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const [turn] = await turnsOf(client, session)
  const sent = await client.json(200, 'GET', `${session}/turns/${turn}/context`)
  assert.equal(sent.verified, true)
  assert.equal(JSON.stringify(sent.request.body), provider.requests[0]?.body)
})

test('what the provider counted is on the receipt once the reply is there', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const [turn] = await turnsOf(client, session)
  const events = await client.events(session)
  const { usage } = events.find(event => event.type === 'reply.finished')
  const { receipt } = await client.json(200, 'GET', `${session}/turns/${turn}/context`)
  assert.equal(events.find(event => event.type === 'context.planned').receipt.tokens.reported, null)
  assert.equal(receipt.tokens.reported, usage.input + usage.cacheRead + usage.cacheWrite)
  assert.equal(receipt.tokens.cached, usage.cacheRead)
})

test('a dry run shows what would be sent, keeps nothing, and is what is sent then', async t => {
  const provider = scriptedProvider([says('Hello'), says('Yes')])
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const before = await client.events(session)
  const dry = await client.json(200, 'POST', `${session}/context`, { body: { text: 'Still there?' } })
  assert.deepEqual([dry.receipt.id, dry.verified], [null, true])
  assert.equal(dry.receipt.digest, digestOf(dry.request.body))
  assert.deepEqual(saidIn(dry), ['Hello', 'Hello', 'Still there?'])
  assert.deepEqual(await client.events(session), before)
  assert.equal(provider.requests.length, 1)

  await client.talk(session, 'Still there?')
  assert.equal(JSON.stringify(dry.request.body), provider.requests[1]?.body)
})

test('a dry run takes another policy, and says what that leaves out', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([1, 2, 3, 4].map(n => says(`reply ${n}`))) })).url)
  const session = await client.open()
  await client.talk(session, 'one', 'two', 'three', 'four')
  const full = await client.json(200, 'POST', `${session}/context`, { body: { text: 'five', policy: 'full' } })
  assert.deepEqual(saidIn(full), ['one', 'reply 1', 'two', 'reply 2', 'three', 'reply 3', 'four', 'reply 4', 'five'])
  assert.deepEqual(full.receipt.out, [])
  const recent = await client.json(200, 'POST', `${session}/context`, { body: { text: 'five', policy: 'recent' } })
  assert.equal(recent.receipt.policy, 'recent@1')
  // The last five messages begin with a reply, which may not lead.
  assert.deepEqual(saidIn(recent), ['three', 'reply 3', 'four', 'reply 4', 'five'])
  const left = recent.receipt.out.reduce((sum: number, line: Json) => sum + line.count, 0)
  assert.equal(left, 4)
  assert.ok(recent.receipt.out.every((line: Json) => line.reason === 'out.window'))
})

test('a dry run takes a policy that no setting has, and says at its field why it cannot work', async t => {
  const client = clientOf((await startGateway(t, { provider: scriptedProvider([1, 2, 3].map(n => says(`reply ${n}`))) })).url)
  const session = await client.open()
  await client.talk(session, 'one', 'two', 'three')
  const asked = (policy: object): Json => ({ body: { text: 'four', policy } })
  const under = (policy: object): Promise<Json> => client.json(200, 'POST', `${session}/context`, asked(policy))
  const two = await under({ extends: 'full', window: { kind: 'last', messages: 2 } })
  assert.deepEqual(saidIn(two), ['three', 'reply 3', 'four'])
  const four = await under({
    extends: 'recent',
    window: { kind: 'last', messages: 4 },
    stamps: true,
    budget: { reserve: 77 },
  })
  assert.equal(saidIn(four).length, 5)
  assert.match(saidIn(four)[0] ?? '', /\d\d:\d\d.*two$/s, 'every other field counts, too')
  assert.match(JSON.stringify(four.receipt), /:77[,}]/, 'so does its budget')
  for (const [policy, detail] of [
    [{ extends: 'nowhere' }, /^policy\.extends: there is no "nowhere"; known: steady/],
    [{ window: { kind: 'tokens', low: 9, high: 3 } }, /^policy\.window: low 9 must be less than high 3/],
    [{ window: { kind: 'last' } }, /^policy/],
    [{ widow: {} }, /^policy/],
  ] as const)
    assert.match((await client.problem(400, 'invalid', 'POST', `${session}/context`, asked(policy))).detail, detail)
})

test('a dry run can look at the session as it was', async t => {
  const provider = scriptedProvider(['a', 'b', 'c'].map(reply => says(reply)))
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  await client.talk(session, 'one', 'two', 'three')
  for (const policy of ['full', 'recent']) {
    const at = async (seq: number): Promise<string[]> =>
      saidIn(await client.json(200, 'POST', `${session}/context`, { body: { text: 'now', policy, at: seq } }))
    assert.deepEqual(await at(5), ['one', 'a', 'now'], policy)
    assert.deepEqual(await at(10), ['one', 'a', 'two', 'b', 'now'], policy)
    assert.deepEqual(
      await at(999),
      policy === 'full' ? ['one', 'a', 'two', 'b', 'three', 'c', 'now'] : ['two', 'b', 'three', 'c', 'now'],
      policy,
    )
  }
})

test('as of a message, a dry run is what was sent then', async t => {
  const provider = scriptedProvider(['a', 'b', 'c'].map(reply => says(reply)))
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open()
  await client.talk(session, 'one', 'two', 'three')
  const then = await client.json(200, 'POST', `${session}/context`, { body: { text: 'two', at: 5 } })
  assert.equal(JSON.stringify(then.request.body), provider.requests[1]?.body)
})
