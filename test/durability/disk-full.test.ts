import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createEngine } from '../../src/engine.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { faultOf, gapless, heard, must, session, sessionOf } from '../log/facts.ts'
import { integrityOf, openSqlite, raw } from '../log/files.ts'
import { gate, haltingly, isEvent, isNotice, isWord, listenTo, verdictsOf } from './hearing.ts'

const skip = mountable() ? false : 'a small disk of its own cannot be mounted here'

test('a full disk is a fault for who writes, and for nobody who reads', { skip }, async t => {
  const disk = smallDisk(t)
  const log = await openSqlite(t, disk.file)
  const id = session('full')
  must(await log.open(sessionOf(id)))
  disk.fill(300_000)
  let written = 0
  let refused = await log.append(id, big(written))
  for (; refused.ok; refused = await log.append(id, big(written))) written += 1
  assert.ok(written > 2, 'it was not full from the beginning')
  assert.match(faultOf(refused, 'store').message, /full/)
  assert.equal(faultOf(await log.append(id, big(written)), 'store').retryable, true)

  assert.equal(must(await log.standing(id)).head, written * 3, 'nothing of what was refused')
  const events = must(await log.read(id))
  gapless(events)
  assert.deepEqual(
    new Set(events.slice(-3).map(event => event.type === 'message.received' && event.text.slice(0, 8))),
    new Set([`number ${written - 1}`]),
  )
  assert.deepEqual(
    must(await log.sessions({ limit: 5 })).items.map(item => item.id),
    [id],
  )
  must(await log.sessions({ query: 'number', limit: 5 }))

  disk.free()
  assert.equal(must(await log.append(id, big(written))).events[0]?.seq, written * 3 + 1)
  assert.deepEqual(must(await log.sessions({ query: `number ${written}`, limit: 5 })).items[0]?.seq, written * 3 + 3)
  await log.close()
  assert.equal(integrityOf(disk.file), 'ok')
})

const big = (number: number) => ['a', 'b', 'c'].map(letter => heard(`number ${number} ${letter.repeat(9000)}`))

test('a disk too full to fold the write-ahead file back keeps everything', { skip }, async t => {
  const disk = smallDisk(t)
  const log = await openSqlite(t, disk.file)
  const id = session('full')
  must(await log.open(sessionOf(id)))
  for (let number = 0; number < 20; number += 1) must(await log.append(id, big(number)))
  const events = must(await log.read(id))
  disk.fill(0)
  assert.throws(() => raw(disk.file, db => db.prepare('pragma wal_checkpoint(truncate)').get()), /full/)
  assert.deepEqual(must(await log.read(id)), events)
  await log.close()
  const reader = await openSqlite(t, disk.file, { readOnly: true })
  assert.deepEqual(must(await reader.read(id)), events, 'nor does a close lose anything')
  await reader.close()
  disk.free()
  assert.deepEqual(must(await (await openSqlite(t, disk.file)).read(id)), events)
})

test('on a full disk a new message is refused, and nothing of it is kept', { skip }, async t => {
  const disk = smallDisk(t)
  const provider = scriptedProvider([says('First.'), says('Second.')])
  const engine = createEngine({ log: await openSqlite(t, disk.file), provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'one', from: 'person' }))
  await listener.until(isEvent('turn.ended'))
  const before = must(await engine.read(id))

  disk.fill(0)
  const words = 'a long message '.repeat(500)
  faultOf(await engine.say({ session: id, text: words, from: 'person', key: 'k' }), 'store')
  assert.deepEqual(must(await engine.read(id)), before)
  assert.equal(provider.requests.length, 1)

  disk.free()
  const said = must(await engine.say({ session: id, text: words, from: 'person', key: 'k' }))
  assert.equal(said.seq, before.length + 1)
  await listener.until(isEvent('turn.ended', said.seq))
  assert.equal(provider.requests.length, 2)
  await engine.close()
})

test('a reply that runs while the disk fills is heard to its end, and saved when there is room again', { skip }, async t => {
  const disk = smallDisk(t)
  const full = gate()
  const provider = scriptedProvider([haltingly('It goes', full.passed, ' on', ' to the end.'), says('And on.')])
  const engine = createEngine({ log: await openSqlite(t, disk.file), provider })
  const { id } = must(await engine.open({}))
  const listener = listenTo(t, engine, id)
  must(await engine.say({ session: id, text: 'Speak.', from: 'person' }))
  await listener.until(isWord('It goes'))
  disk.fill(0)
  full.open()

  const unsaved = await listener.until(isNotice('unsaved'))
  assert.match(unsaved.notice.message, /full/)
  assert.equal(listener.words(), 'It goes on to the end.', 'whoever listens hears it all')
  assert.ok(!listener.signals.some(isEvent('reply.finished')), 'but what is not kept is not shown as kept')
  const kept = must(await engine.read(id)).map(event => event.type)
  assert.deepEqual(kept, ['message.received', 'turn.started', 'context.planned'])

  disk.free()
  await listener.until(isNotice('saved'))
  await listener.until(isEvent('turn.ended'))
  assert.deepEqual(listener.notices(), ['unsaved', 'saved'])
  const events = must(await engine.read(id))
  gapless(events)
  assert.deepEqual(
    events.map(event => event.type),
    [...kept, 'reply.finished', 'turn.ended'],
  )
  must(await engine.say({ session: id, text: 'And?', from: 'person' }))
  await listener.until(isEvent('turn.ended', 5))
  assert.deepEqual(await verdictsOf(engine, id), ['identical', 'identical'])
  await engine.close()
  assert.equal(integrityOf(disk.file), 'ok')
})

function mountable(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-mount-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'turnwise-test', folder]).status === 0
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return mounted
}

/** A disk of two megabytes with a database on it; `fill` leaves only so much room, `free` gives it back. */
function smallDisk(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-disk-'))
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'turnwise-test', folder]).status, 0)
  t.after(() => {
    // Lazily: the log may still be closing.
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  const ballast = join(folder, 'ballast')
  const fill = (room: number): void => {
    const target = openSync(ballast, 'w')
    const block = Buffer.alloc(4096, 1)
    try {
      for (;;) writeSync(target, block)
    } catch (cause) {
      assert.equal((cause as NodeJS.ErrnoException).code, 'ENOSPC')
    } finally {
      closeSync(target)
    }
    if (room > 0) spawnSync('truncate', ['-s', `-${room}`, ballast])
  }
  return { file: join(folder, 'turnwise.db'), fill, free: () => rmSync(ballast) }
}
