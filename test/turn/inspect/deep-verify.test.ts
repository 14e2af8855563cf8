import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine, Verification } from '../../../src/engine.ts'
import type { Log } from '../../../src/index.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { eventsOf } from '../../support/engine.ts'
import { FORGETFUL, GENEROUS, recalling, reopened, SAVING } from './recalling.ts'

async function verified(engine: Engine, id: SessionId, deep: boolean): Promise<readonly Verification[]> {
  const all: Verification[] = []
  for await (const verification of engine.verify(id, { deep })) all.push(verification)
  return all
}

const deepOf = (all: readonly Verification[]) => all.flatMap(({ deep }) => (deep === undefined ? [] : [deep]))

const receiptsOf = (events: readonly Recorded[]): readonly Receipt[] =>
  events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

/** A log whose receipts were changed behind our back. */
const tampered = (log: Log, change: (receipt: Receipt) => Receipt): Log => ({
  ...log,
  read: async (id, range) => {
    const read = await log.read(id, range)
    if (!read.ok) return read
    return {
      ok: true,
      value: read.value.map(event => (event.type === 'context.planned' ? { ...event, receipt: change(event.receipt) } : event)),
    }
  },
})

for (const policy of [GENEROUS, SAVING])
  test(`what was recalled under "${policy.name}" is found again in an index made from the log alone`, async () => {
    const { engine, log, id } = await recalling(policy)
    const receipts = receiptsOf(await eventsOf(engine, id))
    assert.ok(receipts.filter(({ window }) => window.recalled !== undefined).length > 0, 'something was recalled')
    const marked = await engine.mark(id, 1, 'exclude')
    assert.ok(marked.ok)
    await engine.close(0)
    // The kept index plays no part.
    assert.ok((await log.recall.clear(id)).ok)
    const again = reopened(log, policy)
    const all = await verified(again, id, true)
    const looked = receipts.filter(({ inputs }) => inputs.recall?.found !== undefined).length
    assert.deepEqual(
      all.map(({ verdict }) => verdict),
      receipts.map(() => 'identical'),
    )
    assert.deepEqual(
      deepOf(all),
      Array.from({ length: looked }, () => ({ verdict: 'identical' })),
    )
    assert.deepEqual(deepOf(await verified(again, id, false)), [])
    assert.deepEqual(await log.recall.state(id), { ok: true, value: undefined }, 'nothing was written')
    await again.close(0)
  })

test('a receipt that names another quote is found, with its digest unchanged and with one that fits', async () => {
  const { engine, log, id } = await recalling(GENEROUS)
  const events = await eventsOf(engine, id)
  await engine.close(0)
  const target = receiptsOf(events).find(({ window }) => window.recalled !== undefined)
  const other = events.find(event => event.type === 'message.received' && event.text.startsWith('The garden'))
  assert.ok(target !== undefined && other !== undefined)
  const named = (receipt: Receipt): Receipt =>
    receipt.id === target.id
      ? { ...receipt, window: { ...receipt.window, recalled: [{ seqs: [other.seq], author: 'User' }] } }
      : receipt

  const first = reopened(tampered(log, named), GENEROUS)
  const found = (await verified(first, id, true)).filter(({ deep }) => deep?.verdict === 'different')
  assert.equal(found.length, 1)
  assert.equal(found[0]?.verdict, 'different')
  assert.match(found[0]?.deep?.detail ?? '', new RegExp(`^quote 1 differs: the receipt names seq ${other.seq}, recall seq \\d+`))
  const turn = found[0]?.turn
  assert.ok(turn !== undefined)
  const rebuilt = await first.asSent(id, turn, 1, { whole: true })
  assert.ok(rebuilt.ok)
  await first.close(0)

  // Whoever also changes the digest deceives the ordinary check, but not the deep one.
  const { createHash } = await import('node:crypto')
  const digest = `sha256:${createHash('sha256').update(JSON.stringify(rebuilt.value.request?.body)).digest('hex')}`
  const second = reopened(
    tampered(log, receipt => (receipt.id === target.id ? { ...named(receipt), digest } : receipt)),
    GENEROUS,
  )
  const deceived = (await verified(second, id, true)).filter(({ deep }) => deep?.verdict === 'different')
  assert.deepEqual(
    deceived.map(({ verdict, turn: which }) => [verdict, which]),
    [['identical', turn]],
  )
  await second.close(0)
})

test('other word vectors than those that were used are not comparable, and that is said', async () => {
  const { engine, log, id } = await recalling(GENEROUS)
  await engine.close(0)
  const other = (receipt: Receipt): Receipt => {
    const { recall } = receipt.inputs
    if (recall?.found === undefined) return receipt
    const found = { ...recall.found, vectors: `sha256:${'ab'.repeat(32)}` }
    return { ...receipt, inputs: { ...receipt.inputs, recall: { ...recall, found } } }
  }
  const again = reopened(tampered(log, other), GENEROUS)
  const deep = deepOf(await verified(again, id, true))
  assert.ok(deep.length > 0)
  for (const { verdict, detail } of deep) {
    assert.equal(verdict, 'not-comparable')
    assert.equal(detail, 'it was recalled with the word vectors abababab, and is looked up with words alone now')
  }
  await again.close(0)
})

test('requests of a policy that does not recall have nothing to look up', async () => {
  const { engine, id } = await recalling(FORGETFUL)
  assert.deepEqual(deepOf(await verified(engine, id, true)), [])
  await engine.close(0)
})
