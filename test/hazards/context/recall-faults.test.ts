// Trouble with recall costs a request its quotes and nothing else: the store fails or hangs, bytes are damaged, the thread dies.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { presets } from '../../../src/context/presets.ts'
import { createEngine, type Engine, type EngineOptions, memoryLog, weigh } from '../../../src/index.ts'
import type { Log, RecallStore } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { err } from '../../../src/model/result.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { createRecallThread } from '../../../src/turn/recall/recall-thread.ts'
import { ended, finished, heard, must, pieceOf, session, sessionOf, started, text, turn } from '../../log/facts.ts'
import { openSqlite, raw, temporaryFolder } from '../../log/files.ts'
import { stand } from '../../support/council.ts'
import { ask, last } from '../../support/engine.ts'

const CHAT = session('chat')
const FACT = 'The spare key to the boathouse hangs behind the copper kettle.'
const QUESTION = 'Where was the spare key to the boathouse?'
const SMALL: Policy = {
  ...presets.steady,
  ...{ name: 'small', budget: { tokens: 900, reserve: 300 }, recall: { tokens: 300, from: 'session' } },
}

/** A past that does not fit, with one thing in it that is asked for later. */
const PAST: readonly Fact[] = Array.from({ length: 30 }, (_, index): readonly Fact[] => {
  const id = turn(`past${index}`)
  const said =
    index === 2 ? FACT : `Remark ${index}: ${'the weather of the coast was mild again and nothing else came up. '.repeat(2)}`
  return [heard(said), started(id, index * 4 + 1), finished(id, 1, text(`Noted, number ${index}.`)), ended(id)]
}).flat()

async function withPast(log: Log): Promise<void> {
  must(await log.open(sessionOf(CHAT, { policy: 'small' })))
  must(await log.append(CHAT, PAST))
}

const engineOn = (t: TestContext, log: Log, given: Partial<EngineOptions> = {}) => {
  const provider = stand()
  const engine = createEngine({ log, provider, policies: [SMALL], vectorsFile: null, limits: { historyMs: 8000 }, ...given })
  t.after(() => engine.close(0))
  const asked = async (words: string): Promise<{ receipt: Receipt; request: DemoRequest; ms: number }> => {
    const began = performance.now()
    const events = await ask(engine, CHAT, words)
    const ms = performance.now() - began
    assert.equal(last(events, 'turn.ended').reason, 'done')
    return { receipt: last(events, 'context.planned').receipt, request: provider.requests.at(-1) ?? assert.fail(), ms }
  }
  return { engine, asked }
}

const textIn = ({ messages }: DemoRequest): string => JSON.stringify(messages)

async function verified(engine: Engine, id: SessionId): Promise<void> {
  for await (const { verdict, detail } of engine.verify(id)) assert.equal(verdict, 'identical', detail ?? '')
}

/** A log whose recall rows go through other hands as long as that is wanted. */
function between(log: Log, methods: Partial<RecallStore>): { readonly log: Log; readonly stop: () => void } {
  let isOn = true
  const recall = Object.fromEntries(
    Object.entries(log.recall).map(([name, own]) => [
      name,
      (...args: never[]) => {
        const other = methods[name as keyof RecallStore] as ((...given: never[]) => unknown) | undefined
        return isOn && other !== undefined ? other(...args) : (own as (...given: never[]) => unknown)(...args)
      },
    ]),
  ) as RecallStore
  const stop = (): void => {
    isOn = false
  }
  return { log: { ...log, recall }, stop }
}

/** What a request would be without recall: the same policy, without a number. */
let plain: string | undefined
async function plainRequest(t: TestContext): Promise<string> {
  if (plain !== undefined) return plain
  const log = memoryLog({ clock: Date.now, weigh })
  await withPast(log)
  const { asked } = engineOn(t, log, { policies: [{ ...SMALL, recall: null }] })
  plain = textIn((await asked(QUESTION)).request)
  return plain
}

const failing = async (): Promise<never> => err(fault('store', 'the disk is gone')) as never
const never = (): Promise<never> => new Promise(() => {})

