import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { piped } from '../in-process.ts'
import { recalledHome } from '../recalled-home.ts'

test('verify --deep looks up again what was recalled, and finds a receipt that names another quote', async t => {
  const { home, id } = await recalledHome(t)
  const plain = await piped(['verify'], { home })
  assert.deepEqual([plain.code, plain.stdout], [0, '36/36 identical\n'])
  const deep = await piped(['verify', '--deep', '--all'], { home })
  assert.deepEqual([deep.code, deep.stderr], [0, ''])
  assert.match(deep.stdout, /^36\/36 identical\ndeep: \d+ identical\n$/)
  const counted = JSON.parse((await piped(['verify', id, '--deep', '--json'], { home })).stdout)
  assert.deepEqual([counted.total, counted.identical, counted.deep.different, counted.deep.first], [36, 36, 0, null])
  assert.ok(counted.deep.identical > 20)

  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('drop trigger events_update')
  const changed = db
    .prepare(
      `update events set body = json_set(body, '$.receipt.window.recalled', json('[{"seqs":[6],"author":"User"}]'))
       where type = 'context.planned' and seq = (select max(seq) from events where type = 'context.planned')`,
    )
    .run()
  db.close()
  assert.equal(changed.changes, 1)
  const found = await piped(['verify', '--deep'], { home })
  assert.equal(found.code, 1)
  assert.match(found.stdout, /^35\/36 identical, 1 different\ndeep: \d+ identical, 1 different\n$/)
  assert.match(found.stderr, new RegExp(`^turnwise: the log no longer gives what was sent: ${id}, turn trn_[a-z0-9]+, step 1: `))
  const { deep: tally } = JSON.parse((await piped(['verify', '--deep', '--json'], { home })).stdout)
  assert.match(tally.first.detail, /^quote 1 differs: the receipt names seq 6, recall seq 1$/)
})

test('a workspace in which nothing was looked up says so', async t => {
  const { home } = await recalledHome(t)
  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('drop trigger events_update')
  db.exec(`update events set body = json_remove(body, '$.receipt.inputs.recall.found') where type = 'context.planned'`)
  db.close()
  const { stdout } = await piped(['verify', '--deep'], { home })
  assert.equal(stdout, '36/36 identical\ndeep: nothing was looked up for any request\n')
})
