// A message that was said while a reply ran is edited: the reply belongs to what came before it, and stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type Engine, memoryLog, weigh } from '../../../src/index.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { SYNTHESIS } from '../../../src/model/settings/council.ts'
import { calls, type ScriptedProvider, type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { transcriptRows } from '../../../web/src/transcript/rows.ts'
import { versionsOf } from '../../../web/src/transcript/versions.ts'
import { reduceAll } from '../../../web/src/view/reduce.ts'
import { EMPTY_VIEW } from '../../../web/src/view/view.ts'
import { gapless, must } from '../../log/facts.ts'
import { advisor, boardOf, councilOf, settled, stand } from '../../support/council.ts'
import { ask, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'

/** What a request says, a line for each block. */
const linesOf = ({ requests }: ScriptedProvider, index: number): readonly string[] =>
  (
    JSON.parse(requests.at(index)?.body ?? '{}') as {
      messages: readonly { role: string; blocks: readonly { text?: string; tool?: string }[] }[]
    }
  ).messages.flatMap(({ role, blocks }) => blocks.map(({ text, tool }) => `${role}: ${text ?? tool}`))

/** A reply that waits in the middle until it is let go. */
function held(first: string, rest: readonly Delta[]): { reply: ScriptedReply; speaking: Promise<void>; release: () => void } {
  const [speaking, released] = [gate(), gate()]
  async function* reply(): AsyncGenerator<Delta> {
    yield { type: 'text', text: first }
    speaking.open()
    await released.passed
    yield* rest
  }
  return { reply, speaking: speaking.passed, release: released.open }
}

const typesOf = (events: readonly Recorded[]): readonly string[] => events.map(({ type }) => type)

async function verified(engine: Engine, id: SessionId): Promise<void> {
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
}

/** Two questions, the second said while the first is being answered, and both answered; gives the second's seq. */
async function twoQuestions(more: readonly ScriptedReply[]) {
  const { reply, speaking, release } = held('One', says(', two.'))
  const provider = scriptedProvider([reply, says('Three.'), ...more])
  const engine = engineWith({ provider })
  const id = await openSession(engine)
  must(await engine.say({ session: id, text: 'Count', from: 'person' }))
  await speaking
  const { seq } = must(await engine.say({ session: id, text: 'Go on', from: 'person' }))
  release()
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq + 3)
  return { engine, provider, id, seq }
}

test('the new version of a message that was said while a reply ran keeps that reply, and the model is sent it', async () => {
  const { engine, provider, id, seq } = await twoQuestions([says('Stopped.')])
  const fork = must(await engine.fork(id, seq - 1, seq))
  assert.deepEqual(fork.parent, { session: id, at: seq - 1, kept: 2 })
  const kept = await eventsOf(engine, fork.id)
  assert.deepEqual(typesOf(kept), ['message.received', 'turn.started', 'context.planned', 'reply.finished', 'turn.ended'])
  assert.equal(last(kept, 'turn.ended').reason, 'done')
  await ask(engine, fork.id, 'Stop')
  assert.deepEqual(linesOf(provider, -1), ['user: Count', 'assistant: One, two.', 'user: Stop'])
  gapless(await eventsOf(engine, fork.id))
  await verified(engine, fork.id)
  await engine.close()
})

test('asking such a message again keeps that reply before it', async () => {
  const { engine, provider, id, seq } = await twoQuestions([says('Three again.')])
  const fork = must(await engine.fork(id, seq, seq))
  assert.equal(must(await engine.resume(fork.id)).length, 1)
  await until(engine, fork.id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq + 3)
  assert.deepEqual(linesOf(provider, -1), ['user: Count', 'assistant: One, two.', 'user: Go on'])
  await verified(engine, fork.id)
  await engine.close()
})

test('a plain fork shares what there was at its seq and nothing more, as ever', async () => {
  const { engine, id, seq } = await twoQuestions([])
  const fork = must(await engine.fork(id, seq - 1))
  assert.deepEqual(fork.parent, { session: id, at: seq - 1 })
  const events = await eventsOf(engine, fork.id)
  assert.deepEqual(typesOf(events), ['message.received', 'turn.started', 'context.planned', 'turn.ended'])
  assert.equal(last(events, 'turn.ended').reason, 'interrupted')
  for (const redo of [seq - 2, seq + 1]) {
    const refused = await engine.fork(id, seq - 1, redo)
    assert.equal(refused.ok ? 'forked' : refused.fault.kind, 'invalid', `redo ${redo}`)
  }
  await engine.close()
})

test('what a reply said before it heard the message stays, and what it said after does not', async () => {
  const [running, found] = [gate(), gate()]
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => {
      running.open()
      await found.passed
      return { ok: true, outcome: 'rain' }
    },
  }
  const provider = scriptedProvider([calls('look', {}), says('Rain, and yes, in verse.'), says('In prose.')])
  const engine = engineWith({ provider, toolbox: toolbox([look]) })
  const id = await openSession(engine)
  must(await engine.say({ session: id, text: 'Weather?', from: 'person' }))
  await running.passed
  const { seq } = must(await engine.say({ session: id, text: 'In verse', from: 'person' }))
  found.open()
  await until(engine, id, signal => isEvent(signal, 'turn.ended'))
  assert.match(provider.requests[1]?.body ?? '', /In verse/, 'its second step has heard it')
  const fork = must(await engine.fork(id, seq - 1, seq))
  const events = await eventsOf(engine, fork.id)
  assert.deepEqual(typesOf(events).slice(3), ['reply.finished', 'tool.started', 'tool.settled', 'turn.ended'])
  assert.equal(last(events, 'tool.settled').outcome, 'rain', 'what its call found is still known')
  await ask(engine, fork.id, 'In prose')
  const lines = linesOf(provider, -1)
  assert.ok(!lines.some(line => line.includes('verse')), lines.join('\n'))
  assert.deepEqual(lines.slice(0, 2), ['user: Weather?', 'assistant: look'])
  assert.match(lines[2] ?? '', /rain/)
  await verified(engine, fork.id)
  await engine.close()
})

