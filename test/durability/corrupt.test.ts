import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { createEngine, demoProvider, type Engine } from '../../src/index.ts'
import { ASIDE_TYPES } from '../../src/log/session-index.ts'
import type { Event } from '../../src/model/event.ts'
import type { IdKind, SessionId } from '../../src/model/ids.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { must, randomFrom, session, turn } from '../log/facts.ts'
import { openSqlite, raw, temporaryFolder } from '../log/files.ts'
import { isEvent, listenTo, receiptsOf, verdictsOf } from './hearing.ts'

const SAMPLE = session('sample')

test('a body torn at any length is one damaged row, and the row keeps its place', async t => {
  const { file, engine } = await house(t)
  const [row] = rowsOf(file).filter(each => each.type === 'reply.finished')
  assert.ok(row)
  const cuts = Array.from({ length: row.body.length }, (_, length) => length)
  spoil(file, db => {
    for (const length of cuts) cloned(db, `cut${length}`, row.seq, 'body', row.body.slice(0, length))
  })
  for (const length of cuts) {
    const events = must(await engine.read(session(`cut${length}`)))
    assert.equal(events.length, rowsOf(file).length)
    assert.equal(events[row.seq - 1]?.type, 'damaged', `cut to ${length}: ${row.body.slice(0, length)}`)
  }
})

test('a damaged row is left out and said on the receipt, and its session goes on', async t => {
  const { file, engine } = await house(t)
  const before = must(await engine.read(SAMPLE))
  const kinds: Readonly<Record<string, (body: string) => string>> = {
    torn: body => body.slice(0, body.length / 2),
    empty: () => '',
    nothing: () => 'null',
    list: body => `[${body}]`,
    bare: () => '{}',
    noise: () => '\u0000\ufffd{"',
  }
  const rows = rowsOf(file)
  const names = rows.flatMap(({ seq }) => Object.keys(kinds).map(kind => ({ seq, kind, name: `${kind}${seq}` })))
  spoil(file, db => {
    for (const { seq, kind, name } of names) cloned(db, name, seq, 'body', kinds[kind]?.(rows[seq - 1]?.body ?? '') ?? '')
  })
  for (const { seq, name } of names) {
    const id = session(name)
    assert.equal(must(await engine.read(id))[seq - 1]?.type, 'damaged', name)
    assert.equal(await answerIn(t, engine, id), 'done', name)
    // A request is no part of what was said, so a damaged one is no part of any context either.
    if (ASIDE_TYPES.some(type => type === rows[seq - 1]?.type)) continue
    const [line] = (await receiptsOf(engine, id)).at(-1)?.out.filter(out => out.reason === 'out.malformed') ?? []
    assert.ok(
      line?.from !== undefined && line.to !== undefined && line.from <= seq && seq <= line.to,
      `${name} is on the receipt`,
    )
    await verdictsOf(engine, id)
  }
  assert.deepEqual(must(await engine.read(SAMPLE)), before, 'the others are untouched')
  assert.deepEqual(await verdictsOf(engine, SAMPLE), ['identical', 'identical', 'identical'])
})

test('a row of another type than it was is damaged or harmless, and its session goes on', async t => {
  const { file, engine } = await house(t)
  const rows = rowsOf(file)
  const types = [
    ...new Set(rows.map(row => row.type)),
    'history.folded',
    'reply.broken',
    'unheard.of',
    '',
    '__proto__',
    'constructor',
  ]
  const names = rows.flatMap(({ seq }) => types.map((type, index) => ({ seq, type, name: `type${seq}x${index}` })))
  spoil(file, db => {
    for (const { seq, type, name } of names) cloned(db, name, seq, 'type', type)
  })
  for (const { seq, type, name } of names) {
    assert.equal(await answerIn(t, engine, session(name)), 'done', `row ${seq}, a ${rows[seq - 1]?.type}, became "${type}"`)
    await verdictsOf(engine, session(name))
  }
})

test('whatever stands in a body where something else should, its session goes on', async t => {
  const { file, engine } = await house(t)
  const cases = junkIn(rowsOf(file), 250)
  spoil(file, db => {
    for (const { name, seq, body } of cases) cloned(db, name, seq, 'body', body)
  })
  const failed: string[] = []
  for (const { name, what } of cases) {
    const outcome = await answerIn(t, engine, session(name)).catch(String)
    if (outcome !== 'done') failed.push(`${what}: ${outcome}`)
  }
  assert.deepEqual(failed, [])
})

