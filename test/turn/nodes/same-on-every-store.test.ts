// The same conversations give the same events, the same bytes of every request and receipts that verify, on every store.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEngine, type Engine, type Log, memoryLog, sqliteLog, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { IdKind, Mint, SessionId } from '../../../src/model/ids.ts'
import { calls, type ScriptedReply, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { createServices } from '../../../src/turn/create-services.ts'
import { foldTaskDue } from '../../../src/turn/memory/fold-due.ts'
import { ask, eventsOf, isEvent, until } from '../../support/engine.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { NOON, walkThrough } from '../../support/walk.ts'

const noPostgres = (await whyNoPostgres()) ?? false

const openPostgres = async (t: TestContext, clock: () => number): Promise<Log> => {
  const log = await postgresLog({ url: await postgresUrl(t), clock, weigh, connections: 4 })
  assert.ok(log.ok, log.ok ? '' : log.fault.message)
  return log.value
}

const openSqlite = async (t: TestContext, clock: () => number): Promise<Log> => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-same-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const log = await sqliteLog({ file: join(folder, 'same.db'), clock, weigh })
  assert.ok(log.ok)
  return log.value
}

test('the walk on PostgreSQL', { skip: noPostgres }, async t => {
  await walkThrough(await openPostgres(t, () => NOON))
})

const counting = (): Mint => {
  const counts: Record<IdKind, number> = { ses: 0, trn: 0, rcp: 0, apr: 0, evt: 0 }
  return kind => {
    counts[kind] += 1
    return `${kind}_${counts[kind]}` as never
  }
}

const noteTool = {
  spec: { name: 'note', description: 'Writes a note', parameters: { type: 'object', properties: {} } },
  run: async () => ({ ok: true, outcome: 'noted', content: 'line\n'.repeat(40) }),
}

const LONG = 'The river bends twice before the old mill, and the ferry leaves at 07:45 from pier 12. '.repeat(6)

/** Everything that can be said of a long talk under a small window: events, and the bytes of all requests. */
async function talkOn(log: Log): Promise<{ readonly events: unknown; readonly requests: readonly string[] }> {
  let now = NOON
  const replies: ScriptedReply[] = Array.from({ length: 40 }, (_, index) =>
    index % 5 === 3 ? calls('note', {}, `c${index}`) : says(`Answer ${index}. `, LONG),
  )
  const provider = scriptedProvider(replies)
  const settings = {
    provider,
    toolbox: toolbox([noteTool]),
    models: { demo: { window: 3000, output: 400 } },
    vectorsFile: null,
    // On a busy machine a look into the history takes longer than people wait for, and would be left out.
    limits: { historyMs: 60_000 },
  }
  const engine = createEngine({
    ...settings,
    log,
    clock: () => {
      now += 1000
      return now
    },
    mint: counting(),
  })
  const { nodes: _, ...rows } = log
  const { services } = createServices({ ...settings, log: rows, clock: () => NOON, mint: counting() })
  /** Folds are made behind the answers; the next request shall have all that are due, however busy the machine is. */
  const everythingFolded = async (id: SessionId): Promise<void> => {
    for (;;) {
      const head = (await eventsOf(engine, id)).length
      const session = await log.session(id)
      assert.ok(session.ok)
      const due = await foldTaskDue(services, session.value, 'assistant')
      assert.ok(due.ok)
      if (due.value === undefined) return
      await until(engine, id, signal => isEvent(signal, 'history.folded') && signal.event.seq > head)
    }
  }
  try {
    const opened = await engine.open({ policy: 'steady' })
    assert.ok(opened.ok)
    const { id } = opened.value
    for (let index = 0; index < 8; index += 1) {
      await ask(engine, id, `Message ${index}: ${LONG}`)
      // Marks are looked at after the next answer.
      await everythingFolded(id)
      if (index === 2) assert.ok((await engine.mark(id, 1, 'pin')).ok)
      if (index === 4) assert.ok((await engine.mark(id, 4, 'exclude')).ok)
    }
    const fork = await engine.fork(id, 9)
    assert.ok(fork.ok)
    await ask(engine, fork.value.id, 'And here?')
    for (const session of [id, fork.value.id]) await everythingFolded(session)
    const events = [await eventsOf(engine, id), await eventsOf(engine, fork.value.id)]
    for (const session of [id, fork.value.id]) await verified(engine, session)
    return { events, requests: provider.requests.map(({ body }) => body) }
  } finally {
    await engine.close(100)
  }
}

async function verified(engine: Engine, session: SessionId): Promise<void> {
  let count = 0
  for await (const { verdict, detail } of engine.verify(session)) {
    assert.equal(verdict, 'identical', detail ?? '')
    count += 1
  }
  assert.ok(count > 0)
}

/** Numbers that tell how long something took. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (['timings', 'ms', 'took'].includes(key) ? undefined : each)))

test('a long talk under a small window', { skip: noPostgres }, async t => {
  const memory = await talkOn(memoryLog({ clock: () => NOON, weigh }))
  const sqlite = await talkOn(await openSqlite(t, () => NOON))
  const postgres = await talkOn(await openPostgres(t, () => NOON))
  for (const other of [sqlite, postgres]) {
    assert.deepEqual(other.requests, memory.requests)
    assert.deepEqual(timeless(other.events), timeless(memory.events))
  }
  assert.ok(memory.requests.length > 8)
})
