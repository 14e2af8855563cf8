// What the outbox does with a channel that refuses, or has a bug.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelAdapter } from '../../../src/gateway/channel/adapter.ts'
import { createOutbox, type PostContent } from '../../../src/gateway/channel/outbox.ts'
import { plain } from '../../../src/gateway/channel/text/rich-text.ts'
import { fault } from '../../../src/model/fault.ts'
import { err, ok } from '../../../src/model/result.ts'
import { gate } from '../../support/engine.ts'

const PACE = { chatMs: 1, restMs: () => 1, typingMs: 1000, backoffMs: 1, mostBackoffMs: 2 }
const PLACE = { chat: 'a' }
const content = (text: string, isFinal: boolean): PostContent => ({ pieces: [plain(text)], isFinal })

type Calls = Pick<ChannelAdapter, 'send' | 'edit' | 'remove' | 'typing'>

function outboxFor(calls: Partial<Calls>) {
  const [bugs, troubles]: [unknown[], string[]] = [[], []]
  const outbox = createOutbox({
    adapter: {
      ...{ pace: PACE, send: async () => ok('1'), edit: async () => ok(null) },
      ...{ remove: async () => ok(null), typing: async () => ok(null), ...calls },
    },
    abort: new AbortController().signal,
    onTrouble: ({ message }) => troubles.push(message),
    onBug: cause => bugs.push(cause),
  })
  return { outbox, bugs, troubles }
}

test('where a message cannot be edited, the final text is a new message and the old one goes', async () => {
  const did: string[] = []
  const [sent, refused, removed] = [gate(), gate(), gate()]
  const { outbox, troubles } = outboxFor({
    send: async (_, { text }) => {
      did.push(`send ${text}`)
      sent.open()
      return ok(`id of ${text}`)
    },
    edit: async (_, message) => {
      did.push(`edit ${message}`)
      refused.open()
      return err(fault('rejected', 'no edits here'))
    },
    remove: async (_, message) => {
      did.push(`remove ${message}`)
      removed.open()
      return ok(null)
    },
  })
  let now = content('One', false)
  const kept: (readonly string[])[] = []
  const post = outbox.post({
    place: PLACE,
    replyTo: 'm',
    sent: [],
    content: async () => now,
    onSent: async ids => kept.push(ids),
  })
  await sent.passed
  now = content('One two', false)
  post.changed()
  await refused.passed
  now = content('One two three', true)
  post.changed()
  await Promise.all([post.settled, removed.passed])
  assert.deepEqual(did, ['send One', 'edit id of One', 'send One two three', 'remove id of One'])
  assert.deepEqual(kept, [['id of One'], ['id of One two three']])
  assert.deepEqual(troubles, ['no edits here'])
})

test('a bug of a channel is reported, and the outbox still closes', async () => {
  const bug = new Error('a bug')
  const reported = gate()
  const { outbox, bugs } = outboxFor({
    send: async () => {
      reported.open()
      throw bug
    },
  })
  outbox.post({ place: PLACE, replyTo: 'm', sent: [], content: async () => content('One', false), onSent: async () => {} })
  await reported.passed
  await outbox.close()
  assert.deepEqual(bugs, [bug])
})
