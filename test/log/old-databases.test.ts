// A database of an earlier Turnwise opens, and every request in it still verifies by the rules that built it.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Engine, memoryLog, openEngine, weigh } from '../../src/index.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { Receipt } from '../../src/model/receipt.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { ask, engineWith, eventsOf, last, openSession } from '../support/engine.ts'
import { must, session as sessionId, sessionOf } from './facts.ts'
import { openSqlite, raw, temporaryFolder } from './files.ts'

/** Made before receipts named a version: windows that dropped, thinking, calls, a synthesis of nothing, approvals. */
const FORM_6 = 'test/fixtures/database-form-6.db.gz'

async function openOld(t: TestContext): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-old-'))
  const file = join(folder, 'turnwise.db')
  writeFileSync(file, gunzipSync(readFileSync(FORM_6)))
  const opened = await openEngine(file)
  assert.ok(opened.ok, opened.ok ? '' : opened.fault.message)
  t.after(async () => {
    await opened.value.close(100)
    rmSync(folder, { recursive: true, force: true })
  })
  return opened.value
}

async function verdictsOf(engine: Engine): Promise<Readonly<Record<string, number>>> {
  const verdicts: Record<string, number> = {}
  const sessions = await engine.sessions({ limit: 50 })
  assert.ok(sessions.ok)
  for (const { id } of sessions.value.items)
    for await (const { verdict } of engine.verify(id)) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
  return verdicts
}

const receiptsOf = (events: readonly Recorded[]): readonly Receipt[] =>
  events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

test('every request of an old database verifies by the rules of its own time', async t => {
  const engine = await openOld(t)
  assert.deepEqual(await verdictsOf(engine), { identical: 25 })
})

test('an old session goes on under the rules of today, and its past still verifies', async t => {
  const engine = await openOld(t)
  const sessions = await engine.sessions({ query: 'plain', limit: 5 })
  assert.ok(sessions.ok)
  const id = sessions.value.items[0]?.id
  assert.ok(id)
  const receipts = receiptsOf(await ask(engine, id, 'Are you still there?'))
  assert.deepEqual([...new Set(receipts.map(({ inputs }) => inputs.assembly))], [undefined, 5])
  assert.deepEqual([...new Set(receipts.map(({ tokens }) => tokens.reserved))], [4096, 8000])
  assert.deepEqual(await verdictsOf(engine), { identical: 26 })
})

test('fields of an old database have the names of today', async t => {
  const engine = await openOld(t)
  const sessions = await engine.sessions({ limit: 50 })
  assert.ok(sessions.ok)
  const council = sessions.value.items.find(session => session.council === 'board')
  assert.ok(council !== undefined)
  const messages = (await eventsOf(engine, council.id)).filter(({ type }) => type === 'message.received')
  assert.ok(messages.length > 0)
  for (const message of messages) {
    assert.ok('voices' in message && Array.isArray(message.voices) && message.voices.length > 1)
    assert.ok(!('asked' in message))
  }
})

test('a session that an older Turnwise imported still says how far', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file)
  const id = sessionId('rain')
  must(await log.open(sessionOf(id)))
  raw(file, db => db.exec(`update sessions set body = json_set(body, '$.brought', 4)`))
  const { importedThrough, ...rest } = must(await log.session(id))
  assert.deepEqual([importedThrough, 'brought' in rest], [4, false])
})

test('an old archive verifies where it comes in, also what it was counted by of its long texts', async () => {
  const engine = engineWith({})
  const bytes = gunzipSync(readFileSync('test/fixtures/archive-version-1.json.gz'))
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  assert.ok((await engine.import(pieces())).ok)
  assert.deepEqual(await verdictsOf(engine), { identical: 4 })
  await engine.close(0)
})

/** What `verify` says of a session whose last receipt names another version of the assembly than built it. */
async function verdictUnder(assembly: number | undefined): Promise<string> {
  const inner = memoryLog({ clock: Date.now, weigh })
  const engine = engineWith({
    provider: scriptedProvider([says('Yes.')]),
    log: {
      ...inner,
      read: async (id, range) => {
        const read = await inner.read(id, range)
        return read.ok ? { ...read, value: read.value.map(event => renamed(event, assembly)) } : read
      },
    },
  })
  const session = await openSession(engine)
  await ask(engine, session, 'Are you there?')
  const verdicts: string[] = []
  for await (const { verdict, detail } of engine.verify(session)) verdicts.push(`${verdict}: ${detail ?? ''}`)
  await engine.close(0)
  return verdicts.join()
}

function renamed(event: Recorded, assembly: number | undefined): Recorded {
  if (event.type !== 'context.planned') return event
  const { assembly: _, ...inputs } = event.receipt.inputs
  return { ...event, receipt: { ...event.receipt, inputs: { ...inputs, ...(assembly === undefined ? {} : { assembly }) } } }
}

test('a receipt is held against the version it names: the wrong one differs, one of the future is not comparable', async () => {
  for (const version of [3, 4, 5]) assert.match(await verdictUnder(version), /^identical/)
  assert.match(await verdictUnder(undefined), /^different/)
  assert.match(await verdictUnder(6), /^not-comparable: it was built by version 6 of the assembly/)
})

test('every receipt names the version of the assembly that built it', async () => {
  const engine = engineWith({ provider: scriptedProvider([says('Yes.')]) })
  const session = await openSession(engine)
  await ask(engine, session, 'Are you there?')
  assert.equal(last(await eventsOf(engine, session), 'context.planned').receipt.inputs.assembly, 5)
  await engine.close(0)
})
