// What OpenAI's own client asks for about sampling and length goes on to the model, or is refused by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadRequestError } from 'openai'
import type { Json } from '../http/client.ts'
import { doorWithFake } from './door.ts'

const hello = { says: [{ type: 'text', text: 'Hello.' }] } as const
const MESSAGES = [{ role: 'user' as const, content: 'Hi' }]
const idOf = (path: string): string => path.split('/').at(-1) ?? ''

test('temperature, top_p, seed, stop and the limits are passed on, before those of the agent', async t => {
  const agents = [{ key: 'ada', name: 'Ada', prompt: '', model: 'openai/gpt-4.1', sampling: { temperature: 0.9, seed: 1 } }]
  const { openai, fake, http } = await doorWithFake(t, { scripts: [hello, hello, hello], agents: () => agents })
  const lastBody = (): Json => JSON.parse(fake.requests.at(-1)?.body ?? '{}')
  for (const model of ['ada', 'openai/gpt-4.1']) {
    const params = { temperature: 0.1, top_p: 0.5, seed: 7, stop: 'END', max_completion_tokens: 40 }
    await openai.chat.completions.create({ model, messages: MESSAGES, ...params })
    const { temperature, top_p, seed, stop, max_completion_tokens } = lastBody()
    assert.deepEqual(
      { temperature, top_p, seed, stop, max_completion_tokens },
      { temperature: 0.1, top_p: 0.5, seed: 7, stop: ['END'], max_completion_tokens: 40 },
    )
  }
  const session = await http.open({ agent: 'ada', sampling: { topP: 0.3 } })
  const metadata = { session: idOf(session) }
  await openai.chat.completions.create({ model: 'ada', messages: MESSAGES, metadata, temperature: 0, max_tokens: 30 })
  const { temperature, top_p, seed, max_completion_tokens } = lastBody()
  assert.deepEqual([temperature, top_p, seed, max_completion_tokens], [0, 0.3, 1, 30])
  const [message] = await http.events(session)
  assert.deepEqual([message.sampling, message.maxTokens], [{ temperature: 0 }, 30])
})

test('every reasoning_effort goes out as itself or as the nearest that the model has', async t => {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
  const { openai, fake } = await doorWithFake(t, { scripts: efforts.map(() => hello) })
  for (const reasoning_effort of efforts)
    await openai.chat.completions.create({ model: 'openai/gpt-5.1', messages: MESSAGES, reasoning_effort, max_tokens: 1000 })
  const bodies = fake.requests.map(({ body }) => JSON.parse(body) as Json)
  assert.deepEqual(
    bodies.map(body => body.reasoning_effort),
    ['none', 'low', 'low', 'medium', 'high', 'high', 'high'],
  )
  for (const { max_completion_tokens } of bodies)
    assert.ok(max_completion_tokens <= 1000 && max_completion_tokens > 990, 'thinking is inside of the limit')
})

test('what the model never takes is refused by the name that the client knows', async t => {
  const { openai, fake, http } = await doorWithFake(t, {})
  const session = await http.open({ model: 'openai/o3' })
  const refused = async (more: object): Promise<unknown> => {
    const asking = openai.chat.completions.create({ model: 'openai/o3', messages: MESSAGES, ...more })
    const failed = await asking.catch((cause: unknown) => cause)
    assert.ok(failed instanceof BadRequestError, String(failed))
    assert.equal(failed.code, 'unsupported_parameter')
    return failed.param
  }
  for (const metadata of [undefined, { session: idOf(session) }]) {
    const where = metadata === undefined ? {} : { metadata }
    assert.equal(await refused({ ...where, temperature: 0.2 }), 'temperature')
    assert.equal(await refused({ ...where, top_p: 0.2 }), 'top_p')
    assert.equal(await refused({ ...where, stop: ['a'] }), 'stop')
  }
  assert.equal(await refused({ model: 'openai/gpt-4.1', reasoning_effort: 'low' }), 'reasoning_effort')
  assert.deepEqual([fake.requests, await http.events(session)], [[], []])
})
