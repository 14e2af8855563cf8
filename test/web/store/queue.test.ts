import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DraftFile } from '../../../web/src/store/message/attachments.ts'
import { createQueues, EMPTY_QUEUE, leaving, nextOf, withoutQueued, withQueued } from '../../../web/src/store/message/queue.ts'
import { delta, ended, event, planned, RECEIPT, started, TURN } from '../signals.ts'
import { chat, DOWN, mapLocalStore, settled, type World, world } from '../world.ts'

const one = { key: 'k1', text: 'one' }
const two = { key: 'k2', text: 'two' }

describe('a queue', () => {
  const queue = withQueued(withQueued(EMPTY_QUEUE, one), two)

  test('keeps the order, and nothing twice', () => {
    assert.deepEqual(queue.items, [one, two])
    assert.equal(withQueued(queue, one), queue)
    assert.deepEqual(withoutQueued(queue, 'k1').items, [two])
    assert.equal(withoutQueued(queue, 'k9'), queue)
  })

  test('the first goes out, and the second only when the first was heard', () => {
    assert.equal(nextOf(EMPTY_QUEUE, new Set()), null)
    assert.equal(nextOf(queue, new Set()), one)
    const begun = leaving(queue, 'k1')
    assert.equal(nextOf(begun, new Set()), one, 'whoever began it may be gone; the key makes it the same message')
    const elsewhere = withoutQueued(begun, 'k1')
    assert.equal(nextOf(elsewhere, new Set()), null, 'another tab has sent it, and it was not heard here yet')
    assert.equal(nextOf(elsewhere, new Set(['k1'])), two)
  })

  test('is kept, and what is kept but means nothing counts as empty', () => {
    const localStore = mapLocalStore()
    const queues = createQueues(localStore)
    queues.write('ses_1', queue)
    assert.deepEqual(createQueues(localStore).read('ses_1'), queue)
    assert.deepEqual(queues.read('ses_2'), EMPTY_QUEUE)
    localStore.write('queue.ses_1', 'nonsense')
    assert.deepEqual(queues.read('ses_1'), EMPTY_QUEUE)
    localStore.write('queue.ses_1', JSON.stringify({ items: [one, { text: 3 }, null], last: 4 }))
    assert.deepEqual(queues.read('ses_1'), { items: [one], last: null })
  })
})

const said = (world: World): unknown[][] => world.calls.filter(([name]) => name === 'say').map(([, ...args]) => args)

const keys = (world: World): string[] => said(world).map(([, message]) => (message as { key: string }).key)

const SAYS = [event(1, { type: 'message.received', text: 'go', from: 'person' }), started(2), planned(3), delta('Once ', 0)]

async function running(localStore = mapLocalStore()): Promise<World> {
  const here = world(localStore)
  here.store.visit(chat('ses_1'))
  here.followed[0]?.onSignals(SAYS)
  await settled()
  assert.deepEqual(here.store.get().view.running, [TURN])
  return here
}

const hear = async (
  { followed }: World,
  ...signals: Parameters<NonNullable<(typeof followed)[0]>['onSignals']>[0]
): Promise<void> => {
  followed[0]?.onSignals(signals)
  await settled()
}

