// Summaries over HTTP: listed, made now, edited, made anew and removed, with what is wrong said plainly.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '../../../../../src/model/message/delta.ts'
import { says } from '../../../../../src/testing/scripted.ts'
import { stand } from '../../../../support/council.ts'
import { gate } from '../../../../support/engine.ts'
import { answer, folder, folding, numberIn, question, SUMMARY } from '../../../../support/folding.ts'
import { startGateway, type TestGatewayOptions } from '../../../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const house = (): TestGatewayOptions => ({ provider: folder(), policies: [folding()], policy: 'folding' })

/** A session in which three questions were answered. */
async function talked(client: Client, count = 3): Promise<string> {
  const session = await client.open()
  await client.talk(session, ...Array.from({ length: count }, (_, index) => question(index + 1)))
  return session
}

const listed = async (client: Client, session: string): Promise<Json[]> =>
  (await client.json(200, 'GET', `${session}/folds`)).items

const seqsOf = async (client: Client, session: string, type: string): Promise<number[]> =>
  (await client.events(session)).filter(event => event.type === type).map(({ seq }) => seq)

/** Follows a session until a turn has ended. */
async function ended(client: Client, session: string, turn: string): Promise<void> {
  const follower = await client.follow(session)
  await follower.until(frame => frame.event === 'turn.ended' && frame.data.turn === turn)
  await follower.hangUp()
}

test('literal sentences are a summary at once, and the next request begins behind it', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await talked(client)
  assert.deepEqual(await listed(client, session), [])
  const fold = await client.json(201, 'POST', `${session}/folds`, { body: { by: 'extract' } })
  const messages = await seqsOf(client, session, 'message.received')
  assert.deepEqual([fold.from, fold.by, fold.asked, fold.counts], [1, 'extract', true, true])
  assert.ok(fold.to < (messages[2] ?? 0) && fold.to > (messages[1] ?? 0), 'the last exchange stays as it is')
  assert.ok(fold.text.length > 0 && fold.tokens > 0 && fold.folded > fold.tokens)
  assert.deepEqual(await listed(client, session), [fold])

  const { receipt, request } = await client.json(200, 'POST', `${session}/context`, { body: { text: 'And now?' } })
  assert.deepEqual(receipt.window.folds, [fold.seq])
  assert.ok(receipt.seen.folded > 0)
  assert.deepEqual(
    receipt.out.map(({ reason, from, to }: Json) => [reason, from, to]),
    [['out.folded', fold.from, fold.to]],
  )
  assert.match(JSON.stringify(request.body), /Summary of earlier messages/)
})

test('a model writes a summary in a turn of its own, also anew', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await talked(client)
  const { turn } = await client.json(202, 'POST', `${session}/folds`, { body: {} })
  await ended(client, session, turn)
  const [fold] = await listed(client, session)
  assert.deepEqual([fold.turn, fold.by, fold.asked], [turn, 'model', true])
  assert.ok(fold.text.startsWith(SUMMARY))
  const again = await client.json(202, 'PATCH', `${session}/folds/${fold.seq}`, { body: { redo: true } })
  await ended(client, session, again.turn)
  const [first, second] = await listed(client, session)
  assert.deepEqual([first.counts, second.counts, second.replaces], [false, true, fold.seq])
  const literal = await client.json(200, 'PATCH', `${session}/folds/${second.seq}`, { body: { redo: true, by: 'extract' } })
  assert.deepEqual([literal.by, literal.replaces, literal.from, literal.to], ['extract', second.seq, fold.from, fold.to])
  await client.problem(409, 'conflict', 'PATCH', `${session}/folds/${fold.seq}`, { body: { redo: true } })
})

test('a person edits a summary, removes it, and brings it back', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await talked(client)
  const fold = await client.json(201, 'POST', `${session}/folds`, { body: { by: 'extract' } })
  const edited = await client.json(200, 'PATCH', `${session}/folds/${fold.seq}`, { body: { text: '  Two tickets.  ' } })
  assert.deepEqual(
    [edited.text, edited.by, edited.replaces, edited.from, edited.to],
    ['Two tickets.', 'person', fold.seq, fold.from, fold.to],
  )
  assert.equal((await client.ask('DELETE', `${session}/folds/${edited.seq}`)).status, 204)
  assert.deepEqual((await listed(client, session)).filter(({ counts }) => counts).length, 0)
  await client.problem(409, 'conflict', 'DELETE', `${session}/folds/${edited.seq}`)
  const back = await client.json(200, 'PATCH', `${session}/folds/${edited.seq}`, { body: { text: 'Two tickets.' } })
  assert.deepEqual(
    (await listed(client, session)).flatMap(({ seq, counts }) => (counts ? [seq] : [])),
    [back.seq],
  )
})

