// A session from elsewhere answers nothing by itself, and goes on like any other once a person says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, type EngineOptions, memoryLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Fact, Recorded } from '../../src/model/event.ts'
import type { SessionId, TurnId } from '../../src/model/ids.ts'
import type { Session } from '../../src/model/session.ts'
import { ended, faultOf, finished, heard, must, pieceOf, session, started, text, turn } from '../log/facts.ts'
import { advisor, councilOf, type Stand, stand } from '../support/council.ts'
import { ask, engineWith, eventsOf, isEvent, last, openSession, until } from '../support/engine.ts'

const RAIN = session('rain')
const T1 = turn('1')
const T2 = turn('2')

/** As a conversation from another program comes: what was said, and whose turn it was, but no receipts. */
const talk = (cause: number, id: TurnId, question: string, answer: string): readonly Fact[] => [
  heard(question),
  started(id, cause),
  finished(id, 1, text(answer)),
  ended(id),
]

type House = { readonly log: Log; readonly provider: Stand; readonly engine: Engine }

async function houseWith(
  facts: readonly Fact[],
  given: Partial<Session> = {},
  options: Partial<EngineOptions> = {},
): Promise<House> {
  const log = memoryLog({ clock: Date.now, weigh })
  const bringing = must(await log.startImport())
  must(await bringing.add(pieceOf(RAIN, facts, given)))
  must(await bringing.publish(({ turn: id, voice }) => [{ type: 'turn.ended', turn: id, voice, reason: 'interrupted' }]))
  const provider = stand()
  return { log, provider, engine: engineWith({ provider, log, ...options }) }
}

const answered = (engine: Engine, id: SessionId, after: number): Promise<unknown> =>
  until(engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.seq > after)
const voicesIn = (events: readonly Recorded[], after: number): readonly string[] =>
  events.flatMap(event => (event.type === 'turn.started' && event.seq > after ? [event.voice] : []))

