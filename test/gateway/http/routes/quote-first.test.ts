// What the first message of a session would take, before there is a session.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkspace } from '../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const ADVISOR = { description: 'You are asked.', color: '#0a7' }
const FILES = {
  'turnwise.json': { limits: { budgetUsdPerRound: 0.0001 } },
  'agents.json': { agents: { ann: { name: 'Ann', prompt: 'You ask.' }, ben: { name: 'Ben', prompt: 'You doubt. '.repeat(50) } } },
  'councils.json': {
    councils: {
      board: {
        name: 'Board',
        advisors: [
          { id: 'cy', name: 'Cy', ...ADVISOR, model: 'anthropic/claude-sonnet-5' },
          { id: 'dee', name: 'Dee', ...ADVISOR },
        ],
      },
    },
  },
  'projects/boat/CONTEXT.md': 'We build a boat.',
}

const quote = (client: Client, body: object): Promise<Json> => client.json(200, 'POST', '/api/quote', { body })

test('it is the quote that the session would give, and nothing is stored', async t => {
  const client = clientOf((await startWorkspace(t, FILES)).url)
  const wishes = [
    {},
    { agent: 'ben' },
    { agent: 'ben', project: 'boat' },
    { council: 'board' },
    { policy: 'recent', model: 'openai/gpt-5' },
  ]
  const beforehand: Json[] = []
  for (const wish of wishes) beforehand.push(await quote(client, { text: 'Hello', ...wish }))
  assert.deepEqual((await client.json(200, 'GET', '/api/sessions')).items, [])
  for (const [index, wish] of wishes.entries()) {
    const session = await client.open(wish)
    assert.deepEqual(beforehand[index], await client.json(200, 'POST', `${session}/quote`, { body: { text: 'Hello' } }))
  }
  const [plain, ben, boat, board] = beforehand
  assert.deepEqual(
    plain.voices.map(({ voice }: Json) => voice),
    ['ann'],
  )
  assert.ok(plain.total.input < ben.total.input && ben.total.input < boat.total.input)
  assert.deepEqual(
    board.voices.map(({ voice }: Json) => voice),
    ['cy', 'dee'],
  )
  assert.match(board.refused, /^this round could cost \$/)
})

test('it may be for some of a council, and what cannot be opened cannot be quoted', async t => {
  const client = clientOf((await startWorkspace(t, FILES)).url)
  const { voices } = await quote(client, { text: 'Hello', council: 'board', to: ['dee'] })
  assert.deepEqual(
    voices.map(({ voice }: Json) => voice),
    ['dee'],
  )
  for (const [wish, line] of [
    [{ agent: 'nobody' }, /^agent: there is no "nobody"/],
    [{ agent: 'ann', council: 'board' }, /^council: a session has an agent or a council/],
    [{ project: '../boat' }, /^project: there is no /],
    [{ to: ['dee'] }, /^to: this session has no council/],
    [{ title: 'x' }, /title/],
    [{ text: undefined }, /^text: /],
    [{ text: ' ' }, /^text: must not be empty/],
  ] as const) {
    const { detail } = await client.problem(400, 'invalid', 'POST', '/api/quote', { body: { text: 'Hello', ...wish } })
    assert.match(detail, line)
  }
})
