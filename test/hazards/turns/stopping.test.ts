// A person's stop: what was said is kept and marked, and within a second nothing of the turn is at work any more, near or far.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Engine, Signal } from '../../../src/engine.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import { isReply } from '../../../src/model/message/spoken.ts'
import { spokenText } from '../../../src/model/turn-view/join-cuts.ts'
import { type Fake, type Script, startFake } from '../../../src/testing/index.ts'
import { type PlainTool, toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf, openIn } from '../../support/council.ts'
import { engineWith, eventsOf } from '../../support/engine.ts'
import { leftovers, runMarked } from '../../tool/ground.ts'

/** A second is promised; a machine that has much else to do gets more. */
const SOON_MS = 10_000
const MODEL = 'openai/gpt-5.1'
const STORY = 'Once upon a time there was a river, and it carried small boats down to the sea.'

/** Tells a story and falls silent in the middle, or uses a tool where it is asked as the one that toils. */
function storyteller(fake: () => Fake): Script {
  const toils = (): boolean => (fake().requests.at(-1)?.body ?? '').includes('You are Toiler.')
  return {
    get says() {
      return toils() ? [{ type: 'call', id: 'c1', tool: 'toil', args: '{}' } as const] : [{ type: 'text', text: STORY } as const]
    },
    get faults() {
      return toils() ? [] : [{ type: 'stallAt', byte: 3000 } as const]
    },
  }
}

/** A tool whose process does not want to end, and has a child that does not, either. */
function toil(mark: string): PlainTool & { readonly over: Promise<void> } {
  const over = Promise.withResolvers<void>()
  return {
    over: over.promise,
    spec: { name: 'toil', description: 'Toils', parameters: { type: 'object' } },
    run: async (_, signal) => {
      await runMarked(mark, ['/bin/sh', '-c', 'trap "" TERM; sleep 60 & while :; do sleep 1; done'], { signal })
      over.resolve()
      return { ok: true, outcome: 'done' }
    },
  }
}

type Scene = { readonly fake: Fake; readonly engine: Engine; readonly mark: string; readonly tool: ReturnType<typeof toil> }

async function scene(t: TestContext): Promise<Scene> {
  const late: { fake?: Fake } = {}
  const script = storyteller(() => late.fake ?? assert.fail('it has not begun'))
  const fake = await startFake({ wire: 'openai', script })
  late.fake = fake
  const mark = randomUUID()
  const tool = toil(mark)
  const engine = engineWith({
    model: MODEL,
    providers: { openai: { apiKey: 'sk-fake', baseURL: fake.url } },
    councils: () => [councilOf(['ada', 'bo', 'cy', 'toiler'].map(id => advisor(id, { house: true })))],
    agents: () => [{ key: 'teller', name: 'Teller', prompt: 'You tell.' }],
    toolbox: toolbox([tool]),
  })
  t.after(async () => {
    await engine.close(100)
    await fake.close()
    assert.deepEqual(leftovers(mark), [], 'no process is left')
  })
  return { fake, engine, mark, tool }
}

/** Follows until everybody who speaks has been heard, and every tool is at work. */
async function untilBusy(engine: Engine, session: SessionId, speakers: number, tools: number): Promise<void> {
  const abort = new AbortController()
  const heard = new Set<string>()
  let started = 0
  for await (const signal of engine.follow(session, 0, abort.signal) as AsyncIterable<Signal>) {
    if (signal.type === 'delta' && signal.delta.kind === 'text') heard.add(signal.delta.turn)
    if (signal.type === 'event' && signal.event.type === 'tool.started') started += 1
    if (heard.size === speakers && started === tools) break
  }
  abort.abort()
}

const textsIn = (events: readonly Recorded[]): readonly string[] =>
  [...Map.groupBy(events.filter(isReply), ({ turn }) => turn).values()].map(spokenText).filter(text => text !== '')

