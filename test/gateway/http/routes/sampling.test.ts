// Contract §6 over HTTP: sampling and reply limits of sessions and messages, what is refused with 422, and what follows a change of agent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf, type Json } from '../client.ts'

const SONNET = 'anthropic/claude-sonnet-4-5'

test('a session has sampling and a reply limit; a change names what changes, and null takes it away', async t => {
  const client = clientOf((await startGateway(t)).url)
  const sampling = { temperature: 0.3, stop: ['END'] }
  const opened = await client.json(201, 'POST', '/api/sessions', { body: { sampling, maxTokens: 500, model: SONNET } })
  assert.deepEqual([opened.sampling, opened.maxTokens], [sampling, 500])
  const path = `/api/sessions/${opened.id}`
  const change = (body: object): Promise<Json> => client.json(200, 'PATCH', path, { body })
  const sent = async (more: object = {}): Promise<Json> =>
    (await client.json(200, 'POST', `${path}/context`, { body: { text: 'Why?', ...more } })).request.body
  const { temperature, stop_sequences, max_tokens } = await sent()
  assert.deepEqual([temperature, stop_sequences, max_tokens], [0.3, ['END'], 500])
  assert.equal((await sent({ sampling: { temperature: 0 }, maxTokens: 7 })).temperature, 0)
  assert.equal((await sent({ sampling: { temperature: 0 }, maxTokens: 7 })).max_tokens, 7)

  assert.deepEqual((await change({ sampling: { temperature: 0.4 } })).sampling, { temperature: 0.4, stop: ['END'] })
  assert.deepEqual((await change({ sampling: { stop: null } })).sampling, { temperature: 0.4 })
  const forked = await client.json(201, 'POST', `${path}/fork`, { body: { at: 1 } })
  assert.deepEqual([forked.sampling, forked.maxTokens], [{ temperature: 0.4 }, 500])
  assert.equal((await change({ sampling: { temperature: null } })).sampling, null)
  assert.equal((await change({ maxTokens: null })).maxTokens, null)
  assert.ok(!('temperature' in (await sent())))
})

test('effort and thinking: the last word counts, and both at once must agree', async t => {
  const client = clientOf((await startGateway(t)).url)
  const path = await client.open({ model: SONNET, thinking: false })
  const change = (body: object): Promise<Json> => client.json(200, 'PATCH', path, { body })
  const raised = await change({ sampling: { effort: 'high', stop: ['END'] } })
  assert.deepEqual([raised.sampling, raised.thinking], [{ effort: 'high', stop: ['END'] }, null])
  const { thinking, max_tokens } = (await client.json(200, 'POST', `${path}/context`, { body: { text: 'Why?' } })).request.body
  assert.deepEqual([thinking.type, max_tokens - thinking.budget_tokens], ['enabled', 32_000])
  const lowered = await change({ thinking: false })
  assert.deepEqual([lowered.sampling, lowered.thinking], [{ stop: ['END'] }, false])
  const { detail } = await client.problem(422, 'refused', 'PATCH', path, {
    body: { thinking: false, sampling: { effort: 'low' } },
  })
  assert.equal(detail, 'sampling.effort: "low" and "thinking": false exclude each other; leave one of them out')
})

test('what a model is known never to take is refused with 422 and its path, everywhere', async t => {
  const client = clientOf((await startGateway(t)).url)
  const refused = async (method: string, path: string, body: object): Promise<string> =>
    (await client.problem(422, 'refused', method, path, { body })).detail
  const seed = `sampling.seed: "${SONNET}" takes none; leave it out, or choose another model`
  assert.equal(await refused('POST', '/api/sessions', { model: SONNET, sampling: { seed: 1 } }), seed)
  const path = await client.open({ model: SONNET })
  assert.equal(await refused('PATCH', path, { sampling: { seed: 1 } }), seed)
  assert.equal(await refused('POST', `${path}/messages`, { text: 'Hi', sampling: { seed: 1 } }), seed)
  assert.equal(await refused('POST', `${path}/context`, { text: 'Hi', sampling: { seed: 1 } }), seed)
  await client.json(200, 'PATCH', path, { body: { sampling: { temperature: 0.1 } } })
  assert.match(await refused('PATCH', path, { thinking: true }), /^sampling\.temperature: .* takes none while it thinks/)
  assert.match(await refused('PATCH', path, { model: 'openai/o3' }), /^sampling\.temperature: "openai\/o3" takes none/)
  assert.match(await refused('PATCH', path, { maxTokens: 200_000 }), /^maxTokens: 200000 leaves no room/)
  for (const body of [{ sampling: { temperature: 3 } }, { sampling: { heat: 1 } }, { sampling: { stop: [] } }, { maxTokens: 0 }])
    await client.problem(400, 'invalid', 'PATCH', path, { body })
  assert.deepEqual((await client.json(200, 'GET', path)).sampling, { temperature: 0.1 })
})

