// A council behind one model name: a block for each advisor, and each knows its own words again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadRequestError, InternalServerError } from 'openai'
import { blockLabels, blocksIn, createEscape, headingOf } from '../../../src/gateway/openai/blocks.ts'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says } from '../../../src/testing/index.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { tries } from '../../support/tries.ts'
import { heard, openDoor } from './door.ts'

const BOARD = councilOf([advisor('ada'), advisor('bob'), advisor('cyd')])
const ASK = { model: 'council:board', messages: [{ role: 'user' as const, content: 'Shall we?' }] }

test('advisors answer in one text, in their order, each under its name', async t => {
  const provider = stand(({ voice }) => says(`${voice} thinks`, ' so.'))
  const { openai, http } = await openDoor(t, { councils: () => [BOARD], provider })
  const { data, response } = await openai.chat.completions.create(ASK).withResponse()
  assert.equal(
    data.choices[0]?.message.content,
    '## Ada\n\nada thinks so.\n\n## Bob\n\nbob thinks so.\n\n## Cyd\n\ncyd thinks so.',
  )
  assert.equal(data.choices[0]?.finish_reason, 'stop')
  const { receipts } = (data as unknown as { turnwise: { receipts: string[] } }).turnwise
  assert.equal(receipts[0], response.headers.get('x-turnwise-context'))
  const voices = await Promise.all(receipts.map(async id => (await http.json(200, 'GET', `/api/receipts/${id}`)).receipt.voice))
  assert.deepEqual(voices.sort(), ['ada', 'bob', 'cyd'])
  // Told back, each has its own words as its own and the others' as a reference.
  await openai.chat.completions.create({
    ...ASK,
    messages: [
      ...ASK.messages,
      { role: 'assistant', content: data.choices[0]?.message.content },
      { role: 'user', content: 'Why?' },
    ],
  })
  const second = provider.requests.slice(3)
  for (const { voice, messages } of second) {
    const own = messages.filter(({ role }) => role === 'assistant').map(({ blocks }) => blocks)
    assert.deepEqual(own, [[{ type: 'text', text: `${voice} thinks so.` }]])
    const text = JSON.stringify(messages.filter(({ role }) => role === 'user'))
    for (const other of ['ada', 'bob', 'cyd'].filter(each => each !== voice)) assert.ok(text.includes(`${other} thinks so.`))
  }
})

test('in a stream whoever speaks first has the floor; one that fails costs the others nothing', async t => {
  const { passed, open } = gate()
  const { passed: begun, open: begin } = gate()
  async function* slow(): AsyncGenerator<Delta> {
    await begun
    yield { type: 'text', text: 'Slow' }
    await passed
    yield { type: 'text', text: ' words.' }
    yield { type: 'done' }
  }
  async function* broken(): AsyncGenerator<Delta> {
    yield { type: 'fault', fault: fault('rejected', 'no such thing') }
  }
  const provider = stand(({ voice }) => (voice === 'ada' ? slow() : voice === 'bob' ? broken() : says('Quick words.')))
  const { openai } = await openDoor(t, { councils: () => [BOARD], provider })
  const stream = await openai.chat.completions.create({ ...ASK, stream: true })
  let text = ''
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (text === '## Cyd\n\nQuick words.') begin()
    if (text.endsWith('Slow')) open()
  }
  assert.equal(text, '## Cyd\n\nQuick words.\n\n## Ada\n\nSlow words.\n\n## Bob\n\n[No whole answer: no such thing]')
  assert.deepEqual(
    blocksIn(text, blockLabels(BOARD))?.map(({ voice }) => voice),
    ['cyd', 'ada'],
  )
})

test('where every advisor fails, so does the request', async t => {
  async function* broken(): AsyncGenerator<Delta> {
    yield { type: 'fault', fault: fault('overloaded', 'come back later') }
  }
  const { openai } = await openDoor(t, { councils: () => [BOARD], provider: stand(() => broken()) })
  for (const stream of [true, false])
    await assert.rejects(openai.chat.completions.create({ ...ASK, stream }), (cause: unknown) => {
      assert.ok(cause instanceof InternalServerError)
      assert.deepEqual([cause.status, cause.message], [503, '503 come back later'])
      return true
    })
})

test('a synthesis that a council always makes is the last block; a word to one is heard by one', async t => {
  const council = { ...BOARD, synthesis: 'brief' as const }
  const { openai } = await openDoor(t, { councils: () => [council], provider: stand(({ voice }) => says(`${voice}.`)) })
  const { text } = await heard(await openai.chat.completions.create({ ...ASK, stream: true }))
  assert.match(text, /\n\n## Synthesis \(brief\)\n\nhouse:synthesis\.$/)
  const one = await openai.chat.completions.create({ ...ASK, messages: [{ role: 'user', content: '@bob, and you?' }] })
  assert.equal(one.choices[0]?.message.content, '## Bob\n\nbob.')
})

test('a council cannot use tools of the client, and answers only what a person says', async t => {
  const { openai } = await openDoor(t, { councils: () => [BOARD] })
  const tools = [{ type: 'function' as const, function: { name: 'look' } }]
  await assert.rejects(openai.chat.completions.create({ ...ASK, tools }), BadRequestError)
  const messages = [...ASK.messages, { role: 'tool' as const, tool_call_id: 'c', content: 'x' }]
  await assert.rejects(openai.chat.completions.create({ ...ASK, messages }), BadRequestError)
})

test('whatever advisors say, it is theirs when it is told back', () => {
  const labels = blockLabels(councilOf([advisor('ada'), advisor('bob'), advisor('bo2', { name: 'Bob' })]))
  const line = fc.constantFrom('## Ada', '\\## Ada', '## Bob', '## Bob (bob)', '##', '# Ada', 'Ada', '', '\\', '## Ada Lovelace')
  const words = fc.array(fc.oneof(line, fc.string()), { minLength: 1 }).map(lines => lines.join('\n'))
  const said = fc.array(fc.tuple(fc.constantFrom('ada', 'bob', 'bo2'), words), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(said, fc.integer({ min: 1, max: 5 }), (blocks, every) => {
      const written = blocks.map(([voice, text]) => {
        const guard = createEscape(labels)
        const pieces = text.match(new RegExp(`[^]{1,${every}}`, 'g')) ?? []
        return headingOf(labels.of(voice)) + pieces.map(guard.push).join('') + guard.end()
      })
      const read = blocksIn(written.join('\n\n'), labels)
      const expected = blocks.map(([voice, text]) => ({ voice, text: text.trim() })).filter(({ text }) => text !== '')
      assert.deepEqual(read, expected)
    }),
    tries(500),
  )
})