test('whoever says something new there is answered by one who has heard all of it', async () => {
  const { engine, provider } = await houseWith(talk(1, T1, 'Will it rain?', 'It will.'))
  const events = await ask(engine, RAIN, 'Still?')
  assert.deepEqual(last(events, 'reply.finished').parts, [text('assistant says 2.')])
  const sent = JSON.stringify(provider.requests.at(-1))
  for (const said of ['Will it rain?', 'It will.', 'Still?']) assert.ok(sent.includes(said), `${said} is in the request`)
  for await (const { verdict, detail } of engine.verify(RAIN)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a message that was left unanswered is answered when a person says so, and only then', async () => {
  const { engine, log, provider } = await houseWith([...talk(1, T1, 'one', 'first'), heard('two')])
  must(await engine.recover())
  await ask(engine, await openSession(engine), 'something else, so that whatever was started has begun')
  assert.equal((await eventsOf(engine, RAIN)).length, 5)
  assert.deepEqual(must(await log.waiting()), [])
  assert.equal(must(await engine.resume(RAIN)).length, 1)
  await answered(engine, RAIN, 5)
  const events = await eventsOf(engine, RAIN)
  assert.equal(last(events, 'turn.started').cause, 5)
  assert.ok(JSON.stringify(provider.requests.at(-1)).includes('two'))
  faultOf(await engine.resume(RAIN), 'conflict')
  assert.equal(voicesIn(events, 5).length, 1)
})

test('where every message was answered there is nothing to go on with', async () => {
  const { engine } = await houseWith(talk(1, T1, 'one', 'first'))
  faultOf(await engine.resume(RAIN), 'conflict')
  must(await engine.change(RAIN, { title: 'Rain' }))
  faultOf(await engine.resume(RAIN), 'conflict')
})

test('only the last message counts as left unanswered, also when the session was renamed since', async () => {
  const { engine } = await houseWith([heard('one'), heard('two'), heard('three')])
  must(await engine.change(RAIN, { title: 'Rain' }))
  assert.equal(must(await engine.resume(RAIN)).length, 1)
  await answered(engine, RAIN, 4)
  assert.equal(last(await eventsOf(engine, RAIN), 'turn.started').cause, 3)
})

test('a turn that had no end was interrupted, and is gone on with by a new one', async () => {
  const { engine } = await houseWith([heard('one'), started(T1, 1), finished(T1, 1, text('half'))])
  const [id] = must(await engine.resume(RAIN))
  await answered(engine, RAIN, 4)
  const again = last(await eventsOf(engine, RAIN), 'turn.started')
  assert.deepEqual([again.turn, again.resumes, again.cause], [id, T1, 1])
})

test('of a council, those are asked who had not answered', async () => {
  const board = councilOf([advisor('ada'), advisor('bo')])
  const asked: Fact = { type: 'message.received', text: 'one', from: 'person', voices: ['ada', 'bo'] }
  const ada: readonly Fact[] = [
    { type: 'turn.started', turn: T1, voice: 'ada', cause: 1 },
    finished(T1, 1, text('mine')),
    { type: 'turn.ended', turn: T1, voice: 'ada', reason: 'done' },
  ]
  const { engine } = await houseWith([asked, ...ada], { agent: null, council: 'board' }, { councils: () => [board] })
  assert.equal(must(await engine.resume(RAIN)).length, 1)
  await answered(engine, RAIN, 4)
  assert.deepEqual(voicesIn(await eventsOf(engine, RAIN), 4), ['bo'])
  // From one to several, or back: nothing of what came in stands in the way.
  must(await engine.change(RAIN, { agent: 'assistant' }))
})

test('a fork of it has what it shares from its parent, and what is said there is its own', async () => {
  const { engine, log } = await houseWith([...talk(1, T1, 'one', 'first'), ...talk(5, T2, 'two', 'second')])
  const fork = must(await engine.fork(RAIN, 4))
  assert.deepEqual([fork.parent, fork.importedThrough, fork.origin], [{ session: RAIN, at: 4 }, undefined, 'chatgpt'])
  // Admitted, but nobody has heard it when the process ends; it stands before where the parent's own messages begin.
  must(await log.append(fork.id, [heard('three')]))
  const second = engineWith({ provider: stand(), log })
  must(await second.recover())
  await answered(second, fork.id, 5)
  assert.equal(last(await eventsOf(second, fork.id), 'turn.started').cause, 5)
})

/** A log that counts what it was asked, and how many events it gave. */
function counted(log: Log): { readonly log: Log; readonly taken: () => readonly [asked: number, events: number] } {
  let asked = 0
  let events = 0
  const counting =
    <Args extends readonly unknown[], Given extends { readonly ok: boolean }>(
      ask: (...args: Args) => Promise<Given>,
      many: (given: Given) => number,
    ) =>
    async (...args: Args): Promise<Given> => {
      const given = await ask(...args)
      asked += 1
      events += many(given)
      return given
    }
  return {
    log: {
      ...log,
      read: counting(log.read, read => (read.ok ? read.value.length : 0)),
      past: counting(log.past, read => (read.ok ? read.value.events.length : 0)),
      planned: counting(log.planned, read => (read.ok ? read.value.length : 0)),
      voiceAt: counting(log.voiceAt, () => 0),
    },
    taken: () => {
      const before = [asked, events] as const
      asked = 0
      events = 0
      return before
    },
  }
}

test('what the inspector reads does not depend on how long the imported session is', async () => {
  const reads = async (turns: number): Promise<readonly (readonly number[])[]> => {
    const said = Array.from({ length: turns }, (_, index) => talk(index * 4 + 1, turn(`${index}`), `question ${index}`, 'yes'))
    const { log: whole } = await houseWith(said.flat(), { policy: 'recent' })
    const { log, taken } = counted(whole)
    const engine = engineWith({ log, provider: stand() })
    const found: (readonly number[])[] = []
    const look = async (work: () => Promise<Parameters<typeof must>[0]>): Promise<void> => {
      taken()
      must(await work())
      found.push(taken())
    }
    await look(() => engine.wouldSend(RAIN, { text: 'And now?' }))
    await look(() => engine.wouldSend(RAIN, { text: 'And now?', at: turns * 2 }))
    const { turn: asked } = last(await ask(engine, RAIN, 'And now?'), 'turn.ended')
    await ask(engine, RAIN, 'And then?')
    await look(() => engine.wouldSend(RAIN, { text: 'And now?' }))
    await look(() => engine.asSent(RAIN, asked, 1, { items: true }))
    await look(() => engine.presence(RAIN, 1, { limit: 20 }))
    await look(() => engine.timeline(RAIN, { limit: 20 }))
    return found
  }
  assert.deepEqual(await reads(400), await reads(40))
})
