// How long a reply took: measured with the engine's clock where it is heard, kept with it, and sent to nobody.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weigh } from '../../src/context/text/tokens.ts'
import { memoryLog, type Signal } from '../../src/index.ts'
import { type Event, parseFact } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Provider } from '../../src/model/provider.ts'
import { says, scriptedProvider } from '../../src/testing/index.ts'
import { heardAt, startWatch, timingOf } from '../../src/turn/step/reply-timing.ts'
import { engineWith, isEvent, until } from '../support/engine.ts'

type Moment = readonly [afterMs: number, delta: Delta]

/** A provider whose deltas come when its script says, on a clock that nobody else moves. */
function timed(...replies: readonly (readonly Moment[])[]): { readonly clock: () => number; readonly provider: Provider } {
  const { wire } = scriptedProvider([])
  let now = Date.UTC(2026, 0, 1)
  let next = 0
  return {
    clock: () => now,
    provider: {
      wire,
      async *speak() {
        for (const [afterMs, delta] of replies[next++] ?? []) {
          now += afterMs
          yield delta
        }
      },
    },
  }
}

async function repliesOf(replies: readonly (readonly Moment[])[], continuations = 0): Promise<readonly Event[]> {
  const { clock, provider } = timed(...replies)
  const engine = engineWith({ log: memoryLog({ clock, weigh }), clock, provider, resume: { continuations } })
  const opened = await engine.open({})
  assert.ok(opened.ok)
  const { id } = opened.value
  await engine.say({ session: id, text: 'Hello', from: 'person' })
  await until(engine, id, signal => isEvent(signal, 'turn.ended'))
  const read = await engine.read(id)
  assert.ok(read.ok)
  for await (const { verdict } of engine.verify(id)) assert.equal(verdict, 'identical')
  await engine.close(0)
  return read.value.filter((event): event is Event => event.type === 'reply.finished' || event.type === 'reply.broken')
}

const tookIn = (events: readonly Event[]): unknown[] => events.map(event => ('took' in event ? event.took : undefined))

const DONE: Delta = { type: 'done' }
const text = (said: string): Delta => ({ type: 'text', text: said })
const think = (thought: string): Delta => ({ type: 'think', text: thought })

test('a reply says when it began, how long it thought, and how long it took', async () => {
  const moments: readonly Moment[] = [
    [40, { type: 'usage', usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } }],
    [60, think('Hm')],
    [500, think(' so')],
    [200, text('Yes')],
    [1000, text(', it is')],
    [5, DONE],
  ]
  assert.deepEqual(tookIn(await repliesOf([moments])), [{ firstMs: 100, thinkMs: 700, ms: 1805 }])
})

test('what thought twice is added up, and what ends thinking has thought to its end', () => {
  const kinds = [
    ['think', 10],
    ['text', 30],
    ['think', 50],
    ['call', 60],
    ['think', 100],
  ] as const
  const watch = kinds.reduce((before, [kind, now]) => heardAt(before, kind, now), startWatch(0))
  assert.deepEqual(timingOf(watch, 107), { firstMs: 10, thinkMs: 20 + 10 + 7, ms: 107 })
})

test('a reply that broke says it too, and one that never began has no beginning', async () => {
  const broken: Delta = { type: 'fault', fault: fault('unreachable', 'gone') }
  const events = await repliesOf(
    [
      [
        [20, text('Half')],
        [30, broken],
      ],
      [
        [7, text(' and half')],
        [1, DONE],
      ],
    ],
    1,
  )
  assert.deepEqual(tookIn(events), [
    { firstMs: 20, ms: 50 },
    { firstMs: 7, ms: 8 },
  ])
  assert.deepEqual(tookIn(await repliesOf([[[300, broken]]])), [{ ms: 300 }])
})

test('a clock that stands still, or goes back, measures nothing', () => {
  assert.equal(timingOf(heardAt(startWatch(5), 'text', 5), 5), undefined)
  assert.equal(timingOf(startWatch(5), 3), undefined)
  assert.deepEqual(timingOf(heardAt(startWatch(5), 'text', 3), 9), { firstMs: 0, ms: 4 })
})

test('what a reply took adds nothing to it, and a reply of old that does not say is read as ever', async () => {
  const [reply] = await repliesOf([
    [
      [9, text('Yes')],
      [1, DONE],
    ],
  ])
  assert.ok(reply?.type === 'reply.finished' && reply.took !== undefined)
  const { took: _, ...old } = reply
  assert.deepEqual(weigh(reply), weigh(old))
  assert.ok(!('why' in parseFact('reply.finished', JSON.stringify(old))))
  const [untimed] = await repliesOf([
    [
      [0, text('Yes')],
      [0, DONE],
    ],
  ])
  assert.ok(untimed !== undefined && !('took' in untimed))
  assert.equal(untimed.tokens, reply.tokens)
})

test('what is sent is the same to the byte, whatever a reply took', async () => {
  const bodies = async (delay: number): Promise<readonly string[]> => {
    const spoken = scriptedProvider([says('One.'), says('Two.')])
    let now = 0
    const clock = (): number => {
      now += delay
      return now
    }
    const engine = engineWith({ provider: spoken, clock, log: memoryLog({ clock: () => 0, weigh }) })
    const opened = await engine.open({})
    assert.ok(opened.ok)
    for (const said of ['A', 'B']) {
      const taken = await engine.say({ session: opened.value.id, text: said, from: 'person' })
      assert.ok(taken.ok)
      const isOver = (signal: Signal): boolean => isEvent(signal, 'turn.ended') && signal.event.seq > taken.value.seq
      await until(engine, opened.value.id, isOver)
    }
    await engine.close(0)
    return spoken.requests.map(({ body }) => body)
  }
  assert.deepEqual(await bodies(250), await bodies(0))
})

test('no part of a reply took longer than the whole, also on a clock that was set back', () => {
  const watch = heardAt(heardAt(startWatch(1000), 'think', 1200), 'text', 1900)
  assert.deepEqual(timingOf(watch, 1100), { firstMs: 100, thinkMs: 100, ms: 100 })
})
