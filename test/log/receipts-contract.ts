import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { Clock, EndedReply, Log } from '../../src/log/ports.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import type { Shelf } from './contract.ts'
import { faultOf, heard, must, planned, receiptId, session, sessionOf, started, ticking, turn } from './facts.ts'

const RAIN = session('rain')
const COPY = session('copy')
const T1 = turn('1')
const ID = receiptId('one')

const receiptOf = (given: Partial<Receipt>): Receipt => {
  const fact = planned(T1, 1, given)
  assert.ok(fact.type === 'context.planned')
  return fact.receipt
}

/** What every log promises of receipts, and of what doors remember. */
export function receiptsContract(name: string, open: (t: TestContext, clock: Clock) => Promise<Shelf>): void {
  const opened = async (t: TestContext): Promise<Log> => (await open(t, ticking())).log

  suite(`${name}: receipts and doors`, { concurrency: 1 }, () => {
    test('a receipt of a session is found by its id, with where it is, and is gone with the last session that has it', async t => {
      const log = await opened(t)
      must(await log.open(sessionOf(RAIN)))
      must(await log.append(RAIN, [heard('Rain?'), started(T1, 1), planned(T1, 2, { id: ID })]))
      const found = must(await log.receipt(ID))
      assert.deepEqual(found, { receipt: receiptOf({ id: ID, through: 2 }), session: RAIN, turn: T1, step: 1 })
      must(await log.fork(RAIN, 3, sessionOf(COPY, { parent: { session: RAIN, at: 3 }, family: RAIN }), () => []))
      assert.equal(must(await log.receipt(ID)).session, RAIN, 'where it was sent')
      must(await log.remove(RAIN))
      assert.equal(must(await log.receipt(ID)).session, COPY)
      must(await log.remove(COPY))
      faultOf(await log.receipt(ID), 'not-found')
    })

    test('the account of a request whose conversation is not kept is found alone, and its use is counted under nobody', async t => {
      const log = await opened(t)
      const receipt = receiptOf({ id: ID })
      faultOf(await log.receipt(ID), 'not-found')
      must(await log.account(receipt))
      assert.deepEqual(must(await log.receipt(ID)), { receipt })
      assert.deepEqual(must(await log.usage({})), [])
      const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.5 }
      const reply: EndedReply = { type: 'reply.finished', turn: T1, step: 1, parts: [], model: 'a', usage }
      const known = { ...receipt, truncated: { sent: 9, seen: 4 } }
      must(await log.account(known, reply))
      assert.deepEqual(must(await log.receipt(ID)), { receipt: known }, 'the later one counts')
      assert.deepEqual(must(await log.usage({})), [{ day: '2026-01-01', model: 'a', ...usage, requests: 1 }])
      assert.deepEqual(must(await log.sessions({ limit: 9 })).items, [])
      faultOf(await log.account(receiptOf({ id: null })), 'invalid')
    })

    test('a door remembers under its own keys, by how they begin, until it forgets', async t => {
      const shelf = await open(t, ticking())
      const { log } = shelf
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
      const chats = async (from: Log, prefix: string) => [...must(await from.remembered('telegram', prefix))]
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
      if (typeof shelf.restarted === 'function')
        assert.deepEqual(await chats(await shelf.restarted(), 'chat:1'), [['chat:1', 'new']])
    })
  })
}
