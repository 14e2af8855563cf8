// A reader that changes nodes at every frame has every event once and the whole text; readers that stay hear each word once.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Log } from '../../../src/log/ports.ts'
import { ASSISTANT } from '../../../src/model/voice.ts'
import type { Script } from '../../../src/testing/index.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import type { TestGatewayOptions } from '../../support/gateway.ts'
import { whyNoPostgres } from '../../support/postgres.ts'
import type { Json } from '../http/client.ts'
import { isEvent } from '../http/frames.ts'
import { type HeldProvider, startHeldProvider } from './held-provider.ts'
import { type HouseNode, startNodes, startPair } from './house.ts'
import { createNotes, type Notes } from './notes.ts'

const skip = (await whyNoPostgres()) ?? false

/** How a reader leaves a node: after one frame, or after one that says something new. */
type Leaving = 'one frame' | 'news'

async function hop({ client }: HouseNode, session: string, notes: Notes, leaving: Leaving): Promise<void> {
  const reader = await client.follow(session, notes.headers())
  for (let isNews = false; !isNews; ) {
    const frame = await reader.next()
    assert.ok(frame !== undefined)
    isNews = notes.hear(frame) || leaving === 'one frame'
  }
  await reader.hangUp()
}

/** Stays on one node to the end, and hears each word where the last one ended. */
async function stay({ client }: HouseNode, session: string, turns: number): Promise<Notes> {
  const notes = createNotes()
  const reader = await client.follow(session)
  const lengths = new Map<string, number>()
  while (!notes.isOver(turns)) {
    const frame = await reader.next()
    assert.ok(frame !== undefined)
    notes.hear(frame)
    if (frame.event !== 'delta') continue
    const { turn, step, part, offset, text } = frame.data
    const place = `${turn} ${step} ${part}`
    assert.equal(offset, lengths.get(place) ?? 0, 'a delta goes on where the last one ended')
    lengths.set(place, offset + text.length)
  }
  await reader.hangUp()
  return notes
}

type Told = { readonly nodes: readonly HouseNode[]; readonly provider: HeldProvider; readonly events: readonly Json[] }

/** Says something on the first node, and has it heard by two readers who hop from node to node, and by one on each who stays. */
async function heardEverywhere(
  t: TestContext,
  answer: (request: Json) => Script,
  { turns, wish = {}, ...options }: TestGatewayOptions & { readonly turns: number; readonly wish?: object },
): Promise<Told> {
  const provider = await startHeldProvider(t, answer)
  const nodes = await startNodes(t, 3, {
    providers: { held: { baseURL: provider.url } },
    model: 'compatible/held/model',
    ...options,
  })
  const [first] = nodes
  assert.ok(first !== undefined)
  const session = await first.client.open(wish)
  const staying = nodes.map(node => stay(node, session, turns))
  await first.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Tell me of the sea.' } })
  const hoppers = (['one frame', 'news'] as const).map(leaving => ({ leaving, notes: createNotes() }))
  for (let count = 0; hoppers.some(({ notes }) => !notes.isOver(turns)); count += 1) {
    const head = (await first.client.events(session)).length
    const hopping = hoppers.filter(({ notes }) => !notes.isOver(turns))
    const behind = hopping.filter(({ notes }) => notes.cursor() < head)
    // More is said only when both know everything, so that they hear the replies while they are said.
    if (behind.length === 0) provider.sayMore()
    const node = nodes[count % nodes.length]
    assert.ok(node !== undefined)
    await Promise.all((behind.length === 0 ? hopping : behind).map(({ leaving, notes }) => hop(node, session, notes, leaving)))
  }
  const events = await first.client.events(session)
  for (const notes of [...hoppers.map(({ notes: each }) => each), ...(await Promise.all(staying))]) {
    notes.check(events)
    assert.ok(notes.beginnings() > 1)
  }
  for (const { client } of nodes) assert.deepEqual(await client.events(session), events)
  return { nodes, provider, events }
}

const look = toolbox([
  {
    spec: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
    run: async () => ({ ok: true, outcome: 'found', content: 'a gull' }),
  },
])