test('without trouble the fact is quoted, and the receipt says so', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  await withPast(log)
  const { engine, asked } = engineOn(t, log)
  const { receipt, request } = await asked(QUESTION)
  assert.match(textIn(request), /\[From earlier in this conversation:.*behind the copper kettle/)
  assert.ok((receipt.recall?.messages ?? 0) > 0 && receipt.recall?.failed === undefined)
  await verified(engine, CHAT)
})

for (const [name, methods] of Object.entries({
  'cannot say how far it is': { state: failing },
  'cannot write': { write: failing },
  'cannot read blocks': { blocks: failing },
  throws: {
    state: () => {
      throw new Error('a bug of the store')
    },
  },
} satisfies Record<string, Partial<RecallStore>>))
  test(`a store that ${name} costs the quotes and nothing else, and the next turn has them again`, async t => {
    const real = memoryLog({ clock: Date.now, weigh })
    await withPast(real)
    const { log, stop } = between(real, methods)
    const { engine, asked } = engineOn(t, log)
    const { receipt, request } = await asked(QUESTION)
    assert.equal(typeof receipt.recall?.failed, 'string')
    assert.equal(receipt.recall?.messages, 0)
    assert.equal(textIn(request), await plainRequest(t), 'as without recall')
    stop()
    const next = await asked(QUESTION)
    assert.match(textIn(next.request), /behind the copper kettle/)
    assert.equal(next.receipt.recall?.failed, undefined)
    await verified(engine, CHAT)
  })

test('a store that hangs is waited for no longer than for the history, and the next turn after it is fine', async t => {
  const real = memoryLog({ clock: Date.now, weigh })
  await withPast(real)
  let letGo = (): void => {}
  const gone = new Promise<void>(resolve => {
    letGo = resolve
  })
  const { log, stop } = between(real, { blocks: async (...args) => gone.then(() => real.recall.blocks(...args)) })
  const { engine, asked } = engineOn(t, log, { limits: { historyMs: 1000 } })
  const { receipt, request, ms } = await asked(QUESTION)
  assert.ok(ms < 8000, `answered after ${ms} ms`)
  assert.match(receipt.recall?.failed ?? '', /within 1000 ms/)
  assert.equal(textIn(request), await plainRequest(t))
  stop()
  letGo()
  assert.match(textIn((await asked(QUESTION)).request), /behind the copper kettle/)
  await verified(engine, CHAT)
})

test('one that hangs for ever leaves every turn its answer', async t => {
  const real = memoryLog({ clock: Date.now, weigh })
  await withPast(real)
  const { log } = between(real, { state: never })
  const { asked } = engineOn(t, log, { limits: { historyMs: 300 } })
  for (const words of [QUESTION, 'Again: where is the key?'])
    assert.match((await asked(words)).receipt.recall?.failed ?? '', /within/)
})

test('damaged bytes cost the quotes; the receipt has a plain sentence, and no path or stack of ours', async t => {
  for (const damage of [
    (body: Uint8Array) => body.slice(0, body.length / 2),
    () => Uint8Array.from({ length: 40 }, () => 0xff),
    () => new Uint8Array(),
    // A text that says it is longer than any memory.
    () => Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f),
  ]) {
    const real = memoryLog({ clock: Date.now, weigh })
    await withPast(real)
    const { log, stop } = between(real, {
      blocks: async (...args) => {
        const found = await real.recall.blocks(...args)
        return found.ok ? { ...found, value: found.value.map(block => ({ ...block, body: damage(block.body) })) } : found
      },
    })
    const { asked } = engineOn(t, log)
    const { receipt, request, ms } = await asked(QUESTION)
    assert.ok(ms < 8000, `answered after ${ms} ms`)
    const why = receipt.recall?.failed
    assert.ok(why !== undefined && !/\n| {4}at |file:|\.ts/.test(why), why ?? 'it did not fail')
    assert.equal(textIn(request), await plainRequest(t))
    stop()
    assert.match(textIn((await asked(QUESTION)).request), /behind the copper kettle/)
  }
})

