// A process that is killed in the middle of indexing leaves an index that the next one goes on with, as if nothing had happened.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Event, Fact } from '../../../src/model/event.ts'
import { heard } from '../../log/child.ts'
import { must, randomFrom, sessionOf } from '../../log/facts.ts'
import { integrityOf, openSqlite, temporaryFolder } from '../../log/files.ts'
import { SEED } from '../../support/tries.ts'
import { indexOf, look, questionOf } from './support/index-of.ts'
import { QUESTIONS, randomLog, SESSION } from './support/random-log.ts'

const FILLER = fileURLToPath(new URL('./support/filler.ts', import.meta.url))

test('an index that was killed in the middle goes on, and answers as one that was made anew', async t => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const seed = SEED
  t.diagnostic(`TURNWISE_TEST_SEED=${seed}`)
  const next = randomFrom(seed)
  const log = await openSqlite(t, file)
  must(await log.open(sessionOf(SESSION)))
  const facts = randomLog(6, { messages: 300, voices: ['assistant', 'ada'] }).filter(event => event.type !== 'damaged')
  must(
    await log.append(
      SESSION,
      facts.map(({ session: _, seq: _seq, at: _at, tokens: _tokens, ...fact }: Event) => fact as Fact),
    ),
  )
  await log.close()
  const env = { ...process.env, NODE_COMPILE_CACHE: join(temporaryFolder(t), 'compiled') }
  let through = 0
  let kills = 0
  for (const life of [1 + next() * 9, 1 + next() * 9, Number.POSITIVE_INFINITY]) {
    const child = heard(t, spawn(process.execPath, [FILLER, file, String(20 + Math.floor(next() * 60))], { env }))
    for (let lines = 0; lines < life; lines += 1) {
      const line = await child.line()
      if (line === undefined) break
      assert.ok(Number(line) >= through, 'it never goes back')
      through = Number(line)
    }
    if (through < facts.length) kills += 1
    await child.kill()
    assert.equal(child.complaints().replace(/.*Warning.*\n?/g, ''), '')
    assert.equal(integrityOf(file), 'ok')
  }
  assert.ok(kills > 0 && through === facts.length, `${kills} kills, through ${through} of ${facts.length}`)
  const again = await openSqlite(t, file)
  const events = must(await again.read(SESSION))
  const anew = await indexOf(events)
  for (const [index, text] of QUESTIONS.entries())
    for (const until of [events.length, Math.floor(events.length / 2)]) {
      const query = questionOf(text, { through: until, voice: index % 2 === 0 ? 'assistant' : 'ada', view: 'own' })
      assert.deepEqual(await look(again.recall, query), await look(anew, query))
    }
})
