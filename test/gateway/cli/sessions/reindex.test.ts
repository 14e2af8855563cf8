import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { piped } from '../in-process.ts'
import { type RecalledHome, recalledHome } from '../recalled-home.ts'
import { runFileOf, serve } from '../turnwise.ts'

/** What the index of the session has, read from the file. */
function stateOf({ home, id }: RecalledHome): Record<string, unknown> | undefined {
  const db = new DatabaseSync(join(home, 'turnwise.db'), { readOnly: true })
  const found = db.prepare('select messages from recall_sessions where session = ?').get(id)
  db.close()
  return found
}

function forget({ home }: RecalledHome): void {
  const db = new DatabaseSync(join(home, 'turnwise.db'))
  db.exec('update recall_sessions set session = null')
  db.close()
}

test('the index is made anew, for one session or for all', async t => {
  const made = await recalledHome(t)
  const { home, id } = made
  assert.notEqual(stateOf(made), undefined)
  forget(made)
  assert.equal(stateOf(made), undefined)
  const one = await piped(['reindex', id.slice(0, 12)], { home })
  assert.deepEqual([one.code, one.stdout], [0, 'Indexed 72 messages of 1 session.\n'])
  assert.equal(one.stderr, `${id}: 72 of 72 messages\n`)
  assert.equal(stateOf(made)?.messages, 72)
  const all = await piped(['reindex', '--all', '--json'], { home })
  assert.deepEqual([all.code, all.stdout], [0, '{"sessions":1,"messages":72}\n'])
  for (const argv of [['reindex'], ['reindex', id, '--all']]) {
    const wrong = await piped(argv, { home })
    assert.deepEqual([wrong.code, wrong.stderr], [2, 'turnwise: give a session or --all\n'])
  }
  const unknown = await piped(['reindex', 'ses_none'], { home })
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'turnwise: there is no session ses_none; "turnwise sessions" lists them\n'],
  )
})

test('a running gateway makes its index anew, and says how far it is', async t => {
  const made = await recalledHome(t)
  const { home, id } = made
  await serve(t, { home })
  forget(made)
  const done = await piped(['reindex', '--all'], { home })
  assert.deepEqual([done.code, done.stdout], [0, 'Indexed 72 messages of 1 session.\n'], done.stderr)
  assert.equal(done.stderr, `${id}: 72 of 72 messages\n`)
  assert.equal(stateOf(made)?.messages, 72)
  const { url, token } = runFileOf(home)
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const asked = await fetch(`${url}/api/sessions/${id}/reindex`, { method: 'POST', headers })
  assert.deepEqual([asked.status, await asked.json()], [200, { messages: 72, of: 72 }])
  const nowhere = await fetch(`${url}/api/sessions/ses_none/reindex`, { method: 'POST', headers })
  assert.equal(nowhere.status, 404)
})