test('whatever stands in a receipt, verifying gives a verdict', async t => {
  const { file, engine } = await house(t)
  const cases = junkIn(
    rowsOf(file).filter(row => row.type === 'context.planned'),
    250,
  )
  spoil(file, db => {
    for (const { name, seq, body } of cases) cloned(db, name, seq, 'body', body)
  })
  const failed: string[] = []
  for (const { name, what } of cases) {
    await verdictsOf(engine, session(name)).catch((cause: Error) => failed.push(`${what}: ${cause.message.split('\n')[0]}`))
  }
  assert.deepEqual(failed, [])
})

test('a session whose own row is damaged is listed, read and answered', async t => {
  const { file, engine } = await house(t)
  spoil(file, db => {
    for (const [index, body] of ['', '{', 'null', '[]', '{}', '"x"', '{"id":5}'].entries()) {
      cloned(db, `row${index}`, 0, 'body', '')
      db.prepare('update sessions set body = ?, title = ? where id = ?').run(body, 'Its name', `ses_row${index}`)
    }
  })
  const listed = must(await engine.sessions({ limit: 50 })).items
  for (let index = 0; index < 7; index += 1) {
    const id = session(`row${index}`)
    const found = listed.find(item => item.id === id)
    assert.deepEqual([found?.title, found?.policy, found?.messages], ['Its name', 'full', 4])
    assert.equal(await answerIn(t, engine, id), 'done')
    assert.equal(must(await engine.session(id)).title, 'Its name')
  }
})

test('damaged checkpoints do not keep a gateway from starting', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const first = await openSqlite(t, file)
  const bodies = [
    '',
    '{',
    'null',
    '{}',
    '[]',
    '{"turn":"trn_1","step":1,"parts":[{"type":"text"}]}',
    '{"turn":"trn_1","step":"1","parts":[]}',
  ]
  const ids = bodies.map((_, index) => session(`half${index}`))
  for (const id of ids) {
    must(await first.open({ ...NEW, id, family: id }))
    must(
      await first.append(id, [
        { type: 'message.received', text: 'Speak.', from: 'person' },
        { type: 'turn.started', turn: turn('1'), voice: 'assistant', cause: 1 },
      ]),
    )
    must(await first.checkpoint(id, { turn: turn('1'), step: 1, parts: [{ type: 'text', text: 'half a' }] }))
  }
  await first.close()
  raw(file, db => {
    for (const [index, body] of bodies.entries())
      db.prepare('update inflight set body = ? where session = ?').run(body, ids[index] ?? '')
  })
  const engine = createEngine({ log: await openSqlite(t, file), resume: { mode: 'ask' } })
  must(await engine.recover())
  for (const id of ids) {
    assert.deepEqual(
      must(await engine.read(id)).map(event => event.type),
      ['message.received', 'turn.started', 'turn.ended'],
    )
    assert.equal(await answerIn(t, engine, id), 'done')
  }
  await engine.close()
})

test('a page of noise is a fault for the sessions on it, and for nobody else', async t => {
  const { file, engine } = await house(t)
  spoil(file, db => {
    for (let index = 0; index < 60; index += 1) cloned(db, `page${String(index).padStart(2, '0')}`, 0, 'body', '')
  })
  await engine.close()
  const { page, size } = raw(file, db => {
    db.exec('pragma wal_checkpoint(truncate)')
    const leaves = db.prepare(`select pageno from dbstat where name = 'events' and pagetype = 'leaf' order by pageno`).all() as {
      pageno: number
    }[]
    const { page_size: size } = db.prepare('pragma page_size').get() as { page_size: number }
    return { page: leaves[Math.floor(leaves.length / 2)]?.pageno ?? 0, size }
  })
  overwrite(file, (page - 1) * size, Buffer.alloc(size, 0xa5))
  const again = createEngine({ log: await openSqlite(t, file) })
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const read = await again.read(session(`page${String(index).padStart(2, '0')}`))
      return read.ok ? 'read' : `${read.fault.kind}: ${read.fault.message}`
    }),
  )
  assert.ok(outcomes.includes('read'), 'most are as they were')
  const troubled = outcomes.filter(outcome => outcome !== 'read')
  assert.ok(troubled.length > 0)
  for (const trouble of troubled) assert.match(trouble, /^store: .*malformed/)
  assert.equal(await answerIn(t, again, SAMPLE), 'done')
  await again.close()
})

