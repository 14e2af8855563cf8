/** A job that one node runs at a time: who gets it, when it moves, and that no node acts without its lease. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { type OneNodeRunner, runOnOneNode } from '../../src/gateway/run-on-one-node.ts'
import { memoryLog, weigh } from '../../src/index.ts'
import type { Leases } from '../../src/log/open-store.ts'
import { fault } from '../../src/model/fault.ts'
import { err } from '../../src/model/result.ts'

const KEY = 'channel:telegram'

type Node = {
  readonly runner: OneNodeRunner
  readonly log: string[]
  readonly isMine: () => boolean
  /** While true, the store gives this node no answer. */
  cut: boolean
}

/** Time, and a store that two nodes share. The store's clock and the nodes' clocks are one. */
function house(t: { readonly after: (run: () => void) => void }) {
  let now = 1000
  mock.timers.enable({ apis: ['setTimeout'] })
  const clock = mock.method(performance, 'now', () => now)
  t.after(() => {
    mock.timers.reset()
    clock.mock.restore()
  })
  const { nodes } = memoryLog({ clock: () => now, weigh, isShared: true })
  assert.ok(nodes !== undefined)
  const { leases } = nodes
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 50; i += 1) await Promise.resolve()
  }
  return {
    leases,
    settle,
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 500) {
        now += 500
        mock.timers.tick(500)
        await settle()
      }
    },
    /** The nodes sleep, and the store's time goes on. */
    sleep: (ms: number): void => {
      now += ms
    },
    node: (name: string): Node => {
      const log: string[] = []
      let isMine = (): boolean => false
      const away = async () => err(fault('store', 'away'))
      const cuttable: Leases = {
        take: (...given) => (made.cut ? away() : leases.take(...given)),
        renew: (...given) => (made.cut ? away() : leases.renew(...given)),
        giveBack: (...given) => (made.cut ? away() : leases.giveBack(...given)),
        orphans: leases.orphans,
      }
      const made: Node = { log, cut: false, isMine: () => isMine(), runner: undefined as unknown as OneNodeRunner }
      const runner = runOnOneNode(
        {
          start: given => {
            isMine = given
            log.push('start')
            return { stop: async why => void log.push(why) }
          },
          onBug: assert.ifError,
        },
        { leases: cuttable, key: KEY, node: name },
      )
      return Object.assign(made, { runner })
    },
  }
}

test('one node of two runs a job, and the other gets it as soon as it is given back', async t => {
  const { node, pass, settle } = house(t)
  const [one, other] = [node('one'), node('other')]
  await settle()
  await pass(60_000)
  assert.deepEqual([one.log, other.log], [['start'], []])
  await one.runner.stop()
  assert.deepEqual(one.log, ['start', 'stopped'])
  await pass(5000)
  assert.deepEqual(other.log, ['start'])
  await other.runner.stop()
})

test('a node that cannot reach the store stops in time, and another one has the job within twenty seconds', async t => {
  const { node, pass, settle } = house(t)
  const [one, other] = [node('one'), node('other')]
  await settle()
  await pass(6000)
  one.cut = true
  let both = 0
  for (let waited = 0; waited < 20_000; waited += 500) {
    await pass(500)
    if (one.isMine() && other.isMine()) both += 1
  }
  assert.equal(both, 0)
  assert.deepEqual([one.log, other.log], [['start', 'lost'], ['start']])
  one.cut = false
  await pass(10_000)
  assert.deepEqual(one.log, ['start', 'lost'])
  await other.runner.stop()
  await pass(5000)
  assert.deepEqual(one.log, ['start', 'lost', 'start'])
  await one.runner.stop()
})

test('a short absence of the store costs nothing', async t => {
  const { node, pass, settle } = house(t)
  const one = node('one')
  await settle()
  await pass(6000)
  one.cut = true
  await pass(8000)
  one.cut = false
  await pass(30_000)
  assert.deepEqual(one.log, ['start'])
  assert.ok(one.runner.isRunning())
  await one.runner.stop()
})

test('a node that was asleep for longer than its lease may not act when it wakes', async t => {
  const { node, pass, sleep, settle, leases } = house(t)
  const one = node('one')
  await settle()
  await pass(5000)
  assert.ok(one.isMine())
  sleep(16_000)
  assert.ok(!one.isMine(), 'before any of its timers has run')
  const taken = await leases.take(KEY, 'other', 15_000)
  assert.ok(taken.ok && taken.value.node === 'other')
  await pass(5000)
  assert.deepEqual(one.log, ['start', 'lost'])
  await one.runner.stop()
  const still = await leases.take(KEY, 'third', 15_000)
  assert.ok(still.ok && still.value.node === 'other', 'it gives back nothing that is not its own')
})

test('a job that cannot start leaves its lease to the others', async t => {
  const { leases, settle } = house(t)
  const bugs: unknown[] = []
  const start = (): never => {
    throw new Error('no')
  }
  const runner = runOnOneNode({ start, onBug: cause => bugs.push(cause) }, { leases, key: KEY, node: 'one' })
  await settle()
  assert.equal(bugs.length, 1)
  const taken = await leases.take(KEY, 'other', 15_000)
  assert.ok(taken.ok && taken.value.node === 'other')
  await runner.stop()
})
