// A channel finds what it remembered, under its own keys and by prefix.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelState } from '../../../src/log/ports.ts'
import { must, ticking } from '../facts.ts'
import { onEveryStore } from './stores.ts'

onEveryStore('ChannelState', open => {
  test('a channel remembers under its own keys, by how they begin, until it forgets', async t => {
    const store = await open(t, ticking())
    const { log } = store
    const said = {
      'chat:2': 'b',
      'chat:1': 'a',
      'chat%': 'p',
      chat_: 'u',
      'chatter:1': 'c',
      'chat:\u{10ffff}x': 'z',
      other: 'o',
    }
    for (const [key, value] of Object.entries(said)) must(await log.remember('telegram', key, value))
    must(await log.remember('chat', 'chat:1', 'elsewhere'))
    const chats = async (from: ChannelState, prefix: string) => [...must(await from.remembered('telegram', prefix))]
    const all = [
      ['chat:1', 'a'],
      ['chat:2', 'b'],
      ['chat:\u{10ffff}x', 'z'],
    ]
    assert.deepEqual(await chats(log, 'chat:'), all)
    assert.deepEqual(await chats(log, 'chat%'), [['chat%', 'p']])
    assert.deepEqual(await chats(log, 'chat_'), [['chat_', 'u']])
    assert.equal((await chats(log, '')).length, 7)
    assert.deepEqual(await chats(log, 'nobody'), [])
    must(await log.remember('telegram', 'chat:1', 'new'))
    must(await log.remember('telegram', 'chat:2', null))
    must(await log.remember('telegram', 'unknown', null))
    assert.deepEqual(await chats(log, 'chat:1'), [['chat:1', 'new']])
    assert.deepEqual(await chats(log, 'chat:2'), [])
    assert.deepEqual([...must(await log.remembered('chat', ''))], [['chat:1', 'elsewhere']])
    if (typeof store.restarted === 'function')
      assert.deepEqual(await chats(await store.restarted(), 'chat:1'), [['chat:1', 'new']])
  })
})
