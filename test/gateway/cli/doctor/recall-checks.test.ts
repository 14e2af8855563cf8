import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { command } from '../in-process.ts'
import { recalledHome } from '../recalled-home.ts'
import { tempHome } from '../turnwise.ts'

type Check = { readonly name: string; readonly state: string; readonly found: string }

async function checksOf(home: string): Promise<readonly Check[]> {
  const { stdout } = await command(home, ['doctor', '--json'])
  return (JSON.parse(stdout).checks as Check[]).filter(({ name }) => ['recall', 'encoder', 'recall index'].includes(name))
}

test('doctor says what recall works with and how much is indexed', async t => {
  const { home } = await recalledHome(t)
  const [vectors, encoder, index] = await checksOf(home)
  assert.deepEqual([vectors?.name, vectors?.state], ['recall', 'ok'])
  assert.match(vectors?.found ?? '', /^word vectors [0-9a-f]{8}, and words$/)
  assert.match(encoder?.found ?? '', /^(installed: @lat\.md\/embed \S+|not installed; recall works without it)/)
  assert.match(
    index?.found ?? '',
    /^1 session, \d+ messages, \d+ KB; 1 session more to do, in the background or when a turn needs it$/,
  )
  await command(home, ['reindex', '--all'])
  assert.match((await checksOf(home))[2]?.found ?? '', /^1 session, 72 messages, \d+ KB$/)
})

test('a workspace without a database has nothing indexed', async t => {
  const home = tempHome(t)
  mkdirSync(home, { mode: 0o700 })
  const [, , index] = await checksOf(home)
  assert.deepEqual([index?.state, index?.found], ['ok', '0 sessions, 0 messages, 0 bytes'])
})
