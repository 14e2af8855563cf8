// A house that people really used moves to PostgreSQL and back: the same to the byte, verified, and ready to go on.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSealer } from '../../../../src/gateway/files/sealed-text.ts'
import { openSharedStore } from '../../../../src/log/open-store.ts'
import { openDatabase } from '../../../../src/log/postgres/database.ts'
import { postgresUrl, whyNoPostgres } from '../../../support/postgres.ts'
import { piped } from '../in-process.ts'
import { tempHome } from '../turnwise.ts'
import { FIRST_WORDS, inEngine, KEY, realHouse } from './real-house.ts'

const skip = (await whyNoPostgres()) ?? false

type Report = {
  readonly copied: { readonly sessions: number; readonly events: number; readonly there: number }
  readonly compared: { readonly sessions: number; readonly usage: number; readonly receipts: number; readonly digest: string }
  readonly receipts: { readonly identical: number; readonly different: number; readonly notComparable: number }
  readonly files: readonly string[]
}

test('to PostgreSQL and back: every archive is the same to the byte, every request verifies, and old keys are known', {
  skip,
}, async t => {
  const { home, keyed, keyedSeq } = await realHouse(t)
  const url = await postgresUrl(t)
  const exported = async (env: Record<string, string>): Promise<string> => {
    const { code, stdout, stderr } = await piped(['export', '--all'], { home, env })
    assert.equal(code, 0, stderr)
    return stdout
  }
  const before = await exported({})
  assert.ok(before.includes(FIRST_WORDS) && before.includes('list.txt'))
  const usage = (await piped(['usage', '--json'], { home })).stdout

  // Its name stands for the address, which has a password as a rule.
  const there = await piped(['copy', '--to', '$NEW_STORE', '--json'], { home, env: { NEW_STORE: url } })
  assert.deepEqual([there.code, there.stderr], [0, ''])
  const report = JSON.parse(there.stdout) as Report
  assert.equal(report.copied.sessions, 4)
  assert.deepEqual([report.copied.there, report.receipts.different, report.compared.receipts], [0, 0, 1])
  assert.ok(report.receipts.identical >= 10 && report.receipts.notComparable === 0, there.stdout)
  const moved = { TURNWISE_STORE: url }
  assert.equal(await exported(moved), before)
  assert.equal((await piped(['usage', '--json'], { home, env: moved })).stdout, usage)
  const verified = JSON.parse((await piped(['verify', '--all', '--json'], { home, env: moved })).stdout) as Report['receipts']
  assert.deepEqual([verified.identical, verified.different], [report.receipts.identical, 0])

  // Again, everything is there.
  const again = await piped(['copy', '--to', url], { home })
  assert.deepEqual([again.code, again.stderr], [0, ''])
  assert.match(
    again.stdout,
    /^Copied 0 sessions with 0 events from .*turnwise\.db to 127\.0\.0\.1:\d+\/postgres \(4 sessions there already\)\./,
  )
  assert.match(again.stdout, /\n\d+\/\d+ requests identical on both sides\.\n/)

  const back = await piped(['copy', '--from', url, '--to', 'sqlite:back.db', '--json'], { home })
  assert.deepEqual([back.code, back.stderr], [0, ''])
  assert.equal((JSON.parse(back.stdout) as Report).compared.digest, report.compared.digest)
  const returned = { TURNWISE_STORE: 'sqlite:back.db' }
  assert.equal(await exported(returned), before)
  const both = [
    (await piped(['verify', '--all'], { home })).stdout,
    (await piped(['verify', '--all'], { home, env: returned })).stdout,
  ]
  assert.equal(both[0], both[1])

  for (const env of [moved, returned])
    await inEngine(home, env, async engine => {
      const said = await engine.say({ session: keyed, text: FIRST_WORDS, from: 'person', key: KEY })
      assert.ok(said.ok)
      assert.equal(said.value.seq, keyedSeq, 'a message that is sent again is not said again')
      const found = await engine.sessions({ query: 'Petrel', limit: 9 })
      assert.ok(found.ok && found.value.items.some(({ id }) => id === keyed))
      const kept = await engine.memory({ limit: 9 })
      assert.ok(kept.ok && kept.value.items.length >= 2, 'the pin and the fold')
    })
})

