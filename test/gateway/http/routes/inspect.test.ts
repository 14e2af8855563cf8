// The inspector over HTTP: every item of a request, where a message is, how a session went, and that looking changes nothing.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { presets } from '../../../../src/index.ts'
import { calls, says, scriptedProvider } from '../../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../../src/tool/toolbox.ts'
import { advisor, councilOf, stand } from '../../../support/council.ts'
import { startGateway } from '../../../support/gateway.ts'
import { spawnGateway, temporary } from '../child.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const CLOCK: PlainTool = {
  spec: { description: 'the time', name: 'clock', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: '12:00' }),
}

const plannedIn = async (client: Client, session: string): Promise<Json[]> =>
  (await client.events(session)).filter(event => event.type === 'context.planned')

const sumOf = (items: readonly Json[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0)

test('with items=true a context has every item with its text, and its neighbours of the same voice', async t => {
  const provider = scriptedProvider([says('Hello'), calls('clock', { zone: 'UTC' }), says('It is 12:00')])
  const client = clientOf((await startGateway(t, { provider, toolbox: toolbox([CLOCK]) })).url)
  const session = await client.open()
  await client.talk(session, 'Hello', 'What time is it?')
  const [first, second, third] = (await plannedIn(client, session)).map(({ turn, step }) => ({ turn, step }))
  const path = ({ turn, step }: Json): string => `${session}/turns/${turn}/context?step=${step}&items=true`

  const sent = await client.json(200, 'GET', path(third))
  assert.deepEqual(Object.keys(sent), ['receipt', 'request', 'verified', 'items', 'previous', 'next', 'steps'])
  assert.deepEqual([sent.previous, sent.next, sent.steps], [second, null, 2])
  assert.equal(sumOf(sent.items), sent.receipt.tokens.estimated)
  assert.deepEqual(
    sent.items.map(({ name, kind, role, reason, text }: Json) => [name, kind, role, reason, text]),
    [
      ['tools', 'tools', undefined, 'tools.schema', JSON.stringify([CLOCK.spec])],
      ['message 1', 'message', 'user', 'recent.window', 'Hello'],
      ['message 4', 'message', 'assistant', 'recent.window', 'Hello'],
      ['current 6', 'current', 'user', 'current.message', 'What time is it?'],
      ['current 9', 'current', undefined, 'current.cycle', '→ clock {"zone":"UTC"}\n\n← 12:00'],
    ],
  )
  assert.deepEqual(Object.keys(sent.items[1]), [
    ...['name', 'kind', 'role', 'from', 'to', 'tokens', 'reason', 'hash', 'volatile', 'text'],
  ])

  const start = await client.json(200, 'GET', path(first))
  assert.deepEqual([start.previous, start.next, start.steps], [null, second, 1])
  const plain = await client.json(200, 'GET', `${session}/turns/${first?.turn}/context?items=false`)
  assert.deepEqual(Object.keys(plain), ['receipt', 'request', 'verified'])
  await client.problem(400, 'invalid', 'GET', `${session}/turns/${first?.turn}/context?items=perhaps`)
})

test('what a dry run would cost is what a quote says, and it is compared with the newest request', async t => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }
  const provider = scriptedProvider([says('Hello'), says('Yes')])
  const client = clientOf((await startGateway(t, { provider, models: { demo: { price } } })).url)
  const session = await client.open()
  await client.talk(session, 'Hello')
  const dry = (body: object): Promise<Json> => client.json(200, 'POST', `${session}/context`, { body })
  const once = await dry({ text: 'And?', items: true })
  assert.deepEqual(Object.keys(once), ['receipt', 'request', 'verified', 'cost', 'items'])
  assert.equal(sumOf(once.items), once.receipt.tokens.estimated)
  const quote = await client.json(200, 'POST', `${session}/quote`, { body: { text: 'And?' } })
  const { leastUsd, mostUsd } = quote.total
  assert.deepEqual(once.cost, { leastUsd, mostUsd })
  assert.ok(leastUsd > 0 && mostUsd > leastUsd)

  await client.talk(session, 'A long word about many things, so that the next request begins with it')
  const again = await dry({ text: 'And?' })
  // Everything but the new message was in the request before, or is its answer.
  assert.equal(again.receipt.cache.stableThrough, 6)
  const [, second] = await plannedIn(client, session)
  const then = await dry({ at: second.receipt.inputs.cause })
  assert.deepEqual([then.receipt.digest, then.receipt.cache], [second.receipt.digest, second.receipt.cache])

  assert.equal((await dry({ text: 'And?', model: 'anthropic/claude-test' })).cost, null)
})

