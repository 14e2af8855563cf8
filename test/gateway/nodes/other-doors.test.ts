// The doors of other clients go on at another node where they left off: `useChat` streams and OpenAI's clients.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { gate } from '../../support/engine.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { clientAt, heard } from '../openai/door.ts'
import { idOf, startThree } from './house.ts'

const skip = (await whyNoPostgres()) ?? false

const wordsOf = ({ parts }: UIMessage): string => parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')

/** Reads a stream of UI messages to its end; `onWords` is told each text that is shown. */
async function read(stream: ReadableStream<UIMessageChunk>, onWords: (words: string) => void = () => {}): Promise<UIMessage> {
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    last = message
    onWords(wordsOf(message))
  }
  assert.ok(last !== undefined)
  return last
}

test('a chat that is reloaded at another node goes on reading its answer, from its beginning', { skip }, async t => {
  const going = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'think', text: 'Which sea?' }
    yield { type: 'text', text: 'The sea 🌊 is ' }
    await going.passed
    yield { type: 'text', text: 'wide.' }
    yield { type: 'done' }
  }
  const nodes = await startThree(t, { provider: scriptedProvider([slow]) })
  const [one, other, third] = nodes
  const chatId = idOf(await one.client.open())
  const transports = nodes.map(({ url }) => new DefaultChatTransport<UIMessage>({ api: `${url}/api/chat` }))
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Tell me of the sea' }] }]
  const sending = { chatId, messages, trigger: 'submit-message', messageId: undefined, abortSignal: undefined } as const
  const sent = await transports[0]?.sendMessages(sending)
  assert.ok(sent)
  const shown: string[] = []
  const half = gate()
  const streams = await Promise.all(transports.slice(1).map(transport => transport.reconnectToStream({ chatId })))
  const reading = streams.map(stream => {
    assert.ok(stream, 'an answer is under way on each node')
    return read(stream, words => {
      shown.push(words)
      if (words !== '') half.open()
    })
  })
  await half.passed
  going.open()
  const whole = await read(sent)
  assert.equal(wordsOf(whole), 'The sea 🌊 is wide.')
  for (const message of await Promise.all(reading)) assert.deepEqual(message.parts, whole.parts)
  for (const words of shown) assert.ok('The sea 🌊 is wide.'.startsWith(words), words)
  for (const { client } of [one, other, third]) {
    const { messages: told } = await client.json(200, 'GET', `/api/chat/${chatId}`)
    assert.deepEqual(
      told.map(({ role }: Json) => role),
      ['user', 'assistant'],
    )
    assert.equal(wordsOf(told[1]), 'The sea 🌊 is wide.')
    assert.equal((await client.ask('GET', `/api/chat/${chatId}/stream`)).status, 204)
  }
})

test('what an OpenAI client says in a session at one node is answered there while another one runs it', { skip }, async t => {
  const going = gate()
  async function* slow(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'One.' }
    await going.passed
    yield { type: 'done' }
  }
  const [one, other, third] = await startThree(t, { provider: scriptedProvider([slow, says('Two', ' gulls.'), says('Three.')]) })
  const session = await one.client.open()
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'First' } })
  const reader = await other.client.follow(session)
  await reader.until(isEvent('delta'))
  const request = { model: 'assistant', metadata: { session: idOf(session) } }
  const streaming = clientAt(other.url).chat.completions.create({
    ...{ ...request, stream: true, messages: [{ role: 'user', content: 'Second' }] },
  })
  await reader.until(frame => frame.event === 'message.received' && frame.data.text === 'Second')
  going.open()
  assert.equal((await heard(await streaming)).text, 'Two gulls.')
  await reader.hangUp()
  const whole = await clientAt(third.url).chat.completions.create({ ...request, messages: [{ role: 'user', content: 'Third' }] })
  assert.equal(whole.choices[0]?.message.content, 'Three.')
  const events = await one.client.events(session)
  assert.equal(events.filter(({ type }) => type === 'turn.ended').length, 3)
})
