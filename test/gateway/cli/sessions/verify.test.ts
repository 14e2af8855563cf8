import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Log, sqliteLog, weigh } from '../../../../src/index.ts'
import type { SessionId } from '../../../../src/model/ids.ts'
import { piped } from '../in-process.ts'
import { newestSession, tempHome } from '../turnwise.ts'

/** A workspace with two sessions and four requests. */
async function talked(t: TestContext): Promise<{ readonly home: string; readonly id: string }> {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  await piped(['ask', 'in another session'], { home })
  await piped(['ask', 'hello'], { home })
  const id = newestSession({ home })
  await piped(['ask', '-s', id, 'use clock {}'], { home })
  return { home, id }
}

test('what was sent can be built again, also after AGENTS.md has changed', async t => {
  const { home, id } = await talked(t)
  assert.equal((await piped(['verify', '--all'], { home })).stdout, '4/4 identical\n')
  writeFileSync(join(home, 'AGENTS.md'), 'Now be verbose, and write about something else altogether.\n')
  assert.equal((await piped(['verify'], { home })).stdout, '4/4 identical\n')
  assert.equal((await piped(['verify', id], { home })).stdout, '3/3 identical\n')
  const { stdout } = await piped(['verify', id, '--json'], { home })
  assert.deepEqual(JSON.parse(stdout), { total: 3, identical: 3, different: 0, notComparable: 0, first: null })
  const both = await piped(['verify', id, '--all'], { home })
  assert.equal(both.code, 2)
  const unknown = await piped(['verify', 'ses_none'], { home })
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'turnwise: there is no session ses_none; "turnwise sessions" lists them\n'],
  )
})

test('what was sent stays proved when everything it was made with has changed since', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  const settle = (settings: unknown): void => writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  const short = (messages: number, policy = 'short'): void =>
    settle({ policy, policies: { short: { extends: 'steady', window: { kind: 'last', messages } } } })
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  short(4)
  await piped(['ask', 'hello'], { home })
  const id = newestSession({ home })
  for (const text of ['think about rivers.', 'use clock {}', 'say 20 words']) await piped(['ask', '-s', id, text], { home })
  const digests = digestsOf(home)
  assert.equal((await piped(['verify'], { home })).stdout, '5/5 identical\n')

  writeFileSync(join(home, 'AGENTS.md'), 'Be verbose.\n')
  short(2)
  await changeLog(home, async log => {
    assert.ok((await log.learn('demo', 1.7)).ok)
    assert.ok((await log.append(id as SessionId, [{ type: 'message.marked', target: 1, mark: 'pin' }])).ok)
  })
  await piped(['ask', '-s', id, 'and now?'], { home })
  const { receipt } = JSON.parse((await piped(['context', id, '--json'], { home })).stdout)
  assert.deepEqual([receipt.tokens.factor, receipt.policy], [1.7, 'short@1'])
  assert.ok(receipt.in.some(({ reason }: { reason: string }) => reason === 'pin.person'))
  assert.equal((await piped(['verify'], { home })).stdout, '6/6 identical\n')

  rmSync(join(home, 'AGENTS.md'))
  settle({ policy: 'full' })
  await changeLog(home, async log => {
    assert.ok((await log.learn('demo', 0.5)).ok)
    assert.ok((await log.append(id as SessionId, [{ type: 'message.marked', target: 1, mark: 'exclude' }])).ok)
  })
  assert.equal((await piped(['verify'], { home })).stdout, '6/6 identical\n')
  assert.deepEqual(digestsOf(home).slice(0, digests.length), digests)
})

/** What a running gateway would have written meanwhile. */
async function changeLog(home: string, change: (log: Log) => Promise<void>): Promise<void> {
  const log = await sqliteLog({ file: join(home, 'turnwise.db'), clock: Date.now, weigh })
  assert.ok(log.ok)
  await change(log.value)
  await log.value.close()
}

function digestsOf(home: string): readonly string[] {
  const db = new DatabaseSync(join(home, 'turnwise.db'), { readOnly: true })
  const rows = db
    .prepare(`select json_extract(body, '$.receipt.digest') as digest from events where type = 'context.planned' order by seq`)
    .all() as { digest: string }[]
  db.close()
  return rows.map(({ digest }) => digest)
}

test('a row that was edited behind our back is found and named', async t => {
  const { home, id } = await talked(t)
  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('drop trigger events_update')
  db.prepare(`update events set body = replace(body, 'hello', 'goodbye') where session = ? and seq = 1`).run(id)
  db.close()
  const { code, stdout, stderr } = await piped(['verify', '--all'], { home })
  assert.equal(code, 1)
  assert.equal(stdout, '1/4 identical, 3 different\n')
  assert.match(
    stderr,
    new RegExp(`^turnwise: the log no longer gives what was sent: ${id}, turn trn_[a-z0-9]+, step 1: item 2 differs: .* 1 .*\n$`),
  )
  const { first } = JSON.parse((await piped(['verify', '--json'], { home })).stdout)
  assert.equal(first.session, id)
  assert.match((await piped(['context', id], { home })).stdout, /different: item 2 differs/)
})

test('a request of a wire that is no longer spoken counts as not comparable, never as a difference', async t => {
  const { home, id } = await talked(t)
  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('drop trigger events_update')
  db.prepare(
    `update events set body = json_set(body, '$.receipt.inputs.wire', 'demo@0') where session = ? and type = 'context.planned' and seq = 3`,
  ).run(id)
  db.close()
  const { code, stdout } = await piped(['verify'], { home })
  assert.deepEqual([code, stdout], [0, '3/3 identical, 1 not comparable\n'])
})

test('a backup opens, verifies, and never overwrites', async t => {
  const { home } = await talked(t)
  const copy = join(home, 'copy.db')
  const made = await piped(['backup', copy], { home })
  assert.equal(made.code, 0)
  assert.match(made.stdout, /copy\.db has a copy of everything \(\d+ KiB\)\n$/)
  assert.equal(statSync(copy).mode & 0o777, 0o600)
  const { stdout } = await piped(['verify'], { home, env: { TURNWISE_STORE: `sqlite:${copy}` } })
  assert.equal(stdout, '4/4 identical\n')
  const before = statSync(copy).size
  const { file, bytes } = JSON.parse((await piped(['backup', `${copy}2`, '--json'], { home })).stdout)
  assert.deepEqual([file, bytes > 1000], [`${copy}2`, true])
  const again = await piped(['backup', copy], { home })
  assert.equal(again.code, 1)
  assert.match(again.stderr, /copy\.db exists already and is left as it is; choose another name\n$/)
  assert.equal(statSync(copy).size, before)
  const nowhere = await piped(['backup', join(home, 'no/such/folder.db')], { home })
  assert.match(nowhere.stderr, /^turnwise: there is no folder for .*; make it first\n$/)
  assert.ok(!existsSync(join(home, 'no')))
})

test('a workspace in which nothing was said has nothing to verify', async t => {
  const home = tempHome(t)
  await piped(['ask', 'hello'], { home })
  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('drop trigger events_delete; delete from events; delete from sessions')
  db.close()
  assert.match((await piped(['verify'], { home })).stdout, /^Nothing was sent yet/)
  assert.match((await piped(['sessions'], { home })).stdout, /^No sessions yet\./)
})