test('what was edited in the database becomes files of the workspace, and keys stay sealed on the way to another one', {
  skip,
}, async t => {
  const home = tempHome(t)
  assert.equal((await piped(['ask', 'hello'], { home })).code, 0)
  const url = await postgresUrl(t)
  const secret = { TURNWISE_SECRET: 'a secret of every node' }
  const gateway = { host: '127.0.0.1', port: 4243 }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify({ gateway, policy: 'steady' }))
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  assert.equal((await piped(['copy', '--to', url], { home })).code, 0)
  const shared = await openSharedStore(url)
  assert.ok(shared.ok)
  const agents = JSON.stringify({ agents: { mate: { name: 'Mate', prompt: 'You are the mate.' } } })
  for (const [path, text] of [
    ['agents.json', agents],
    ['turnwise.json', '{ "policy": "recent" }'],
    ['projects/harbour/CONTEXT.md', 'Boats only.\n'],
    ['councils.json', null],
  ] as const)
    assert.ok((await shared.value.documents.write(path, text)).ok)
  const keys = JSON.stringify({ providers: { anthropic: { apiKey: 'sk-ant-very-secret' } } })
  assert.ok(
    (await shared.value.documents.write('secrets.json', createSealer(secret.TURNWISE_SECRET).seal('secrets.json', keys))).ok,
  )
  await shared.value.close()
  const elsewhere = await postgresUrl(t)
  const other = await piped(['copy', '--from', url, '--to', elsewhere, '--json'], { home, env: secret })
  assert.deepEqual([other.code, other.stderr], [0, ''])
  const db = openDatabase({ url: elsewhere })
  t.after(db.close)
  const documents = await db.query<{ name: string; text: string | null }>('select name, text from documents order by name')
  assert.deepEqual(
    documents
      .filter(({ name }) => name !== 'secrets.json')
      .map(({ name, text }) => [name, text === null ? null : JSON.parse(text)]),
    [
      ['agents.json', agents],
      ['councils.json', null],
      ['projects/harbour/CONTEXT.md', 'Boats only.\n'],
      ['turnwise.json', '{ "policy": "recent" }'],
    ],
  )

  writeFileSync(join(home, 'secrets.json'), '{"providers":{"openai":{"apiKey":"sk-own"}}}', { mode: 0o600 })
  const councils = readFileSync(join(home, 'councils.json'), 'utf8')
  const back = await piped(['copy', '--from', url, '--to', 'sqlite:back.db', '--json'], { home, env: secret })
  assert.deepEqual([back.code, back.stderr], [0, ''])
  const { files } = JSON.parse(back.stdout) as Report
  assert.ok(
    ['agents.json', 'councils.json', 'projects/harbour/CONTEXT.md', 'turnwise.json'].every(path => files.includes(path)),
    back.stdout,
  )
  assert.equal(readFileSync(join(home, 'agents.json'), 'utf8'), agents)
  assert.equal(readFileSync(join(home, 'projects/harbour/CONTEXT.md'), 'utf8'), 'Boats only.\n')
  assert.deepEqual(JSON.parse(readFileSync(join(home, 'turnwise.json'), 'utf8')), { policy: 'recent', gateway })
  assert.equal(existsSync(join(home, 'councils.json')), false)
  assert.equal(readFileSync(join(home, 'councils.json.bak'), 'utf8'), councils)
  assert.equal(statSync(join(home, 'secrets.json')).mode & 0o777, 0o600)
  assert.ok(readFileSync(join(home, 'secrets.json'), 'utf8').includes('sk-ant-very-secret'))
  assert.ok(readFileSync(join(home, 'secrets.json'), 'utf8').includes('sk-own'), 'keys of the node itself stay')
  const without = await piped(['copy', '--from', url, '--to', 'sqlite:third.db'], { home })
  assert.equal(without.code, 1)
  assert.match(without.stderr, /TURNWISE_SECRET/)
  assert.equal(existsSync(join(home, 'third.db-wal')), false)
})
