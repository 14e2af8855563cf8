// The door of `useChat` clients, with the `ai` package's own transport and its own reader of streams.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import type { Engine } from '../../../src/engine.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { answer, folder, folding, question, SUMMARY } from '../../support/folding.ts'
import { startGateway, type TestGatewayOptions } from '../../support/gateway.ts'
import { type Client, clientOf, type Json } from '../http/client.ts'

type Chat = {
  readonly id: string
  readonly client: Client
  readonly transport: DefaultChatTransport<UIMessage>
  /** Sends a message as `useChat` does by default, and reads the answer as it does. */
  readonly send: (text: string, id?: string) => Promise<UIMessage>
  /** Asks for another answer, as its button to try again does. */
  readonly again: () => Promise<UIMessage>
}

async function start(t: TestContext, options: TestGatewayOptions = {}, wish: object = {}): Promise<Chat> {
  const { url } = await startGateway(t, { inMemory: true, ...options })
  const client = clientOf(url)
  const { id } = await client.json(201, 'POST', '/api/sessions', { body: wish })
  const transport = new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat` })
  let count = 0
  const send = async (text: string, message?: string): Promise<UIMessage> => {
    count += 1
    const messages: UIMessage[] = [{ id: message ?? `m${count}`, role: 'user', parts: [{ type: 'text', text }] }]
    const stream = await transport.sendMessages({
      ...{ chatId: id, messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined },
    })
    return read(stream)
  }
  const again = async (): Promise<UIMessage> =>
    read(
      await transport.sendMessages({
        ...{ chatId: id, messages: [], trigger: 'regenerate-message', messageId: undefined, abortSignal: undefined },
      }),
    )
  return { id, client, transport, send, again }
}

async function read(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
  assert.ok(last !== undefined)
  return last
}

/** Until a turn has ended. */
async function over(engine: Engine, id: SessionId, turn: TurnId | undefined): Promise<void> {
  const { signal } = new AbortController()
  for await (const heard of engine.follow(id, 0, signal))
    if (heard.type === 'event' && heard.event.type === 'turn.ended' && heard.event.turn === turn) return
}

const textsOf = ({ parts }: { readonly parts: UIMessage['parts'] }): readonly string[] =>
  parts.flatMap(part => (part.type === 'text' ? [part.text] : []))

test('a message is answered from the log, whatever the client sends of its past', async t => {
  const provider = scriptedProvider([says('One', ' answer.'), says('Another.')])
  const { send, client, id } = await start(t, { provider })
  const first = await send('hello')
  assert.deepEqual(textsOf(first), ['One answer.'])
  assert.equal(first.role, 'assistant')
  await send('and now?')
  assert.match(provider.requests[1]?.body ?? '', /hello.*One answer\..*and now\?/)
  const { messages } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.deepEqual(
    messages.map(({ id, role }: Json) => [id, role]),
    [
      ['m1', 'user'],
      ['reply-1', 'assistant'],
      ['m2', 'user'],
      [messages[3].id, 'assistant'],
    ],
  )
  // What is told later is what was streamed then.
  assert.deepEqual(messages[1].parts, JSON.parse(JSON.stringify(first.parts)))
  assert.deepEqual(messages[1].metadata, first.metadata)
})

test('the same message twice is said once, and answered with the same words; another under its id is refused', async t => {
  const { send, client, id } = await start(t, { provider: scriptedProvider([says('Once.')]) })
  assert.deepEqual(textsOf(await send('hello', 'same')), ['Once.'])
  assert.deepEqual(textsOf(await send('hello', 'same')), ['Once.'])
  const events = await client.events(`/api/sessions/${id}`)
  assert.equal(events.filter(({ type }) => type === 'message.received').length, 1)
  const message = { id: 'same', role: 'user', parts: [{ type: 'text', text: 'something else' }] }
  await client.problem(409, 'conflict', 'POST', '/api/chat', { body: { id, message } })
})

test('thinking, a call and its result are parts in their steps, and nothing is left for the client to run', async t => {
  const thinks: readonly Delta[] = [
    { type: 'think', text: 'Let me ' },
    { type: 'think', text: 'look.' },
    ...calls('look', { at: 3 }),
  ]
  const tools = toolbox([
    {
      spec: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
      run: async () => ({ ok: true, outcome: 'found', content: 'a cat' }),
    },
  ])
  const { send, client, id } = await start(t, { provider: scriptedProvider([thinks, says('A cat.')]), toolbox: tools })
  const reply = await send('what is there?')
  assert.deepEqual(
    reply.parts.map(({ type }) => type),
    ['step-start', 'reasoning', 'dynamic-tool', 'step-start', 'text'],
  )
  const [, thought, call] = reply.parts as Json[]
  assert.equal(thought.text, 'Let me look.')
  assert.deepEqual(
    [call.toolName, call.state, call.input, call.output, call.providerExecuted],
    ['look', 'output-available', { at: 3 }, 'a cat', true],
  )
  const { messages } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.deepEqual(
    messages[1].parts.map(({ type }: Json) => type),
    ['step-start', 'reasoning', 'dynamic-tool', 'step-start', 'text'],
  )
})

test('advisors speak side by side in one message, each under its name; one that fails leaves the others alone', async t => {
  const provider = stand(({ voice }) =>
    voice === 'c' ? [{ type: 'fault', fault: fault('overloaded', 'too busy') }] : says(`${voice} `, 'says so.'),
  )
  const council = councilOf([advisor('a'), advisor('b'), advisor('c')])
  const { send } = await start(t, { provider, councils: () => [council] }, { council: 'board' })
  const reply = await send('shall we?')
  assert.deepEqual([...textsOf(reply)].sort(), ['## A\n\na says so.', '## B\n\nb says so.'])
  const trouble = reply.parts.filter(({ type }) => type === 'data-fault') as Json[]
  assert.deepEqual(
    trouble.map(({ data }) => [data.voice, data.reason]),
    [['c', 'failed']],
  )
})

test('a reader that comes back hears the whole answer; when nothing is answered there is nothing to hear', async t => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half of it, ' }
    begun.resolve()
    await gate.promise
    yield { type: 'text', text: 'and the rest.' }
    yield { type: 'done' }
  }
  const { transport, id, client } = await start(t, { provider: scriptedProvider([() => slow()]) })
  assert.equal(await transport.reconnectToStream({ chatId: id }), null)
  const hangUp = new AbortController()
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'go' }] }]
  const stream = await transport.sendMessages({
    ...{ chatId: id, messages, trigger: 'submit-message', messageId: undefined, abortSignal: hangUp.signal },
  })
  const heard = read(stream).catch(() => undefined)
  await begun.promise
  hangUp.abort()
  await heard
  const again = await transport.reconnectToStream({ chatId: id })
  assert.ok(again !== null)
  // What is being said is not told twice.
  const { messages: known } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.deepEqual(
    known.map(({ role }: Json) => role),
    ['user'],
  )
  gate.resolve()
  const reply = await read(again)
  assert.deepEqual(textsOf(reply), ['Half of it, and the rest.'])
  assert.equal(reply.id, 'reply-1')
  assert.equal(await transport.reconnectToStream({ chatId: id }), null)
})

test('what failed is an error to the client, and trying again goes on with it', async t => {
  const failing: readonly Delta[] = [{ type: 'fault', fault: fault('rejected', 'not like this') }]
  const { send, transport, id, client } = await start(t, { provider: scriptedProvider([failing, says('Now.')]) })
  await assert.rejects(send('hello'), /not like this/)
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }]
  const wish = { chatId: id, messages, trigger: 'regenerate-message', messageId: undefined, abortSignal: undefined } as const
  assert.deepEqual(textsOf(await read(await transport.sendMessages(wish))), ['Now.'])
  const problem = await client.problem(409, 'conflict', 'POST', '/api/chat', { body: { id, messages, trigger: wish.trigger } })
  assert.match(problem.detail, /fork the session/)
})

test('a message that a running turn hears is answered by that turn, to whoever sent it', async t => {
  const { passed, open } = gate()
  const tools = toolbox([
    {
      spec: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
      run: async () => {
        await passed
        return { ok: true, outcome: 'a cat' }
      },
    },
  ])
  const provider = scriptedProvider([calls('look', {}), says('A cat, and yes.')])
  const { send, client, id } = await start(t, { provider, toolbox: tools })
  const first = send('what is there?')
  const follower = await client.follow(`/api/sessions/${id}`)
  await follower.until(({ event }) => event === 'tool.started')
  const second = send('is it sweet?')
  await follower.until(({ event, data }) => event === 'message.received' && data.text === 'is it sweet?')
  open()
  await follower.hangUp()
  assert.deepEqual((await Promise.all([first, second])).map(textsOf), [['A cat, and yes.'], ['A cat, and yes.']])
})

test('whoever comes back while something is tried again hears that, not how it failed before', async t => {
  const { passed, open } = gate()
  const { passed: begun, open: begin } = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Now' }
    begin()
    await passed
    yield { type: 'text', text: ' it works.' }
    yield { type: 'done' }
  }
  const failing: readonly Delta[] = [{ type: 'fault', fault: fault('rejected', 'not like this') }]
  const { send, transport, id, client } = await start(t, { provider: scriptedProvider([failing, () => slow()]) })
  await assert.rejects(send('hello'), /not like this/)
  await client.json(202, 'POST', `/api/sessions/${id}/resume`, { body: {} })
  await begun
  const again = await transport.reconnectToStream({ chatId: id })
  assert.ok(again !== null)
  open()
  assert.deepEqual(textsOf(await read(again)), ['Now it works.'])
})

test('trying again is about the last message, also where its answer is there at once', async t => {
  const failing: readonly Delta[] = [{ type: 'fault', fault: fault('rejected', 'not like this') }]
  // The turn that is gone on with is over before anybody can look for it.
  const patient = (engine: Engine): Engine => ({
    ...engine,
    resume: async (id, turn) => {
      const turns = await engine.resume(id, turn)
      if (turns.ok) await over(engine, id, turns.value[0])
      return turns
    },
  })
  const provider = scriptedProvider([says('One.'), failing, says('Two.')])
  const { send, again } = await start(t, { provider, instead: patient })
  await send('first')
  await assert.rejects(send('second'), /not like this/)
  const reply = await again()
  assert.deepEqual([reply.id, textsOf(reply)], ['reply-6', ['Two.']])
})

test('what a person stopped is gone on with when it is tried again', async t => {
  const { passed: begun, open: begin } = gate()
  async function* endless(_: unknown, signal: AbortSignal): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'On and ' }
    begin()
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
  }
  const { send, again, id, client } = await start(t, { provider: scriptedProvider([endless, says('on.')]) })
  const stopped = send('go')
  await begun
  await client.json(200, 'POST', `/api/sessions/${id}/cancel`, { body: {} })
  assert.deepEqual(textsOf(await stopped), ['On and '])
  assert.match(textsOf(await again()).join(''), /on\.$/)
})

test('a synthesis is part of its round: it is heard by whoever comes back, and told when it is over', async t => {
  const { passed, open } = gate()
  const { passed: begun, open: begin } = gate()
  async function* slow(): AsyncGenerator<Delta> {
    begin()
    await passed
    yield* says('Both agree.')
  }
  const provider = stand(({ voice }) => (voice.startsWith('house') ? slow() : says(`${voice}.`)))
  const council = { ...councilOf([advisor('a'), advisor('b')]), synthesis: 'brief' as const }
  const { send, transport, id } = await start(t, { provider, councils: () => [council] }, { council: 'board' })
  const first = send('shall we?')
  await begun
  const again = await transport.reconnectToStream({ chatId: id })
  assert.ok(again !== null)
  open()
  assert.deepEqual(textsOf(await read(again)), textsOf(await first))
})

test('a text that was cut off goes on in its own part', async t => {
  const cut: readonly Delta[] = [
    { type: 'text', text: 'The first half' },
    { type: 'fault', fault: fault('unreachable', 'the line went dead') },
  ]
  const { send } = await start(t, { provider: scriptedProvider([cut, says(' and the second.')]) })
  assert.deepEqual(textsOf(await send('go on')), ['The first half and the second.'])
})

test('files come as data URLs; nothing is fetched', async t => {
  const { client, id } = await start(t, { provider: scriptedProvider([says('Read.')]) })
  const body = (url: string): object => {
    const parts = [
      { type: 'text', text: 'read this' },
      { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url },
    ]
    return { id, message: { id: 'm1', role: 'user', parts } }
  }
  const refused = await client.problem(400, 'invalid', 'POST', '/api/chat', { body: body('http://127.0.0.1:9/a.txt') })
  assert.match(refused.detail, /message\.parts\.1\.url: must be a data: URL/)
  const answered = await client.ask('POST', '/api/chat', { body: body(`data:text/plain;base64,${btoa('the words')}`) })
  assert.match(await answered.text(), /"Read\."/)
  const [message] = await client.events(`/api/sessions/${id}`)
  assert.equal(message.parts[0].text, 'the words')
})

test('what is wrong with a request is said, and an unknown chat is not found', async t => {
  const { client, id } = await start(t)
  const text = { type: 'text', text: 'hi' }
  const unknown = { id: 'ses_unknown', message: { id: 'm', role: 'user', parts: [text] } }
  await client.problem(404, 'not-found', 'POST', '/api/chat', { body: unknown })
  await client.problem(404, 'not-found', 'POST', '/api/chat', { body: { ...unknown, id: 'whatever' } })
  await client.problem(404, 'not-found', 'GET', '/api/chat/ses_unknown/stream')
  await client.problem(404, 'not-found', 'GET', '/api/chat/ses_unknown')
  for (const [body, words] of [
    [{ id }, /message: is missing/],
    [{ id, messages: [] }, /message: is missing/],
    [{ id, messages: [{ id: 'm', role: 'user' }] }, /messages\.0\.parts/],
    [{ id, message: { id: 'm', role: 'assistant', parts: [text] } }, /message\.role/],
    [{ id, message: { id: 'a b', role: 'user', parts: [text] } }, /message\.id/],
    [{ id, message: { id: 'm', role: 'user', parts: [] } }, /no text and no file/],
    // Nothing of a message is dropped in silence.
    [
      { id, message: { id: 'm', role: 'user', parts: [text, { type: 'file', mediaType: 'text/plain' }] } },
      /message\.parts\.1\.url/,
    ],
    [{ id, message: { id: 'm', role: 'user', parts: [text, { type: 'text', text: 7 }] } }, /message\.parts\.1\.text/],
    [{ message: { id: 'm', role: 'user', parts: [text] } }, /id:/],
  ] as const) {
    const { detail } = await client.problem(400, 'invalid', 'POST', '/api/chat', { body })
    assert.match(detail, words)
  }
  assert.deepEqual(await client.events(`/api/sessions/${id}`), [])
})

test('a voice that came from elsewhere and answers alone has no name above its words', async t => {
  const { url } = await startGateway(t)
  const client = clientOf(url)
  const file = {
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hi there.' },
    ],
  }
  const { ids } = await client.json(200, 'POST', '/api/import', { body: file })
  const { messages } = await client.json(200, 'GET', `/api/chat/${ids[0]}`)
  assert.deepEqual(
    messages.map((message: Json) => textsOf(message)),
    [['hello'], ['Hi there.']],
  )
})

test('an answer that was cut at its limit finishes with that reason, and names the turn that can be continued', async t => {
  const cut: readonly Delta[] = [
    { type: 'text', text: 'And so on' },
    { type: 'done', stop: 'length' },
  ]
  const { transport, id, send } = await start(t, { provider: scriptedProvider([cut, says('Whole.')]) })
  const messages: UIMessage[] = [{ id: 'm0', role: 'user', parts: [{ type: 'text', text: 'go' }] }]
  const stream = await transport.sendMessages({
    ...{ chatId: id, messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined },
  })
  const chunks: UIMessageChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const finish = chunks.findLast(chunk => chunk.type === 'finish')
  assert.equal(finish?.finishReason, 'length')
  const metadata = finish?.messageMetadata as { readonly turns: readonly string[]; readonly cutAtLimit: readonly string[] }
  assert.deepEqual(metadata.cutAtLimit, metadata.turns)
  assert.equal(((await send('and?')).metadata as { readonly cutAtLimit?: unknown }).cutAtLimit, undefined)
})

test('an answer that is continued after its limit is one text part, to who comes back meanwhile and afterwards', async t => {
  const { passed, open } = gate()
  const cut: readonly Delta[] = [
    { type: 'text', text: 'One, ' },
    { type: 'done', stop: 'length' },
  ]
  async function* rest(): AsyncGenerator<Delta> {
    await passed
    yield* says('two.')
  }
  const { send, transport, id, client } = await start(t, { provider: scriptedProvider([cut, rest]) })
  assert.deepEqual(textsOf(await send('count')), ['One, '])
  await client.json(202, 'POST', `/api/sessions/${id}/resume`, { body: {} })
  const again = await transport.reconnectToStream({ chatId: id })
  assert.ok(again !== null)
  open()
  const live = await read(again)
  assert.deepEqual(textsOf(live), ['One, two.'])
  assert.ok(live.parts.every(part => part.type !== 'text' || part.state === 'done'))
  const { messages } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.deepEqual(
    messages.map((message: Json) => textsOf(message)),
    [['count'], ['One, two.']],
  )
})

test('a call id that comes again in a later step is another call, with a result of its own', async t => {
  let count = 0
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => {
      count += 1
      return { ok: true, outcome: `found ${count}` }
    },
  }
  const provider = scriptedProvider([calls('look', { at: 1 }, 'c1'), calls('look', { at: 2 }, 'c1'), says('Two.')])
  const { send, client, id } = await start(t, { provider, toolbox: toolbox([look]) })
  const outputsOf = ({ parts }: { readonly parts: UIMessage['parts'] }): readonly unknown[] =>
    parts.flatMap(part => (part.type === 'dynamic-tool' && part.state === 'output-available' ? [[part.input, part.output]] : []))
  const both = [
    [{ at: 1 }, 'found 1'],
    [{ at: 2 }, 'found 2'],
  ]
  assert.deepEqual(outputsOf(await send('look twice')), both)
  const { messages } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.deepEqual(outputsOf(messages[1]), both)
})

test('a summary that is made behind an answer is neither in its stream nor in the history', async t => {
  const { send, client, id } = await start(t, { provider: folder(), policies: [folding()], policy: 'folding' })
  const folds = async (): Promise<number> => (await client.json(200, 'GET', `/api/sessions/${id}/folds`)).items.length
  let last = 0
  while (last < 30 && (await folds()) === 0) {
    last += 1
    assert.deepEqual(textsOf(await send(question(last))), [answer(last)])
  }
  assert.ok((await folds()) > 0)
  assert.deepEqual(textsOf(await send(question(last + 1))), [answer(last + 1)])
  const { messages } = await client.json(200, 'GET', `/api/chat/${id}`)
  assert.equal(messages.length, 2 * (last + 1))
  assert.ok(!JSON.stringify(messages).includes(SUMMARY))
})

test('a summary that is being made is nothing to come back to', async t => {
  const wait = gate()
  async function* slowly(): AsyncGenerator<Delta> {
    await wait.passed
    yield* says(SUMMARY)
  }
  const { send, client, id } = await start(t, { provider: folder(slowly), policies: [folding()], policy: 'folding' })
  await send(question(1))
  await send(question(2))
  await client.json(202, 'POST', `/api/sessions/${id}/folds`, { body: {} })
  assert.equal((await client.ask('GET', `/api/chat/${id}/stream`)).status, 204)
  assert.deepEqual(textsOf(await send(question(3))), [answer(3)])
  wait.open()
})