describe('saying something while a reply runs', () => {
  test('what is queued is said by itself when the turn has ended well, one after the other', async () => {
    const here = await running()
    for (const text of ['first', 'second']) {
      here.store.write(text)
      await here.store.queueUp()
    }
    assert.equal(here.store.get().draft, '')
    assert.deepEqual(said(here), [])
    await hear(here, ended(4))
    assert.deepEqual(said(here), [['ses_1', { text: 'first', key: 'key-1' }]])
    assert.equal(here.store.get().queue.length, 2, 'it stays until the log has it')
    await hear(
      here,
      event(5, { type: 'message.received', text: 'first', from: 'person', key: 'key-1' }),
      started(6, 'trn_2' as typeof TURN),
      delta('Well', 0, { turn: 'trn_2' as typeof TURN }),
    )
    assert.deepEqual(
      here.store.get().queue.map(({ text }) => text),
      ['second'],
    )
    assert.equal(said(here).length, 1)
    await hear(here, ended(7, 'trn_2' as typeof TURN))
    assert.deepEqual(said(here)[1], ['ses_1', { text: 'second', key: 'key-2' }])
  })

  test('what was said into the turn and not heard there comes first', async () => {
    const here = await running()
    here.store.write('later')
    await here.store.queueUp()
    await hear(here, event(4, { type: 'message.received', text: 'now', from: 'person' }), ended(5))
    assert.deepEqual(said(here), [])
    await hear(here, started(6, 'trn_2' as typeof TURN), planned(7, 1, 'trn_2' as typeof TURN, { ...RECEIPT, through: 5 }))
    await hear(here, delta('Well', 0, { turn: 'trn_2' as typeof TURN }), ended(8, 'trn_2' as typeof TURN))
    assert.deepEqual(said(here), [['ses_1', { text: 'later', key: 'key-1' }]])
  })

  test('after a stop a person decides', async () => {
    const here = await running()
    here.store.write('later')
    await here.store.queueUp()
    await hear(here, event(4, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'cancelled' }))
    assert.deepEqual(said(here), [])
    await here.store.sendQueued('key-1')
    assert.deepEqual(said(here), [['ses_1', { text: 'later', key: 'key-1' }]])
  })

  test('what ended while nobody was here waits for a person, and is there after a reload', async () => {
    const localStore = mapLocalStore()
    const first = await running(localStore)
    first.store.write('later')
    await first.store.queueUp()
    const second = world(localStore)
    second.store.visit(chat('ses_1'))
    await hear(second, ...SAYS.slice(0, 3), ended(4))
    assert.deepEqual(said(second), [])
    assert.deepEqual(
      second.store.get().queue.map(({ text }) => text),
      ['later'],
    )
  })

  test('two tabs send the same one under the same key, and the second only once it was heard', async () => {
    const localStore = mapLocalStore()
    const first = await running(localStore)
    for (const text of ['one', 'two']) {
      first.store.write(text)
      await first.store.queueUp()
    }
    const other = await running(localStore)
    await hear(first, ended(4), event(5, { type: 'message.received', text: 'one', from: 'person', key: 'key-1' }))
    assert.deepEqual(said(first), [['ses_1', { text: 'one', key: 'key-1' }]], 'sent before it was heard')
    await hear(other, ended(4))
    assert.deepEqual(said(other), [], 'the first is on its way from elsewhere, and no second overtakes it')
  })

  test('where both tabs sent it, the one that hears it last goes on as well', async () => {
    const localStore = mapLocalStore()
    const first = await running(localStore)
    first.store.write('one')
    await first.store.queueUp()
    const other = await running(localStore)
    for (const tab of [first, other]) await hear(tab, ended(4))
    assert.deepEqual([...keys(first), ...keys(other)], ['key-1', 'key-1'])
    for (const tab of [first, other]) {
      await hear(tab, event(5, { type: 'message.received', text: 'one', from: 'person', key: 'key-1' }))
      assert.equal(tab.store.get().leaving, null)
      assert.deepEqual(tab.store.get().queue, [])
    }
  })

  test('a refusal leaves it in the queue, and says so', async () => {
    const here = await running()
    here.answers.set('say', () => ({ ok: false, problem: DOWN }))
    here.store.write('later')
    await here.store.queueUp()
    await hear(here, ended(4))
    assert.equal(here.store.get().problem, DOWN)
    assert.equal(here.store.get().leaving, null)
    assert.equal(here.store.get().queue.length, 1)
  })

  test('it can be taken back with its files, before what is written now; removed, it is gone', async () => {
    const here = await running()
    const file: Omit<DraftFile, 'id'> = {
      kind: 'text',
      name: 'a.txt',
      mediaType: 'text/plain',
      bytes: new Uint8Array([104, 105]),
    }
    here.store.write('with a file')
    assert.equal(here.store.attach(file), null)
    await here.store.queueUp()
    assert.deepEqual(here.store.get().files, [])
    assert.deepEqual(here.store.get().queue[0]?.files, ['a.txt'])
    here.store.write('now')
    here.store.editQueued(here.store.get().queue[0]?.key ?? '')
    assert.equal(here.store.get().draft, 'with a file\n\nnow')
    assert.equal(here.store.get().files[0]?.name, 'a.txt')
    assert.deepEqual(here.store.get().queue, [])

    await here.store.queueUp()
    here.store.dropQueued(here.store.get().queue[0]?.key ?? '')
    await hear(here, ended(4))
    assert.deepEqual(said(here), [])
  })

  test('files that stayed in another tab are not sent without them', async () => {
    const localStore = mapLocalStore()
    const first = await running(localStore)
    first.store.write('look')
    first.store.attach({ kind: 'text', name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array([104, 105]) })
    await first.store.queueUp()
    const other = await running(localStore)
    await hear(other, ended(4))
    assert.deepEqual(said(other), [])
    await other.store.sendQueued(other.store.get().queue[0]?.key ?? '')
    assert.deepEqual(said(other), [])
    assert.match(other.store.get().problem?.title ?? '', /files are not on this page/)
    await hear(first, ended(4))
    assert.equal(said(first).length, 1)
  })

  test('where nothing runs, queueing is sending', async () => {
    const here = world()
    here.store.visit(chat('ses_1'))
    here.store.write('hello')
    await here.store.queueUp()
    assert.equal(said(here).length, 1)
  })
})

describe('files of a draft', () => {
  const file: Omit<DraftFile, 'id'> = { kind: 'text', name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array([104, 105]) }
  const part = { type: 'file', name: 'a.txt', mediaType: 'text/plain', data: 'aGk=' }

  test('go with the message, and may go without words', async () => {
    const here = world()
    here.store.visit(chat('ses_1'))
    here.store.attach(file)
    await here.store.send()
    assert.deepEqual(said(here), [['ses_1', { text: '', key: 'key-2', parts: [part] }]])
    assert.deepEqual(here.store.get().files, [])
  })

  test('stay with their conversation, and with a refused message under the same key', async () => {
    const here = world()
    here.answers.set('say', () => ({ ok: false, problem: DOWN }))
    here.store.visit(chat('ses_1'))
    here.store.write('see')
    here.store.attach(file)
    await here.store.send()
    assert.equal(here.store.get().files.length, 1)
    here.store.visit(chat('ses_2'))
    assert.deepEqual(here.store.get().files, [])
    here.store.visit(chat('ses_1'))
    assert.equal(here.store.get().files[0]?.name, 'a.txt')
    await here.store.send()
    assert.deepEqual(keys(here)[0], keys(here)[1])
    here.store.detach(here.store.get().files[0]?.id ?? '')
    await here.store.send()
    assert.notEqual(keys(here)[2], keys(here)[0], 'without the file it is another message')
  })

  test('go over to the session that a first message makes', async () => {
    const here = world()
    here.answers.set('say', () => ({ ok: false, problem: DOWN }))
    here.store.visit(chat(null))
    here.store.write('see')
    here.store.attach(file)
    await here.store.send()
    assert.equal(here.store.get().session, 'ses_new')
    assert.equal(here.store.get().draft, 'see')
    assert.equal(here.store.get().files.length, 1)
    here.store.visit(chat(null))
    assert.deepEqual(here.store.get().files, [])
  })
})