const hasResult = (request: Json): boolean => request.messages.some(({ role }: Json) => role === 'tool')

test('thinking, words and a call of one reply are heard whole by a reader who changes nodes at every frame', {
  skip,
}, async t => {
  const { events } = await heardEverywhere(
    t,
    request =>
      hasResult(request)
        ? { every: 9, says: [{ type: 'text', text: 'A gull 🌊 on the mast, 🧭 and no more.' }] }
        : {
            every: 12,
            says: [
              { type: 'think', text: 'Where is the sea? I look.' },
              { type: 'text', text: 'I look 🌊🌊 over the rail.' },
              { type: 'call', tool: 'look', args: '{}' },
            ],
          },
    { turns: 1, toolbox: look },
  )
  const replies = events.filter(({ type }) => type === 'reply.finished').map(({ parts }) => parts)
  assert.deepEqual(
    replies.map(parts => parts.flatMap(({ type, text }: Json) => (text === '' ? [] : (text ?? type)))),
    [['Where is the sea? I look.', 'I look 🌊🌊 over the rail.', 'call'], ['A gull 🌊 on the mast, 🧭 and no more.']],
  )
})

test('a reply of 100 KB is heard whole across many checkpoints', { skip }, async t => {
  const text = Array.from({ length: 4600 }, (_, index) => `wave ${index} 🌊 rolls in.\n`).join('')
  const { events } = await heardEverywhere(t, () => ({ every: 3300, says: [{ type: 'text', text }] }), { turns: 1 })
  const reply = events.find(({ type }) => type === 'reply.finished')
  assert.ok(text.length > 100_000)
  assert.equal(reply.parts[0].text, text)
})

test('a round of a council with its synthesis is heard whole by a reader who changes nodes at every frame', {
  skip,
}, async t => {
  const board = councilOf([advisor('ann'), advisor('ben')], { synthesis: 'brief' })
  const { events } = await heardEverywhere(
    t,
    request => ({ every: 10, says: [{ type: 'text', text: `The sea is 🌊 wide (${JSON.stringify(request).length}).` }] }),
    { turns: 3, councils: () => [board], wish: { council: 'board' } },
  )
  assert.deepEqual(
    events
      .filter(({ type }) => type === 'turn.ended')
      .map(({ voice, reason }) => `${voice} ${reason}`)
      .sort(),
    ['ann done', 'ben done', 'house:synthesis done'],
  )
})

test('an agent that is to be heard whole is heard whole on every node', { skip }, async t => {
  const provider = await startHeldProvider(t, () => ({ every: 5, says: [{ type: 'text', text: 'A whole answer, at once.' }] }))
  const seen = gate()
  const [one, other] = await startPair(t, index => ({
    providers: { held: { baseURL: provider.url } },
    model: 'compatible/held/model',
    agents: () => [{ ...ASSISTANT, stream: false }],
    ...(index === 0 ? {} : { storing: log => withLooks(log, seen.open) }),
  }))
  const session = await one.client.open()
  const reader = await other.client.follow(session)
  await one.client.json(202, 'POST', `${session}/messages`, { body: { text: 'Hello' } })
  await reader.until(isEvent('context.planned'))
  provider.sayMore()
  await seen.passed
  provider.letGo()
  const rest = await reader.until(isEvent('turn.ended'))
  assert.deepEqual(
    rest.map(({ event }) => event),
    ['reply.finished', 'turn.ended'],
  )
  await reader.hangUp()
})

/** Tells when a node has seen what a reply said on another one. */
function withLooks(log: Log, onSeen: () => void): Log {
  const { nodes } = log
  assert.ok(nodes !== undefined)
  const looks: typeof nodes.watch.looks = async ids => {
    const found = await nodes.watch.looks(ids)
    if (found.ok && [...found.value.values()].some(({ checkpoints }) => checkpoints.some(({ parts }) => parts.length > 0)))
      setImmediate(onSeen)
    return found
  }
  return { ...log, nodes: { ...nodes, watch: { ...nodes.watch, looks } } }
}
