// Whatever list of messages a client sends, it gets a valid answer or a clear 400, and the provider a sound request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { says } from '../../../src/testing/index.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { tries } from '../../support/tries.ts'
import { openDoor } from './door.ts'

const text = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('', ' ', '## Ada\n\nYes', '$call: {}', '\ud800'))
const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 3 }))
const id = fc.constantFrom('c1', 'c2', 'c3')
const call = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: fc.constantFrom('look', 'go on'), arguments: fc.oneof(fc.json(), text) }),
})
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content }),
  { weight: 3, arbitrary: fc.record({ role: fc.constant('user'), content }) },
  {
    weight: 3,
    arbitrary: fc.record({
      role: fc.constant('assistant'),
      content: fc.option(content),
      tool_calls: fc.array(call, { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ role: fc.constant('tool'), content, tool_call_id: id }) },
)
const model = fc.constantFrom('demo', 'recent', 'head-tail', 'transcript', 'steady', 'council:board')

test('any list of messages is answered, or refused with what is wrong', async t => {
  const provider = stand(() => says('Well.'))
  const { http } = await openDoor(t, {
    provider,
    councils: () => [councilOf([advisor('ada'), advisor('bob')])],
    agents: () =>
      ['recent', 'head-tail', 'transcript', 'steady'].map(policy => ({ key: policy, name: policy, prompt: '', policy })),
  })
  await fc.assert(
    fc.asyncProperty(model, fc.array(message, { minLength: 1, maxLength: 8 }), fc.boolean(), async (name, messages, hasTools) => {
      const before = provider.requests.length
      const tools = hasTools && name !== 'council:board' ? [{ type: 'function', function: { name: 'look' } }] : undefined
      const response = await http.ask('POST', '/v1/chat/completions', { body: { model: name, messages, tools } })
      const answer = (await response.json()) as { error?: { message: string }; choices?: { message: { content: string } }[] }
      if (response.status === 400) {
        assert.match(answer.error?.message ?? '', /^messages/)
        assert.equal(provider.requests.length, before)
        return
      }
      assert.equal(response.status, 200, JSON.stringify(answer))
      assert.match(answer.choices?.[0]?.message.content ?? '', /Well\./)
      for (const request of provider.requests.slice(before)) assertSound(request.messages)
    }),
    tries(150),
  )
})

type Messages = ReturnType<typeof stand>['requests'][number]['messages']

/** Begins with a person, answers every call exactly once, and ends with something to answer. */
function assertSound(messages: Messages): void {
  assert.equal(messages[0]?.role, 'user')
  assert.equal(messages.at(-1)?.role, 'user')
  messages.forEach(({ role, blocks }, index) => {
    const calls = blocks.flatMap(block => (block.type === 'call' ? [block.call] : []))
    const next = messages[index + 1]?.blocks ?? []
    const results = next.flatMap(block => (block.type === 'result' ? [block.call] : []))
    if (role === 'assistant') assert.deepEqual(results.sort(), calls.sort())
  })
}
