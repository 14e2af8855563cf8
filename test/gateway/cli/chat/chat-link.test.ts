// Whoever answers in a chat: an engine of its own that rests when nobody speaks, and gateways that come and go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGatewayLink } from '../../../../src/gateway/cli/chat/link.ts'
import { findAnsweringEngine } from '../../../../src/gateway/cli/talk/answering-engine.ts'
import { type Serving, serve } from '../../../../src/gateway/serve.ts'
import { openWorkspace } from '../../../../src/gateway/workspace/workspace.ts'
import { cleanEnvironment, tempHome } from '../turnwise.ts'

test('a chat that rests makes room for a gateway, hears what is said there, and answers again when that has gone', async t => {
  const environment = cleanEnvironment(tempHome(t), { TURNWISE_PORT: '0' })
  const workspace = openWorkspace(environment, { create: true })
  assert.ok(workspace.ok)
  const over = new AbortController()
  const first = await findAnsweringEngine(workspace.value, environment, over.signal)
  assert.ok(first.ok && first.value.isAlone)
  const news: string[] = []
  let isIdle = false
  const link = createGatewayLink({
    ...{ workspace: workspace.value, environment, first: first.value, stop: over.signal, restMs: 20 },
    onNews: line => news.push(line.slice(0, 20)),
    isIdle: () => isIdle,
  })
  t.after(async () => {
    over.abort()
    await link.close()
  })
  const session = await link.act(verbs => verbs.open({}))
  assert.ok(session.ok)
  const { id } = session.value

  const heard: string[] = []
  let told: () => void = () => {}
  const following = (async () => {
    for await (const signal of link.follow(id, 0, over.signal)) {
      if (signal.type === 'event' && signal.event.type === 'message.received') heard.push(signal.event.text)
      if (signal.type === 'event' && signal.event.type === 'turn.ended') heard.push(signal.event.reason)
      told()
    }
  })()
  const hears = async (...expected: readonly string[]): Promise<void> => {
    while (heard.length < expected.length)
      await new Promise<void>(resolve => {
        told = resolve
      })
    assert.deepEqual(heard, expected)
  }
  const say = (text: string) =>
    link.act(verbs => verbs.say({ session: id, text, from: 'person', key: text.replaceAll(' ', '-') }))
  assert.ok((await say('alone')).ok)
  await hears('alone', 'done')

  const start = async (): Promise<Serving> => {
    const onBug = assert.ifError
    for (;;) {
      const serving = await serve({ workspace: workspace.value, environment, onBug, onTrouble: () => {} })
      if (serving.ok) return serving.value
      // The chat has not let go of the database yet.
      isIdle = true
      await new Promise(setImmediate)
    }
  }
  const gateway = await start()
  t.after(gateway.stop)
  assert.ok(isIdle, 'as long as it is not idle, no gateway can start')
  const elsewhere = await fetch(`${gateway.url}/api/sessions/${id}/messages`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ text: 'elsewhere' }),
  })
  assert.equal(elsewhere.status, 202)
  await hears('alone', 'done', 'elsewhere', 'done')
  assert.deepEqual(news, ['a gateway is running'])
  assert.ok((await say('through it')).ok)
  await hears('alone', 'done', 'elsewhere', 'done', 'through it', 'done')

  isIdle = false
  await gateway.stop()
  assert.ok((await say('alone again')).ok)
  await hears('alone', 'done', 'elsewhere', 'done', 'through it', 'done', 'alone again', 'done')
  assert.deepEqual(news, ['a gateway is running', 'the gateway went awa', 'no gateway is runnin'])
  over.abort()
  await following
})

test('a chat that waits for another writer says so, and waits no longer than a person wants', { timeout: 60_000 }, async t => {
  const environment = cleanEnvironment(tempHome(t))
  const workspace = openWorkspace(environment, { create: true })
  assert.ok(workspace.ok)
  const stop = new AbortController().signal
  const first = await findAnsweringEngine(workspace.value, environment, stop)
  assert.ok(first.ok)
  const { promise: isWaiting, resolve: onNews } = Promise.withResolvers<string>()
  const link = createGatewayLink({
    ...{ workspace: workspace.value, environment, first: first.value, stop, restMs: 1, onNews },
    isIdle: () => true,
  })
  t.after(link.close)
  assert.equal(link.giveUp(), false)
  // As soon as the chat rests, another command takes the database.
  const other = await findAnsweringEngine(workspace.value, environment, stop)
  assert.ok(other.ok)
  const opening = link.act(verbs => verbs.open({}))
  assert.match(await isWaiting, /^another command holds the database/)
  assert.equal(link.giveUp(), true)
  const given = await opening
  assert.match(given.ok ? '' : given.fault.message, /is in use by another Turnwise process/)
  await other.value.close()
  assert.ok((await link.act(verbs => verbs.open({}))).ok)
})