test('what is no summary, no stretch and no model is refused with its place', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await talked(client)
  const refused = async (body: unknown, status = 400, fault = 'invalid'): Promise<string> =>
    (await client.problem(status, fault, 'POST', `${session}/folds`, { body })).detail
  assert.equal(await refused({ from: 9, to: 3 }), 'to: must not be before from')
  assert.equal(
    await refused({ by: 'extract', model: 'demo' }),
    'model: no model is asked for literal sentences; leave out model, or by',
  )
  for (const body of [{ from: 0 }, { from: 'one' }, { to: 1.5 }, { by: 'me' }, { more: 1 }, { model: '' }]) await refused(body)
  assert.match(await refused({ model: 'nobody/knows' }), /nobody/)
  const last = (await seqsOf(client, session, 'message.received')).at(-1)
  assert.match(await refused({ from: last, by: 'extract' }, 409, 'conflict'), /nothing to summarize/)
  await refused({ from: 100_000, by: 'extract' }, 409, 'conflict')
  assert.deepEqual(await listed(client, session), [])

  const fold = await client.json(201, 'POST', `${session}/folds`, { body: { by: 'extract' } })
  const change = async (body: unknown, status = 400, fault = 'invalid', seq = fold.seq): Promise<string> =>
    (await client.problem(status, fault, 'PATCH', `${session}/folds/${seq}`, { body })).detail
  assert.equal(await change({ text: ' \n' }), 'text: must not be empty; DELETE removes a summary')
  assert.equal(await change({ text: 'x'.repeat(100_001) }), 'text: is too long; at most 100000 characters')
  assert.equal(await change({}), 'body: say either text, or redo: true')
  assert.equal(await change({ text: 'x', redo: true }), 'body: say either text, or redo: true')
  assert.equal(await change({ text: 'x', model: 'demo' }), 'redo: by and model belong to redo: true')
  await change({ redo: false })
  await change({ redo: true, model: 'nobody/knows' })
  await change({ text: 'x' }, 404, 'not-found', 1)
  await change({ text: 'x' }, 404, 'not-found', 100_000)
  await client.problem(400, 'invalid', 'PATCH', `${session}/folds/first`, { body: { text: 'x' } })
  await client.problem(404, 'not-found', 'DELETE', `${session}/folds/1`)

  for (const method of ['GET', 'POST'])
    await client.problem(404, 'not-found', method, '/api/sessions/ses_unknown/folds', method === 'POST' ? { body: {} } : {})
})

test('a stretch is always of whole turns, and never reaches into the one that is running', async t => {
  const wait = gate()
  async function* slowly(): AsyncGenerator<Delta> {
    await wait.passed
    yield* says('Done.')
  }
  const provider = stand(request => (numberIn(request) === 4 ? slowly() : says(answer(numberIn(request)))))
  const client = clientOf((await startGateway(t, { ...house(), provider })).url)
  const session = await talked(client)
  const [first = 0, second = 0, third = 0] = await seqsOf(client, session, 'message.received')
  const asking = client.say(session, question(4))
  const [, , , running] = await untilMessages(client, session, 4)
  const make = (body: object): Promise<Json> => client.json(201, 'POST', `${session}/folds`, { body: { by: 'extract', ...body } })
  const part = await make({ from: first, to: third - 1 })
  assert.deepEqual([part.from, part.to], [first, third - 1])
  const inside = await make({ from: second, to: third + 1 })
  assert.deepEqual([inside.from, inside.to], [second, (running ?? 0) - 1], 'a turn that is named in part is taken whole')
  const all = await make({})
  assert.ok(all.to < (running ?? 0), 'up to before the turn that is running')
  await client.problem(409, 'conflict', 'POST', `${session}/folds`, { body: { by: 'extract', from: running } })
  wait.open()
  await (await asking).rest()
})

/** The seqs of the messages of a session, once there are so many. */
async function untilMessages(client: Client, session: string, count: number): Promise<number[]> {
  const follower = await client.follow(session)
  let seen = 0
  await follower.until(({ event }) => {
    if (event === 'message.received') seen += 1
    return seen === count
  })
  await follower.hangUp()
  return seqsOf(client, session, 'message.received')
}

test('a policy without summaries has none made', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await client.open({ policy: 'recent' })
  await client.talk(session, question(1), question(2))
  const { detail } = await client.problem(409, 'conflict', 'POST', `${session}/folds`, { body: {} })
  assert.match(detail, /"recent" uses no summaries/)
})

test('the stream of a message ends with its own turns, whatever is summarized behind it', async t => {
  const client = clientOf((await startGateway(t, house())).url)
  const session = await client.open()
  let folded = 0
  for (let n = 1; n < 30 && folded === 0; n += 1) {
    const frames = await (await client.say(session, question(n))).rest()
    const events = frames.map(({ event }) => event)
    assert.equal(events.at(-1), 'turn.ended')
    assert.equal(events.filter(event => event === 'turn.started').length, 1)
    assert.ok(!events.includes('history.folded'))
    folded = (await listed(client, session)).length
  }
  assert.ok(folded > 0, 'something was summarized meanwhile')
})