test('a request that was built before the message and written down after it has not heard it', async () => {
  const [asking, said] = [gate(), gate()]
  const real = memoryLog({ clock: Date.now, weigh })
  let isFirst = true
  const append: Log['append'] = async (session, facts, options) => {
    if (isFirst && facts.some(({ type }) => type === 'context.planned')) {
      isFirst = false
      asking.open()
      await said.passed
    }
    return real.append(session, facts, options)
  }
  const provider = scriptedProvider([says('One.'), says('Two.'), says('Three.')])
  const engine = createEngine({ log: { ...real, append }, provider })
  const id = await openSession(engine)
  must(await engine.say({ session: id, text: 'first', from: 'person' }))
  await asking.passed
  const { seq } = must(await engine.say({ session: id, text: 'second', from: 'person' }))
  said.open()
  await until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq + 4)
  const fork = must(await engine.fork(id, seq - 1, seq))
  await ask(engine, fork.id, 'another second')
  assert.deepEqual(linesOf(provider, -1), ['user: first', 'assistant: One.', 'user: another second'])
  await verified(engine, fork.id)
  await engine.close()
})

test('in a council every answer that was being given stays, and nothing follows its round by itself', async () => {
  const [speaking, released] = [gate(), gate()]
  const provider = stand(async function* ({ voice, turn }) {
    if (turn > 1) return yield* says(`${voice} again.`)
    yield { type: 'text', text: `${voice} ` }
    if (voice === 'bo') speaking.open()
    await released.passed
    yield* says('speaks.')
  })
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')], { synthesis: 'brief' }), { provider })
  const { engine, session: id } = board
  must(await engine.say({ session: id, text: 'Rain?', from: 'person' }))
  await speaking.passed
  const { seq } = must(await engine.say({ session: id, text: 'Snow?', from: 'person' }))
  released.open()
  await settled(board, events => events.filter(event => event.type === 'turn.ended').length >= 6)
  const fork = must(await engine.fork(id, seq - 1, seq))
  const kept = await eventsOf(engine, fork.id)
  assert.deepEqual(kept.flatMap(event => (event.type === 'turn.ended' ? [`${event.voice} ${event.reason}`] : [])).sort(), [
    'ada done',
    'bo done',
  ])
  const here = { engine, session: fork.id }
  const said = must(await engine.say({ session: fork.id, text: 'Hail?', from: 'person', synthesis: null }))
  const events = await settled(here, all => all.filter(event => event.type === 'turn.ended').length >= 4)
  assert.ok(
    !events.some(event => event.type === 'turn.started' && event.voice === SYNTHESIS),
    'what was to be made of the round is made in the parent',
  )
  assert.ok(events.some(event => event.type === 'turn.started' && event.cause === said.seq))
  await verified(engine, fork.id)
  await engine.close()
})

test('such a version goes into an archive and comes back byte for byte', async () => {
  const { engine, id, seq } = await twoQuestions([says('Stopped.')])
  const fork = must(await engine.fork(id, seq - 1, seq))
  await ask(engine, fork.id, 'Stop')
  const archived = async (from: Engine): Promise<string> => {
    const pieces: string[] = []
    for await (const piece of must(await from.export('all', 'json')).pieces) pieces.push(piece)
    return pieces.join('')
  }
  const written = await archived(engine)
  assert.match(written, /"kept":2/)
  const other = engineWith({ provider: scriptedProvider([]) })
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(written)
  }
  must(await other.import(bytes()))
  assert.equal(await archived(other), written)
  await verified(other, fork.id)
  await engine.close()
})

test('the page shows both versions at the message, and the reply in each', async () => {
  const { engine, id, seq } = await twoQuestions([says('Stopped.')])
  const fork = must(await engine.fork(id, seq - 1, seq))
  await ask(engine, fork.id, 'Stop')
  const family = [must(await engine.session(id)), must(await engine.session(fork.id))]
  const shown = async (session: SessionId) => {
    const signals = (await eventsOf(engine, session)).map(event => ({ type: 'event', event }) as const)
    const rows = transcriptRows(reduceAll(EMPTY_VIEW, signals).entries, false)
    const versions = versionsOf(
      family,
      session,
      rows.map(row => row.seq),
    )
    return rows.map(row => ({ row: JSON.stringify(row), versions: versions.get(row.seq)?.sessions.length ?? 1 }))
  }
  for (const [session, words] of [
    [id, 'Go on'],
    [fork.id, 'Stop'],
  ] as const) {
    const rows = await shown(session)
    assert.deepEqual(
      rows.map(({ versions }) => versions),
      [1, 1, 2, 1],
    )
    assert.match(rows[1]?.row ?? '', /One, two\./)
    assert.match(rows[2]?.row ?? '', new RegExp(words))
  }
  await engine.close()
})
