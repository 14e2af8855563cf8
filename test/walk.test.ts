import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sqliteLog, weigh } from '../src/index.ts'
import { NOON, walkThrough } from './support/walk.ts'

test('one message walks through the whole house', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-walk-'))
  const log = await sqliteLog({ file: join(folder, 'walk.db'), clock: () => NOON, weigh })
  assert.ok(log.ok)
  await walkThrough(log.value)
  rmSync(folder, { recursive: true })
})
