// Receipts are found by their id, with or without their conversation.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { EndedReply, Log } from '../../../src/log/ports.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { faultOf, heard, must, planned, receiptId, session, sessionOf, started, ticking, turn } from '../facts.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')
const COPY = session('copy')
const T1 = turn('1')
const ID = receiptId('one')

const receiptOf = (given: Partial<Receipt>): Receipt => {
  const fact = planned(T1, 1, given)
  assert.ok(fact.type === 'context.planned')
  return fact.receipt
}

onEveryStore('Receipts', open => {
  const opened = async (t: TestContext): Promise<Log> => (await open(t, ticking())).log

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
})