test('a budget stands over the policy’s own, and below what the model holds', async t => {
  const provider = scriptedProvider([1, 2, 3].map(n => says(`${n} ${'many words '.repeat(30)}`)))
  const client = clientOf((await startGateway(t, { provider })).url)
  const session = await client.open({ policy: 'full' })
  await client.talk(session, 'one', 'two', 'three')
  const dry = (body: object): Promise<Json> => client.json(200, 'POST', `${session}/context`, { body: { text: 'four', ...body } })
  const whole = (await dry({})).receipt
  const { receipt } = await dry({ budget: 120 })
  assert.deepEqual([receipt.tokens.limit, receipt.ladder, receipt.policy], [120, ['history'], 'full@1'])
  assert.ok(receipt.tokens.estimated <= 120 && receipt.tokens.estimated < whole.tokens.estimated)
  assert.equal((await dry({ budget: 1e9 })).receipt.tokens.limit, whole.tokens.limit)
  const [third] = (await plannedIn(client, session)).slice(-1)
  const at = (await client.json(200, 'POST', `${session}/context`, { body: { at: third.receipt.inputs.cause } })).receipt
  assert.equal(at.digest, third.receipt.digest)
  for (const budget of [0, 1.5, '9']) await client.problem(400, 'invalid', 'POST', `${session}/context`, { body: { budget } })
  await client.problem(422, 'too-long', 'POST', `${session}/context`, { body: { text: 'four', budget: 1 } })
})

test('presence tells of each later request whether it holds a message, and why it left', async t => {
  const tiny = { ...presets.recent, name: 'tiny', window: { kind: 'last', messages: 2 } } as const
  const provider = scriptedProvider(['a', 'b', 'c', 'd'].map(reply => says(reply)))
  const client = clientOf((await startGateway(t, { provider, policies: [tiny] })).url)
  const session = await client.open({ policy: 'tiny' })
  await client.talk(session, 'one', 'two', 'three', 'four')
  const planned = await plannedIn(client, session)
  const all = await client.json(200, 'GET', `${session}/events/1/presence`)
  assert.deepEqual(all, {
    seq: 1,
    items: planned.toReversed().map(({ turn, step, at, receipt }, index) => ({
      ...{ turn, step, voice: receipt.voice, at },
      ...[
        { in: false, reason: 'out.window' },
        { in: false, reason: 'out.window' },
        { in: true, reason: 'recent.window' },
        { in: true, reason: 'current.message' },
      ][index],
    })),
    next: null,
  })
  const page = await client.json(200, 'GET', `${session}/events/1/presence?limit=3`)
  assert.deepEqual([page.items, page.next], [all.items.slice(0, 3), planned[1].seq])
  const rest = await client.json(200, 'GET', `${session}/events/1/presence?limit=3&before=${page.next}`)
  assert.deepEqual([rest.items, rest.next], [all.items.slice(3), null])

  await client.problem(404, 'not-found', 'GET', `${session}/events/999/presence`)
  await client.problem(404, 'not-found', 'GET', `/api/sessions/ses_${'0'.repeat(26)}/events/1/presence`)
  const { detail } = await client.problem(400, 'invalid', 'GET', `${session}/events/2/presence`)
  assert.match(detail, /2 is turn\.started/)
  const zero = await client.problem(400, 'invalid', 'GET', `${session}/events/0/presence`)
  assert.equal(zero.detail, 'seq: must be a whole number from 1')
  for (const wrong of ['x/presence', '1/presence?limit=0', '1/presence?limit=201', '1/presence?before=x'])
    await client.problem(400, 'invalid', 'GET', `${session}/events/${wrong}`)
})

