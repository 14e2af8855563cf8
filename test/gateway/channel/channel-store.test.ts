// What a channel remembers comes back after a restart, also what earlier versions wrote.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '../../../src/gateway/channel/adapter.ts'
import { type ChannelStore, type ChannelTask, openChannelStore } from '../../../src/gateway/channel/channel-store.ts'
import { type Log, memoryLog, weigh } from '../../../src/index.ts'
import { must } from '../../log/facts.ts'
import { counting } from '../../support/engine.ts'

const SESSION = counting()('ses')
const BINDING = { session: SESSION, agent: 'default', council: null }

const opened = async (log: Pick<Log, 'remember' | 'remembered'>): Promise<ChannelStore> =>
  must(
    await openChannelStore(log, {
      ...{ name: 'toy', pace: { backoffMs: 5 }, abort: new AbortController().signal },
      onBug: cause => assert.fail(String(cause)),
    }),
  )

const taskOf = (update: string, at = 0): ChannelTask => ({
  ...{ update, place: { chat: 'a' }, message: 'm', at, posts: { words: ['p:1'] }, isDone: false },
  task: { kind: 'command', command: 'help', argument: '', isDid: true },
})

test('ids with any characters come back as they were, and no two places are mixed up', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const store = await opened(log)
  const places: readonly Place[] = [
    { chat: 'a', topic: 'b' },
    { chat: 'a:b' },
    { chat: 'a%3Ab' },
    { chat: 'a%253Ab' },
    { chat: 'a:', topic: ':b' },
    { chat: '-100', topic: '7' },
  ]
  for (const place of places) {
    must(await store.bind(place, BINDING))
    must(await store.pair(place.chat))
  }
  must(await store.keep(taskOf('an:update%')))
  const again = await opened(log)
  assert.deepEqual(new Set(again.bindings().map(([place]) => place)), new Set(places))
  assert.deepEqual(new Set(again.paired()), new Set(places.map(({ chat }) => chat)))
  assert.deepEqual(again.task('an:update%'), taskOf('an:update%'))
})

test('open tasks come oldest first, and of one moment in the order of their numbers', async () => {
  const store = await opened(memoryLog({ clock: Date.now, weigh }))
  for (const task of [taskOf('1000', 5), taskOf('999', 5), taskOf('2000', 1)]) must(await store.keep(task))
  assert.deepEqual(
    store.open().map(({ update }) => update),
    ['2000', '999', '1000'],
  )
})

test('tasks, bindings and paired chats that earlier versions stored with numbers are read', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const old = {
    ...{ update: 1000, place: { chat: -100, topic: 7 }, message: 3, at: 1, posts: { trn_1: [4, 5] }, isDone: false },
    task: { kind: 'say', session: SESSION, isFresh: false, isInstead: false, seq: 1, head: 1, isAnswered: true },
  }
  must(await log.remember('toy', 'update:1000', JSON.stringify(old)))
  must(await log.remember('toy', 'chat:-100:7', JSON.stringify(BINDING)))
  must(await log.remember('toy', 'paired:-100', '1'))
  const store = await opened(log)
  assert.deepEqual(store.task('1000'), {
    ...{ update: '1000', place: { chat: '-100', topic: '7' }, message: '3', at: 1, posts: { trn_1: ['4', '5'] }, isDone: false },
    task: old.task,
  })
  assert.deepEqual(store.binding({ chat: '-100', topic: '7' }), BINDING)
  assert.deepEqual(store.paired(), ['-100'])
})