test('a thread that dies is started again with the next question, however it died', async t => {
  const workers: Worker[] = []
  const note = (worker: Worker): number => workers.push(worker)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  for (const kill of [
    (worker: Worker) => void worker.terminate(),
    // Not a message that it knows: it throws, and ends.
    (worker: Worker) => worker.postMessage(null),
  ]) {
    const real = memoryLog({ clock: Date.now, weigh })
    await withPast(real)
    let isKilled = false
    const { log } = between(real, {
      write: async (...args) => {
        if (!isKilled) kill(workers.at(-1) ?? assert.fail('there is a thread'))
        isKilled = true
        return real.recall.write(...args)
      },
    })
    const { asked } = engineOn(t, log)
    const { receipt, request } = await asked(QUESTION)
    assert.equal(typeof receipt.recall?.failed, 'string')
    assert.equal(textIn(request), await plainRequest(t))
    assert.match(textIn((await asked(QUESTION)).request), /behind the copper kettle/)
  }
})

test('a question that is asked the moment a thread died gets its answer from the next one', async t => {
  const workers: Worker[] = []
  const note = (worker: Worker): number => workers.push(worker)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  const real = memoryLog({ clock: Date.now, weigh })
  await withPast(real)
  const { log, stop } = between(real, {
    write: async () => {
      workers.at(-1)?.postMessage(null)
      return never()
    },
  })
  const thread = createRecallThread(log, { vectorsFile: null, encoder: null })
  t.after(() => thread.close())
  const died = await thread.fill(CHAT, 1000)
  assert.ok(!died.ok && /stopped/.test(died.fault.message))
  stop()
  assert.deepEqual(must(await thread.fill(CHAT, 1000)), { indexedThrough: PAST.length, isDone: true })
})

test('without a file of vectors, or with an empty or damaged one, words alone are compared', async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'empty.bin'), '')
  writeFileSync(join(folder, 'damaged.bin'), Buffer.alloc(5000, 7))
  for (const name of ['missing.bin', 'empty.bin', 'damaged.bin']) {
    const log = memoryLog({ clock: Date.now, weigh })
    await withPast(log)
    const { asked } = engineOn(t, log, { vectorsFile: join(folder, name) })
    const { receipt, request } = await asked(QUESTION)
    assert.match(textIn(request), /behind the copper kettle/, name)
    assert.equal(receipt.inputs.recall?.found?.vectors, null, name)
  }
})

/** Waits until something is true; the background has a second or two for it. */
async function comesTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    assert.ok(tries < 500, `not true after a long while: ${what}`)
    await pause(20)
  }
}

test('while thousands of imported messages are indexed, turns are answered; then the index is complete', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  await withPast(log)
  const { engine, asked } = engineOn(t, log)
  const many = session('many')
  const importing = must(await log.startImport())
  const words = (index: number): Fact => heard(`Message ${index} about harbour ${index % 50} and ferry ${index % 7}.`)
  must(
    await importing.add(
      pieceOf(
        many,
        Array.from({ length: 5000 }, (_, index) => words(index)),
      ),
    ),
  )
  must(await importing.publish(() => []))
  await engine.recover()
  for (const remark of ['One.', 'Two.', QUESTION]) assert.equal((await asked(remark)).receipt.degraded, null)
  const indexing = engine.index(many)
  const during = await asked(QUESTION)
  assert.match(textIn(during.request), /behind the copper kettle/)
  must(await indexing)
  await comesTrue('all is indexed', async () => must(await log.recall.state(many))?.indexedThrough === 5000)
  assert.equal(must(await log.recall.state(many))?.messages, 5000)
})

test('a session that is deleted while it is indexed leaves no rows', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const real = await openSqlite(t, file)
  must(await real.open(sessionOf(CHAT, { policy: 'small' })))
  for (let from = 0; from < 12; from += 1) must(await real.append(CHAT, PAST))
  let writes = 0
  let removed: Promise<unknown> | undefined
  const { log } = between(real, {
    write: async (...args) => {
      writes += 1
      if (writes === 3) removed = real.remove(CHAT)
      return real.recall.write(...args)
    },
  })
  const { engine } = engineOn(t, log)
  const indexed = await engine.index(CHAT)
  assert.ok(!indexed.ok, 'it is gone')
  await removed
  const rows = (table: string): number =>
    raw(file, db => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count)
  await comesTrue('no rows are left', async () =>
    ['recall_sessions', 'recall_postings', 'recall_blocks'].every(table => rows(table) === 0),
  )
})