const endsIn = (events: readonly Recorded[]): readonly string[] =>
  events.flatMap(event => (event.type === 'turn.ended' ? [event.reason] : []))

test('one who speaks: the socket is closed, and what was said is kept as broken off', async t => {
  const { fake, engine } = await scene(t)
  const opened = await engine.open({ agent: 'teller' })
  assert.ok(opened.ok)
  const session = opened.value.id
  await engine.say({ session, text: 'Tell me', from: 'person' })
  await untilBusy(engine, session, 1, 0)
  const started = performance.now()
  const stopped = await engine.cancel(session)
  await fake.quiet()
  assert.ok(performance.now() - started < SOON_MS)
  assert.ok(stopped.ok)
  assert.equal(stopped.value.length, 1)
  const events = await eventsOf(engine, session)
  assert.deepEqual(endsIn(events), ['cancelled'])
  const [text = ''] = textsIn(events)
  assert.ok(text !== '' && STORY.startsWith(text), text)
  const broken = events.find(event => event.type === 'reply.broken')
  assert.equal(broken?.type === 'reply.broken' ? broken.fault.kind : '', 'cancelled')
  assert.equal(events.filter(({ type }) => type === 'context.planned').length, 1, 'nothing goes on by itself after a stop')
  assert.equal(fake.requests.length, 1)
})

test('three who speak and one whose tool runs: every socket and every process is gone, and every turn has its end', async t => {
  const { fake, engine, mark, tool } = await scene(t)
  const opened = await engine.open({ council: 'board' })
  assert.ok(opened.ok)
  const session = opened.value.id
  const said = await engine.say({ session, text: 'Tell us', from: 'person' })
  assert.ok(said.ok)
  assert.equal(said.value.turns.length, 4)
  await untilBusy(engine, session, 3, 1)
  while (leftovers(mark).length < 2) await pause(10)
  await fake.quiet(3)
  assert.equal(fake.openSockets(), 3)

  const started = performance.now()
  const stopped = await engine.cancel(session)
  await Promise.all([fake.quiet(), tool.over])
  const ms = performance.now() - started
  assert.ok(ms < SOON_MS, `${ms} ms`)
  assert.deepEqual(leftovers(mark), [])
  assert.ok(stopped.ok)
  assert.deepEqual([...stopped.value].sort(), [...said.value.turns].sort())

  const events = await eventsOf(engine, session)
  assert.deepEqual(openIn(events), [])
  assert.deepEqual(endsIn(events), Array(4).fill('cancelled'))
  const texts = textsIn(events)
  assert.equal(texts.length, 3)
  for (const text of texts) assert.ok(STORY.startsWith(text), text)
  assert.deepEqual(
    events.flatMap(event => (event.type === 'tool.settled' ? [[event.ok, event.outcome]] : [])),
    [[false, 'interrupted, its effects are unknown']],
  )
  assert.equal(fake.requests.length, 4, 'nothing goes on by itself after a stop')
})

test('what was stopped counts as an answer in what is sent next, and only as far as it came', async t => {
  const { fake, engine } = await scene(t)
  const opened = await engine.open({ agent: 'teller' })
  assert.ok(opened.ok)
  const session = opened.value.id
  await engine.say({ session, text: 'Tell me', from: 'person' })
  await untilBusy(engine, session, 1, 0)
  assert.ok((await engine.cancel(session)).ok)
  const [text = ''] = textsIn(await eventsOf(engine, session))
  fake.say({ says: [{ type: 'text', text: 'As you like.' }] })
  await engine.say({ session, text: 'Enough', from: 'person' })
  await fake.nextRequest()
  const { body } = await fake.nextRequest()
  const said = JSON.parse(body).messages.map(({ role, content }: { role: string; content: { text: string }[] }) => [
    role,
    content.map(each => each.text).join(''),
  ])
  assert.deepEqual(said.slice(-3), [
    ['user', 'Tell me'],
    ['assistant', text],
    ['user', 'Enough'],
  ])
})
