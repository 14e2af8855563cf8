// A follower hears a reply whole, also where its last words were not said on this node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weigh } from '../../src/context/text/tokens.ts'
import { createFeed } from '../../src/log/feed.ts'
import { follow } from '../../src/log/follow.ts'
import { memoryLog } from '../../src/log/memory/memory-log.ts'
import { finished, heard, must, NOON, session, sessionOf, started, text, turn } from './facts.ts'

const ID = session('one')
const T1 = turn('1')

test('what was not heard of a reply is said before its event, and nothing of a reply that was not heard at all', async () => {
  const log = memoryLog({ clock: () => NOON, weigh })
  const feed = createFeed()
  must(await log.open(sessionOf(ID)))
  must(await log.append(ID, [heard('hello'), started(T1, 1)]))
  const abort = new AbortController()
  const signals = follow(log, feed, ID, 2, abort.signal)
  const said: unknown[] = []
  const listening = (async () => {
    for await (const signal of signals) {
      if (signal.type === 'delta') said.push([signal.delta.part, signal.delta.offset, signal.delta.text])
      if (signal.type === 'event') said.push(signal.event.type)
      if (said.filter(each => each === 'reply.finished').length === 2) abort.abort()
    }
  })()
  const delta = { turn: T1, step: 1, kind: 'think', part: 0, offset: 0, text: 'Well' } as const
  feed.began(ID, T1, 2)
  feed.delta(ID, delta)
  feed.delta(ID, { ...delta, offset: 4, text: ', ' })
  feed.delta(ID, { ...delta, kind: 'text', part: 1, text: 'It is 😀'.slice(0, 7) })
  const parts = [{ type: 'think', text: 'Well, yes' } as const, text('It is 😀.'), text('Bye')]
  must(await log.append(ID, [finished(T1, 1, ...parts), finished(T1, 2, text('unheard'))]))
  feed.settled(ID, T1)
  feed.head(ID, 4)
  await listening
  assert.deepEqual(said, [
    [0, 0, 'Well'],
    [0, 4, ', '],
    [1, 0, 'It is \ud83d'],
    [0, 6, 'yes'],
    [1, 7, '\ude00.'],
    [2, 0, 'Bye'],
    'reply.finished',
    'reply.finished',
  ])
})
