// Names and texts that PostgreSQL itself could not keep or index come back as they were given, wherever one can be given.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { memoryLog } from '../../../src/log/memory/memory-log.ts'
import type { Log } from '../../../src/log/ports.ts'
import { decodeName, encodeName } from '../../../src/log/postgres/encode-name.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { EventId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { ended, finished, heard, must, NOON, planned, session, sessionOf, text } from '../facts.ts'

const ODD = ['a \0 b', 'half \ud800', '\udfff', '"quoted"', '\u0001~', '\u00010000', "';--", '%_\\', '雨\u{10ffff}']
/** Nothing in it repeats, so that no index makes it shorter. */
const LONG = Array.from({ length: 120 }, (_, index) => createHash('sha256').update(String(index)).digest('base64')).join('')

test('every name is kept as another one, without what a database refuses, and short enough for an index', () => {
  const names = [...ODD, LONG, `${LONG}x`, '\0'.repeat(250), '\0'.repeat(251), '\ud800', '\ud801', '']
  const kept = names.map(encodeName)
  assert.equal(new Set(kept).size, names.length)
  for (const [index, each] of kept.entries()) {
    assert.ok(!each.includes('\0') && each.isWellFormed())
    assert.ok(Buffer.byteLength(each) <= 1250, `${Buffer.byteLength(each)} bytes`)
    if ((names[index] ?? '').length <= 250) assert.equal(decodeName(each), names[index])
    else assert.equal(encodeName(decodeName(each)), each, 'what is kept of a long name stands for it')
  }
})

suite('odd names on PostgreSQL', { concurrency: 1, skip: (await whyNoPostgres()) ?? false }, () => {
  test('whatever is named so is found, exactly as in memory', async t => {
    const log = must(await postgresLog({ url: await postgresUrl(t), clock: () => NOON, weigh, connections: 4 }))
    t.after(() => log.close())
    const memory = memoryLog({ clock: () => NOON, weigh, isShared: true })
    for (const [index, name] of [...ODD, LONG].entries()) {
      const [there, here] = [await usedBy(log, name, index), await usedBy(memory, name, index)]
      for (const [what, value] of Object.entries(there))
        assert.deepEqual(value, here[what], `${what} of ${JSON.stringify(name.slice(0, 20))}`)
    }
  })
})

function receiptOf(fact: Fact): Receipt {
  assert.ok(fact.type === 'context.planned')
  return fact.receipt
}

/** Uses a name wherever one can be given, and says what comes of it. */
async function usedBy(log: Log, name: string, index: number): Promise<Readonly<Record<string, unknown>>> {
  const [id, fork] = [session(`s${index}`), session(`f${index}`)]
  const { nodes } = log
  assert.ok(nodes)
  const turn = name as never
  const voice = name as never
  const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }
  must(await log.open(sessionOf(id, { title: name, project: name })))
  const first = must(
    await log.append(id, [{ ...heard(name), to: [name, 'other'] } as never, heard('to all')], {
      key: name,
      ids: [`evt_${name}1`, `evt_${name}2`] as EventId[],
    }),
  )
  const again = must(await log.append(id, [heard(name), heard('to all')], { key: name }))
  const start = { type: 'turn.started', turn, voice, cause: 1 } as const
  const receipt = { id: `rcp_${name}` as never, voice }
  must(await log.append(id, [start, planned(turn, 3, receipt)]))
  must(await log.checkpoint(id, { turn, step: 1, parts: [text(name)] }))
  const checkpoints = must(await log.checkpoints(id))
  const open = must(await log.openTurns(id))
  const forked = must(
    await log.fork(id, 4, sessionOf(fork, { parent: { session: id, at: 4 } as never }), () => [ended(turn, 'interrupted')]),
  )
  must(await log.append(fork, [{ ...start, turn: 'trn_more' as never }, finished('trn_more' as never, 1, text('more'))]))
  must(
    await log.append(id, [
      { ...finished(turn, 1, text('yes')), model: name, usage } as never,
      { ...ended(turn), voice } as never,
    ]),
  )
  must(await log.append(id, [{ type: 'message.marked', target: 1, mark: 'pin', reach: 'everywhere' } as never]))
  must(await log.learn(name, 1.5))
  // Keys of a channel are ids, which are short.
  const key = name.slice(0, 250)
  must(await log.remember(`c${key}`, `k${key}`, name))
  must(await log.grants.add({ tool: name, binding: 'b', session: id, facts: {} }))
  must(await log.account(receiptOf(planned(turn, 3, { id: `alone_${name}` as never }))))
  must(await nodes.orders.add({ id: `o${name}`, session: id, body: name }))
  must(await nodes.orders.reply(`o${name}`, name))
  must(await nodes.documents.write(`d${name}`, name))
  const own = { voice, whole: 0 }
  return {
    again: [again.again, again.events.length, first.events],
    open,
    checkpoints,
    forked,
    fork: must(await log.read(fork)),
    events: must(await log.read(id)),
    ofTurn: must(await log.read(id, { turn })).length,
    voice: must(await log.voiceAt(id, voice, 9)),
    planned: must(await log.planned(id, 9, { voice })).length,
    past: must(await log.past(id, { from: { messages: 1, before: 7 }, own, least: 1 })),
    pastOfFork: must(await log.past(fork, { from: { tokens: 1 }, own, least: 2 })),
    listed: must(await log.sessions({ project: name, limit: 9 })).items.map(each => [each.id, each.title, each.project]),
    searched: must(await log.sessions({ query: name, limit: 9 })).items.length > 0,
    usage: name.length > 250 ? null : must(await log.usage({ session: id })),
    factor: name.length > 250 ? null : must(await log.factors()).get(name),
    remembered: must(await log.remembered(`c${key}`, `k${[...name][0]}`)),
    granted: [must(await log.grants.has(name, 'b', id)), must(await log.grants.has(`${name}.`, 'b', id))],
    receipts: [must(await log.receipt(`alone_${name}` as never)), must(await log.receipt(receipt.id))],
    pins: must(await log.memory.list({ limit: 1 })).items,
    order: must(await nodes.orders.take([id])).map(({ id: of, body }) => (name.length > 250 ? body : [of, body])),
    reply: must(await nodes.orders.takeReply(`o${name}`)),
    document: must(await nodes.documents.changed(index)).map(({ text: words, revision }) => [words, revision]),
  }
}
