// Who gets the next place where a provider takes only so many requests at one time.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { setImmediate as settle } from 'node:timers/promises'
import fc from 'fast-check'
import type { Provider } from '../../src/model/provider.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { textSpoken } from '../../src/provider/text-protocol/spoken.ts'
import { createSlots } from '../../src/provider/transport/slots.ts'
import { startFake } from '../../src/testing/index.ts'
import { ask, engineWith, openSession } from '../support/engine.ts'
import { tries } from '../support/tries.ts'
import { clientFor, collected, requestTo } from './speaking.ts'

type Entrant = {
  readonly whose: string
  readonly controller: AbortController
  is: 'waiting' | 'inside' | 'left' | 'gone'
  leave: () => void
}

type Crowd = {
  readonly those: (is: Entrant['is']) => readonly Entrant[]
  /** In the order in which they got their places. */
  readonly admitted: readonly Entrant[]
  readonly enter: (whose: string) => Entrant
}

function crowdAt(most: number): Crowd {
  const slots = createSlots(most)
  const everybody: Entrant[] = []
  const admitted: Entrant[] = []
  return {
    those: is => everybody.filter(entrant => entrant.is === is),
    admitted,
    enter: whose => {
      const entrant: Entrant = { whose, controller: new AbortController(), is: 'waiting', leave: () => {} }
      everybody.push(entrant)
      slots.enter(entrant.controller.signal, whose).then(leave => {
        entrant.is = leave === undefined ? 'gone' : 'inside'
        if (leave === undefined) return
        admitted.push(entrant)
        entrant.leave = () => {
          entrant.is = 'left'
          leave()
          // Who leaves twice gives back one place.
          leave()
        }
      })
      return entrant
    },
  }
}

type Step = {
  readonly does: 'enters' | 'leaves' | 'leaves as one enters' | 'gives up waiting' | 'is halted inside'
  readonly whose: string
  readonly which: number
}

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.oneof(
    { weight: 5, arbitrary: fc.constant('enters' as const) },
    { weight: 3, arbitrary: fc.constant('leaves' as const) },
    { weight: 1, arbitrary: fc.constantFrom('leaves as one enters', 'gives up waiting', 'is halted inside') },
  ),
  whose: fc.constantFrom('ann', 'ben', 'cleo', 'dora'),
  which: fc.nat({ max: 20 }),
})

function take({ those, enter }: Crowd, { does, whose, which }: Step): void {
  const oneOf = (entrants: readonly Entrant[]): Entrant | undefined => entrants[which % entrants.length]
  switch (does) {
    case 'enters':
      enter(whose)
      return
    case 'leaves':
      oneOf(those('inside'))?.leave()
      return
    case 'leaves as one enters':
      oneOf(those('inside'))?.leave()
      enter(whose)
      return
    case 'gives up waiting':
      oneOf(those('waiting'))?.controller.abort()
      return
    case 'is halted inside':
      oneOf(those('inside'))?.controller.abort()
      return
    default:
      throw new Error(`unknown ${does satisfies never}`)
  }
}

/** Of each who waits, who else got a place since it last got one itself or began to wait. */
type Patience = Map<string, Set<string>>

function noteFor(patience: Patience, got: string): void {
  for (const [waits, others] of patience) {
    if (waits === got) others.clear()
    else assert.ok(!others.has(got), `${got} got two places while ${waits} waited for one`)
    if (waits !== got) others.add(got)
  }
}

test('whoever waits gets a place before anybody else gets two, and no place is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60, size: 'max' }), async (most, steps) => {
      const crowd = crowdAt(most)
      const { those, admitted } = crowd
      const patience: Patience = new Map()
      const takes = async (next: () => void): Promise<void> => {
        const waited = those('waiting')
        const before = admitted.length
        next()
        await settle()
        for (const entrant of admitted.slice(before)) {
          if (waited.length > 0)
            assert.equal(
              entrant,
              waited.find(({ whose }) => whose === entrant.whose),
              'out of order',
            )
          noteFor(patience, entrant.whose)
        }
        const waits = new Set(those('waiting').map(({ whose }) => whose))
        for (const whose of patience.keys()) if (!waits.has(whose)) patience.delete(whose)
        for (const whose of waits) if (!patience.has(whose)) patience.set(whose, new Set())
        const inside = those('inside').length
        assert.ok(inside <= most, `${inside} of ${most} inside`)
        assert.ok(waits.size === 0 || inside === most, `some wait, and ${inside} of ${most} are inside`)
        for (const { controller } of those('inside')) assert.equal(getEventListeners(controller.signal, 'abort').length, 0)
        for (const { controller } of those('waiting')) assert.ok(!controller.signal.aborted, 'one who gave up still waits')
      }
      for (const next of steps) await takes(() => take(crowd, next))
      for (let [first] = those('inside'); first !== undefined; [first] = those('inside')) {
        const { leave } = first
        await takes(leave)
      }
      assert.equal(those('waiting').length, 0)
      for (const { controller } of those('gone')) assert.ok(controller.signal.aborted)
      for (let place = 0; place <= most; place += 1) await takes(() => void crowd.enter('ann'))
      assert.deepEqual([those('inside').length, those('waiting').length], [most, 1])
    }),
    tries(1000),
  )
})

test('one who gave up before it came takes no place', async () => {
  const slots = createSlots(1)
  assert.equal(await slots.enter(AbortSignal.abort(), 'ann'), undefined)
  assert.ok(await slots.enter(new AbortController().signal, 'ben'))
})

for (const [what, heardAs] of [
  ['a provider', (provider: Provider): Provider => provider],
  ['one whose model calls tools in its text', (provider: Provider): Provider => textSpoken(provider)],
] as const)
  test(`${what}: a session with many requests lets another's single one go between them`, async () => {
    await using fake = await startFake({ wire: 'openai', script: { faults: [{ type: 'stallAt', byte: 100 }] } })
    const provider = heardAs(clientFor('openai', fake.url, { concurrency: 2 }))
    const controllers = new Map<string, AbortController>()
    const replies = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'].map(label => {
      const controller = new AbortController()
      controllers.set(label, controller)
      return collected(provider.speak(requestTo('openai', { label }), controller.signal, label.slice(0, 1)))
    })
    const next = async (): Promise<string> => JSON.parse((await fake.nextRequest()).body).label
    const served = [await next(), await next()].sort()
    // Whoever was served first makes room for the next.
    for (let made = 0; made < 5; made += 1) {
      controllers.get(served[made] ?? '')?.abort()
      served.push(await next())
    }
    for (const controller of controllers.values()) controller.abort()
    await Promise.all(replies)
    provider.close?.()
    assert.deepEqual(served, ['a1', 'a2', 'a3', 'b1', 'a4', 'a5', 'a6'])
  })

test('a turn asks in the name of its session', async () => {
  const heard: unknown[] = []
  const provider: Provider = {
    wire: demoWire,
    speak: async function* (_request, _signal, whose) {
      heard.push(whose)
      yield { type: 'done' }
    },
  }
  const engine = engineWith({ provider })
  const sessions = [await openSession(engine), await openSession(engine)]
  for (const session of sessions) await ask(engine, session, 'Hello.')
  await engine.close()
  assert.deepEqual(heard, sessions)
})