const NEW = {
  title: null,
  preview: null,
  model: null,
  agent: 'assistant',
  council: null,
  project: null,
  policy: 'full',
  archived: false,
  createdAt: '2026-01-01T12:00:00.000Z',
  updatedAt: '2026-01-01T12:00:00.000Z',
  messages: 0,
}

/** An engine on a file with one sample session: a turn that used a tool, a change of title, a turn that did not. */
async function house(t: TestContext): Promise<{ file: string; engine: Engine }> {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const clock = {
    spec: { description: 'Tells the time', name: 'clock', parameters: {} },
    run: async () => ({ ok: true, outcome: '12:00', content: 'noon' }),
  }
  const mint = counting()
  const log = await openSqlite(t, file)
  const engine = createEngine({ log, provider: demoProvider({ delayMs: 0 }), toolbox: toolbox([clock]), mint })
  assert.equal(must(await engine.open({})).id, SAMPLE)
  assert.equal(await answerIn(t, engine, SAMPLE, 'use clock {}'), 'done')
  must(await engine.change(SAMPLE, { title: 'A sample' }))
  assert.equal(await answerIn(t, engine, SAMPLE, 'think about time.'), 'done')
  t.after(() => engine.close())
  return { file, engine }
}

function counting() {
  let count = 0
  return (kind: IdKind) => {
    count += 1
    return (kind === 'ses' ? SAMPLE : `${kind}_${count}`) as never
  }
}

/** Says something and waits for the end of the turn it causes. */
async function answerIn(t: TestContext, engine: Engine, id: SessionId, text = 'Go on.'): Promise<string> {
  const said = must(await engine.say({ session: id, text, from: 'person' }))
  const { event } = await listenTo(t, engine, id, said.seq).until(isEvent('turn.ended', said.seq))
  const end = event as Extract<Event, { type: 'turn.ended' }>
  return end.reason === 'done' ? 'done' : `${end.reason} ${end.fault?.kind ?? ''}: ${end.fault?.message ?? ''}`
}

type Row = { readonly seq: number; readonly type: string; readonly body: string }

const rowsOf = (file: string): readonly Row[] =>
  raw(file, db => db.prepare('select seq, type, body from events where session = ? order by seq').all(SAMPLE) as unknown as Row[])

/** What no one should do to a log: changes it by hand. */
function spoil(file: string, work: (db: DatabaseSync) => void): void {
  raw(file, db => {
    db.exec('drop trigger events_update; begin')
    work(db)
    db.exec('commit')
  })
}

/** A copy of the sample with one column of one row changed. */
function cloned(db: DatabaseSync, name: string, seq: number, column: 'body' | 'type', value: string): void {
  const columns = 'seq, at, type, turn, body, tokens, total_tokens, total_messages, begins'
  const standing = 'updated_at, project, title, head, messages, tokens, due, voices'
  const id = session(name)
  db.prepare(`insert into events (session, ${columns}) select ?, ${columns} from events where session = ? order by seq`).run(
    id,
    SAMPLE,
  )
  db.prepare(
    `insert into sessions (id, body, ${standing}) select ?, replace(body, ?, ?), ${standing} from sessions where id = ?`,
  ).run(id, SAMPLE, id, SAMPLE)
  db.prepare(`update events set ${column} = ? where session = ? and seq = ?`).run(value, id, seq)
}

const JUNK: readonly unknown[] = [null, 0, -1, 1e300, '', 'x', [], {}, true, [null], { type: 'text' }, ['x']]

/** Some rows with one thing in their body that does not belong there. */
function junkIn(rows: readonly Row[], count: number): { name: string; seq: number; body: string; what: string }[] {
  const next = randomFrom(11)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item
  return Array.from({ length: count }, (_, index) => {
    const { seq, type, body } = pick(rows)
    const path = pick(pathsOf(JSON.parse(body)))
    const value = pick(JUNK)
    const what = `${type} with ${path.join('.')} = ${JSON.stringify(value)}`
    return { name: `junk${index}`, seq, body: JSON.stringify(replaced(JSON.parse(body), path, value)), what }
  })
}

/** Every place in a value, as the names that lead to it. */
const pathsOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))
    : []),
]

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  if (Array.isArray(value)) return value.map((inner, index) => (String(index) === name ? replaced(inner, rest, by) : inner))
  return { ...(value as object), [name]: replaced((value as Record<string, unknown>)[name], rest, by) }
}

function overwrite(file: string, offset: number, bytes: Buffer): void {
  const target = openSync(file, 'r+')
  writeSync(target, bytes, 0, bytes.length, offset)
  closeSync(target)
}
