// A session that is named: the message is said there, its log is the context, and hanging up stops nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type APIError, BadRequestError, ConflictError, NotFoundError } from 'openai'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/index.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { answer, folder, folding, question } from '../../support/folding.ts'
import { heard, openDoor } from './door.ts'

const idOf = (session: string): string => session.split('/').at(-1) ?? ''

test('what is said in a session is answered from its log', async t => {
  const { openai, http } = await openDoor(t, { inMemory: false })
  const session = await http.open()
  await http.talk(session, 'My name is Ada.')
  const metadata = { session: idOf(session) }
  const { data, response } = await openai.chat.completions
    .create({
      model: 'assistant',
      metadata,
      messages: [
        { role: 'user', content: 'This is not in the log.' },
        { role: 'user', content: 'what was my first message?' },
      ],
    })
    .withResponse()
  assert.match(data.choices[0]?.message.content ?? '', /My name is Ada/)
  const events = await http.events(session)
  assert.deepEqual(
    events.filter(event => event.type === 'message.received').map(({ text }) => text),
    ['My name is Ada.', 'what was my first message?'],
  )
  const kept = await http.json(200, 'GET', `/api/receipts/${response.headers.get('x-turnwise-context')}`)
  assert.equal(kept.session, idOf(session))
})

test('a session is asked for by its agent, or by the model that its agent is asked with', async t => {
  const { openai, http } = await openDoor(t, { model: 'openai/gpt-5.1' })
  const own = await http.open({ model: 'demo' })
  const usual = await http.open()
  const ask = async (session: string, model: string): Promise<unknown> => {
    const messages = [{ role: 'user' as const, content: 'say 2 words' }]
    const answer = openai.chat.completions.create({ model, metadata: { session: idOf(session) }, messages })
    return answer.then(({ choices }) => choices[0]?.message.content).catch((cause: APIError) => cause.status)
  }
  assert.deepEqual([await ask(own, 'demo'), await ask(own, 'assistant')], ['calm river', 'calm river'])
  // What its provider lacks is said when it is asked; before, there is nothing wrong with the request.
  assert.deepEqual([await ask(usual, 'openai/gpt-5.1'), await ask(usual, 'demo')], [502, 400])
})

test('the same key is answered once, and the same again', async t => {
  const { openai, http } = await openDoor(t)
  const session = await http.open()
  const ask = (content: string, stream: boolean): Promise<unknown> => {
    const body = { model: 'assistant', metadata: { session: idOf(session) }, messages: [{ role: 'user' as const, content }] }
    const headers = { 'idempotency-key': 'k1' }
    return stream
      ? openai.chat.completions.create({ ...body, stream: true }, { headers }).then(async each => (await heard(each)).text)
      : openai.chat.completions.create(body, { headers }).then(each => each.choices[0]?.message.content)
  }
  const first = await ask('say 5 words', false)
  assert.deepEqual([await ask('say 5 words', false), await ask('say 5 words', true)], [first, first])
  await assert.rejects(ask('say 6 words', false), ConflictError)
  assert.equal((await http.events(session)).filter(event => event.type === 'message.received').length, 1)
})

test('what a session decides by itself is refused, each by its name', async t => {
  const { openai, http } = await openDoor(t, {
    agents: () => ['ada', 'bob'].map(key => ({ key, name: key, prompt: '' })),
  })
  const session = await http.open({ agent: 'ada' })
  const body = { model: 'ada', metadata: { session: idOf(session) }, messages: [{ role: 'user' as const, content: 'Hi' }] }
  const tools = [{ type: 'function' as const, function: { name: 'look' } }]
  const refused = async (more: object): Promise<string | null | undefined> => {
    const failed = await openai.chat.completions.create({ ...body, ...more }).catch((cause: unknown) => cause)
    assert.ok(failed instanceof BadRequestError, String(failed))
    return failed.param
  }
  assert.equal(await refused({ model: 'bob' }), 'model')
  assert.equal(await refused({ model: 'openai/gpt-5.1' }), 'model')
  assert.equal(await refused({ tools }), 'tools')
  assert.equal(await refused({ max_tokens: 32_000 }), 'max_tokens')
  assert.equal(await refused({ messages: [{ role: 'tool', content: 'x', tool_call_id: 'c' }] }), 'messages.0.role')
  assert.equal(await refused({ messages: [{ role: 'user', content: ' ' }] }), 'messages.0.content')
  await assert.rejects(
    openai.chat.completions.create({ ...body, metadata: { session: 'ses_nobody' } }),
    (cause: unknown) => cause instanceof NotFoundError && cause.param === 'metadata.session',
  )
  assert.deepEqual(await http.events(session), [])
})