test('sampling and limits of sessions and messages go into an archive and come back with it', async t => {
  const [here, there] = [clientOf((await startGateway(t)).url), clientOf((await startGateway(t)).url)]
  const sampling = { temperature: 0.3, topP: 0.5, seed: 7, stop: ['END'], effort: 'low' }
  const path = await here.open({ thinking: true, sampling, maxTokens: 500, policy: 'recent' })
  const ask = { text: 'Hello', sampling: { temperature: 0, seed: 1 }, maxTokens: 90 }
  await here.ask('POST', `${path}/messages`, { body: ask, headers: { accept: 'text/event-stream' } }).then(each => each.text())
  await here.json(200, 'PATCH', path, { body: { sampling: { seed: 8 } } })
  const file = await (await here.ask('GET', `${path}/export?format=json`)).text()
  await there.json(200, 'POST', '/api/import', { body: file })
  const kept = await there.json(200, 'GET', path)
  assert.deepEqual([kept.sampling, kept.maxTokens, kept.policyChosen, kept.thinking], [{ ...sampling, seed: 8 }, 500, true, true])
  const [message] = await there.events(path)
  assert.deepEqual([message.sampling, message.maxTokens], [ask.sampling, 90])
})

test('another agent brings its own policy, unless a person chose one for the session', async t => {
  const agents = [
    { key: 'ada', name: 'Ada', prompt: '', policy: 'recent' },
    { key: 'bob', name: 'Bob', prompt: '', policy: 'full', model: 'demo', sampling: { seed: 5 } },
    { key: 'eve', name: 'Eve', prompt: '' },
  ]
  const client = clientOf((await startGateway(t, { agents: () => agents })).url)
  const policyAfter = async (path: string, body: object): Promise<string> =>
    (await client.json(200, 'PATCH', path, { body })).policy
  const unchosen = await client.open({ agent: 'ada' })
  assert.equal(await policyAfter(unchosen, { agent: 'bob' }), 'full')
  assert.equal(await policyAfter(unchosen, { agent: 'eve' }), 'steady')
  assert.equal(await policyAfter(unchosen, { agent: 'ada' }), 'recent')
  assert.equal(await policyAfter(unchosen, { agent: 'bob', policy: 'transcript' }), 'transcript')
  assert.equal(await policyAfter(unchosen, { agent: 'ada' }), 'transcript')

  const chosen = await client.open({ agent: 'ada', policy: 'recent', sampling: { seed: 1 } })
  const handed = await client.json(200, 'PATCH', chosen, { body: { agent: 'bob' } })
  assert.deepEqual([handed.policy, handed.model, handed.sampling], ['recent', null, { seed: 1 }])
  const body = async (): Promise<Json> =>
    (await client.json(200, 'POST', `${chosen}/context`, { body: { text: 'Hi' } })).request.body
  assert.deepEqual((await body()).sampling, { seed: 1 })
  await client.json(200, 'PATCH', chosen, { body: { sampling: null } })
  assert.deepEqual((await body()).sampling, { seed: 5 }, 'the agent that answers now brings its own')
})

test('a session from before that was recorded counts as chosen where its agent would not have brought its policy', async t => {
  const agents = ['recent', 'full'].map((policy, index) => ({ key: `a${index}`, name: 'A', prompt: '', policy }))
  const { url, engine } = await startGateway(t, { agents: () => agents })
  const client = clientOf(url)
  const old = async (policy: string): Promise<string> => {
    const path = await client.open({ agent: 'a0', policy })
    const archive = (await (await client.ask('GET', `${path}/export?format=json`)).text()).replace(/,"policyChosen":\w+/, '')
    assert.equal((await client.ask('DELETE', path)).status, 204)
    await client.json(200, 'POST', '/api/import', { body: archive })
    assert.ok(!('policyChosen' in (await client.json(200, 'GET', path))))
    return path
  }
  const [usual, other] = [await old('recent'), await old('transcript')]
  assert.equal((await client.json(200, 'PATCH', usual, { body: { agent: 'a1' } })).policy, 'full')
  assert.equal((await client.json(200, 'PATCH', other, { body: { agent: 'a1' } })).policy, 'transcript')
  assert.equal(engine.agents().length, 2)
})
