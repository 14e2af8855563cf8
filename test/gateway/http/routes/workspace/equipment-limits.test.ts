// Agents and advisors that name their tools and skills are sent no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '../../../../support/gateway.ts'
import { startWorkspace } from '../../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const skill = (name: string, ...tools: string[]) => ({
  [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: About ${name}\n---\nThe text of ${name}.\n`,
  [`skills/${name}/tools.json`]: {
    tools: tools.map(tool => ({
      name: tool,
      description: 'Now',
      parameters: { type: 'object', properties: {} },
      readOnly: true,
    })),
    allowlist: { date: ['-u'] },
    execution: tools.map(tool => ({ tool, binary: 'date', subcommand: '-u', args: [] })),
  },
})

async function start(t: Scope): Promise<Client> {
  const files = {
    'turnwise.json': { skills: { contextMode: 'full' } },
    'agents.json': { agents: { ann: { name: 'Ann', prompt: 'You ask.' } } },
    ...skill('clock', 'clock_now', 'clock_set'),
    ...skill('notes', 'notes_read'),
  }
  const { url } = await startWorkspace(t, files, { PATH: process.env.PATH ?? '' })
  return clientOf(url)
}

/** The tools and the skills of the last request of a session. */
async function sentIn(client: Client, session: string): Promise<readonly [tools: readonly string[], skills: readonly string[]]> {
  await client.talk(session, 'Hello')
  const [turn] = (await client.events(session)).flatMap(event => (event.type === 'turn.started' ? [event.turn] : [])).slice(-1)
  const { request, verified } = (await client.json(200, 'GET', `${session}/turns/${turn}/context`)) as Json
  assert.equal(verified, true)
  const { system = '', tools = [] } = request.body
  return [tools.map(({ name }: Json) => name), [...system.matchAll(/The text of (\w+)/g)].map(([, name]) => name)]
}

test('an agent has all tools and skills unless it names some, and then those', async t => {
  const client = await start(t)
  const session = await client.open()
  const put = (lists: object): Promise<Json> =>
    client.json(200, 'PUT', '/api/agents/ann', { body: { name: 'Ann', prompt: 'You ask.', ...lists } })
  const all = ['clock_now', 'clock_set', 'notes_read']
  assert.deepEqual(await sentIn(client, session), [all, ['clock', 'notes']])
  const kept = await put({ tools: ['clock_*'], skills: ['notes'] })
  assert.deepEqual([kept.tools, kept.skills], [['clock_*'], ['notes']])
  assert.deepEqual(await sentIn(client, session), [['clock_now', 'clock_set'], ['notes']])
  await put({ skills: ['clock'] })
  assert.deepEqual(await sentIn(client, session), [['clock_now', 'clock_set'], ['clock']], 'a skill’s tools go with it')
  await put({ tools: [], skills: [] })
  assert.deepEqual(await sentIn(client, session), [[], []])
  const { items } = await client.json(200, 'GET', '/api/agents')
  assert.deepEqual([items[0].tools, items[0].skills], [[], []])
})

test('an advisor has what it names, and all of it only with the house', async t => {
  const client = await start(t)
  const sent = async (lists: object): Promise<unknown> => {
    const advisor = { id: 'ann', name: 'Ann', description: 'You ask.', ...lists }
    const { advisors } = await client.json(200, 'PUT', '/api/councils/board', { body: { name: 'Board', advisors: [advisor] } })
    assert.deepEqual(advisors[0], { ...advisors[0], ...lists })
    return sentIn(client, await client.open({ council: 'board' }))
  }
  assert.deepEqual(await sent({}), [[], []])
  assert.deepEqual(await sent({ tools: ['notes_*'] }), [['notes_read'], []])
  assert.deepEqual(await sent({ house: true, tools: ['notes_*'] }), [['notes_read'], ['clock', 'notes']])
  assert.deepEqual(await sent({ house: true, skills: [] }), [[], []])
})

test('what is no name is refused by its place', async t => {
  const client = await start(t)
  const body = { name: 'Ann', prompt: 'x', tools: ['*clock'] }
  const { detail } = await client.problem(400, 'invalid', 'PUT', '/api/agents/ann', { body })
  assert.match(detail, /^tools\.0: "\*clock" is not a name/)
})