test('a call that asks is denied at once, also where a person could be asked', async t => {
  const provider = scriptedProvider([calls('erase', { all: true }), says('I may not.')])
  const erase: Tool = {
    spec: { name: 'erase', description: '', parameters: { type: 'object' } },
    approval: 'ask',
    parallel: false,
    idempotent: false,
    prepare: async () => ({ run: () => assert.fail('it must not run') }),
  }
  const { openai, http } = await openDoor(t, { provider, toolbox: toolbox([erase]), inMemory: false })
  const session = await http.open()
  const answer = await openai.chat.completions.create({
    model: 'assistant',
    metadata: { session: idOf(session) },
    messages: [{ role: 'user', content: 'Erase it' }],
  })
  assert.equal(answer.choices[0]?.message.content, 'I may not.')
  const settled = (await http.events(session)).find(event => event.type === 'tool.settled')
  assert.match(settled.outcome, /^denied: nobody can be asked/)
})

test('a session of a council answers in blocks, and is asked for by its council', async t => {
  const council = councilOf([advisor('ada'), advisor('bob')])
  const { openai, http } = await openDoor(t, { councils: () => [council], provider: stand(({ voice }) => says(`${voice}.`)) })
  const session = await http.open({ council: 'board' })
  const messages = [{ role: 'user' as const, content: 'Shall we?' }]
  const answer = await openai.chat.completions.create({ model: 'council:board', metadata: { session: idOf(session) }, messages })
  assert.equal(answer.choices[0]?.message.content, '## Ada\n\nada.\n\n## Bob\n\nbob.')
})

test('hanging up does not stop a session’s turn', async t => {
  const { passed, open } = gate()
  async function* reply(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'One' }
    await passed
    yield { type: 'text', text: ' two' }
    yield { type: 'done' }
  }
  const { openai, http } = await openDoor(t, { provider: scriptedProvider([reply]) })
  const session = await http.open()
  const body = { model: 'assistant', metadata: { session: idOf(session) }, messages: [{ role: 'user' as const, content: 'Go' }] }
  const stream = await openai.chat.completions.create({ ...body, stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'One') break
  await http.untilStreams(0)
  open()
  const follower = await http.follow(session)
  await follower.until(frame => frame.event === 'turn.ended')
  await follower.hangUp()
  const whole = (await http.events(session)).find(event => event.type === 'reply.finished')
  assert.deepEqual(whole.parts, [{ type: 'text', text: 'One two' }])
})

test('a summary that is made behind an answer is no part of it, streamed or whole', async t => {
  const { openai, http } = await openDoor(t, { provider: folder(), policies: [folding()], policy: 'folding' })
  const session = await http.open()
  const folds = async (): Promise<number> => (await http.json(200, 'GET', `${session}/folds`)).items.length
  const asking = (n: number) => ({
    model: 'assistant',
    metadata: { session: idOf(session) },
    messages: [{ role: 'user' as const, content: question(n) }],
  })
  for (let n = 1; n < 30 && (await folds()) === 0; n += 2) {
    const whole = await openai.chat.completions.create(asking(n))
    assert.equal(whole.choices[0]?.message.content, answer(n))
    const streamed = await heard(await openai.chat.completions.create({ ...asking(n + 1), stream: true }))
    assert.equal(streamed.text, answer(n + 1))
  }
  assert.ok((await folds()) > 0)
})