test('a timeline has the numbers of every request, and where the window dropped', async t => {
  const grows = { ...presets.steady, name: 'grows', window: { kind: 'tokens', low: 120, high: 200 } } as const
  const usage = { input: 30, output: 5, cacheRead: 10, cacheWrite: 2, costUsd: 0.25 }
  const replies = Array.from({ length: 8 }, (_, index) => {
    const [text, done] = says(`${index} ${'many words '.repeat(8)}`)
    assert.ok(text !== undefined && done !== undefined)
    return [text, { type: 'usage', usage } as const, done]
  })
  const client = clientOf((await startGateway(t, { provider: scriptedProvider(replies), policies: [grows] })).url)
  const session = await client.open({ policy: 'grows' })
  await client.talk(session, ...replies.map((_, index) => `question ${index} ${'so many words '.repeat(5)}`))
  const planned = await plannedIn(client, session)
  const { items, next } = await client.json(200, 'GET', `${session}/timeline`)
  assert.equal(next, null)
  assert.deepEqual(
    items.map(({ seq, estimated, begins }: Json) => [seq, estimated, begins]),
    planned.map(({ seq, receipt }) => [seq, receipt.tokens.estimated, receipt.window.begins]),
  )
  const { seq, at, turn, receipt } = planned[0]
  assert.deepEqual(items[0], {
    ...{ seq, at, turn, step: 1, voice: 'assistant', model: 'demo', policy: 'grows@1' },
    ...{ estimated: receipt.tokens.estimated, reported: 42, cached: 10, costUsd: 0.25, limit: receipt.tokens.limit },
    ...{ begins: 1, dropped: 0, stableShare: null, brokenBy: null, degraded: null, ladder: [], truncated: null },
  })
  const behind = ({ receipt: { out } }: Json): number => out.reduce((sum: number, { count }: Json) => sum + count, 0)
  assert.deepEqual(
    items.map(({ dropped }: Json) => dropped),
    planned.map((each, index) => behind(each) - (index === 0 ? 0 : behind(planned[index - 1]))),
  )
  assert.ok(items.some(({ dropped }: Json) => dropped > 0) && items.some(({ dropped }: Json) => dropped === 0))
  const page = await client.json(200, 'GET', `${session}/timeline?after=${items[2].seq}&limit=4`)
  assert.deepEqual(page, { items: items.slice(3, 7), next: items[6].seq })
  await client.problem(400, 'invalid', 'GET', `${session}/timeline?limit=1001`)
  await client.problem(404, 'not-found', 'GET', `/api/sessions/ses_${'0'.repeat(26)}/timeline`)
})

test('in a council, a message that is not for a voice cannot be what it would answer', async t => {
  const board = councilOf([advisor('ada'), advisor('bo')])
  const client = clientOf((await startGateway(t, { provider: stand(), councils: () => [board] })).url)
  const session = await client.open({ council: 'board' })
  const said = await client.ask('POST', `${session}/messages`, {
    body: { text: 'Only you', to: ['ada'] },
    headers: { accept: 'text/event-stream' },
  })
  await said.text()
  const path = `${session}/context`
  const dry = await client.json(200, 'POST', path, { body: { at: 1, advisor: 'ada', items: true } })
  assert.equal(dry.items.at(-1).text.endsWith('Only you'), true)
  const { detail } = await client.problem(400, 'invalid', 'POST', path, { body: { at: 1, advisor: 'bo' } })
  assert.equal(detail, 'at: the message at 1 is not for "bo"')
})

test('a walk through every view leaves the database as it was, byte for byte', async t => {
  const child = spawnGateway(t)
  const client = clientOf(await child.listening)
  const session = await client.open()
  await client.talk(session, 'What is the time?', 'And the date?', 'Thank you')
  const file = join(child.home, 'turnwise.db')
  // Else it is indexed for recall two seconds after the start.
  await client.json(200, 'POST', `${session}/reindex`)
  // What a reader finds: the file with its write-ahead file folded in, which the gateway itself does when it has time. It is
  // read by another process than the one that has it open, whose locks a plain reader would take away.
  const look = (): { readonly bytes: string; readonly chores: unknown } => {
    const copy = join(temporary(t), 'copy.db')
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
    const database = new DatabaseSync(copy)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const { sweep: chores } = database.prepare('select sweep from chores').get() ?? {}
    database.close()
    return { bytes: createHash('sha256').update(readFileSync(copy)).digest('hex'), chores }
  }
  // Searching brings the index up to date. After it, only what the new index left behind is still to be cleared away.
  let before = look()
  for (let last = ''; last !== before.bytes || before.chores !== 0; ) {
    last = before.bytes
    await client.json(200, 'GET', '/api/sessions?query=time')
    before = look()
  }

  const events = await client.events(session)
  for (const event of events) {
    if (event.type === 'context.planned') {
      const context = `${session}/turns/${event.turn}/context?step=${event.step}`
      assert.equal((await client.json(200, 'GET', context)).verified, true)
      assert.equal((await client.json(200, 'GET', `${context}&items=true`)).verified, true)
      const { cause } = event.receipt.inputs
      for (const policy of ['steady', 'recent', 'full', 'head-tail', 'transcript'])
        await client.json(200, 'POST', `${session}/context`, { body: { at: cause, policy, budget: 4000, items: true } })
    }
    if (event.type === 'message.received' || event.type === 'reply.finished') {
      await client.json(200, 'GET', `${session}/events/${event.seq}/presence`)
      const marks = [{ seq: event.seq, mark: 'pin' }]
      await client.json(200, 'POST', `${session}/context`, { body: { text: 'Now?', marks, items: true } })
    }
  }
  await client.json(200, 'GET', `${session}/timeline`)
  await client.json(200, 'POST', `${session}/quote`, { body: { text: 'Now?' } })
  assert.deepEqual(look(), before)
  assert.deepEqual(await client.events(session), events)

  await client.talk(session, 'That is written')
  assert.notEqual(look().bytes, before.bytes)
})
