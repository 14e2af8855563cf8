import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sqliteLog, weigh } from '../../../src/index.ts'
import { WORD_VECTORS_FILE } from '../../../src/turn/recall/recall.ts'
import { FORGETFUL, GENEROUS, recalling, SAVING } from '../../turn/inspect/recalling.ts'
import { tempHome } from './turnwise.ts'

export type RecalledHome = { readonly home: string; readonly id: string }

/** A workspace with a conversation in which earlier messages were recalled, and its policies in the settings. */
export async function recalledHome(t: TestContext): Promise<RecalledHome> {
  const home = tempHome(t)
  mkdirSync(home, { mode: 0o700 })
  const policies = Object.fromEntries([SAVING, GENEROUS, FORGETFUL].map(({ name, version: _, ...rest }) => [name, rest]))
  const settings = { policy: GENEROUS.name, policies, limits: { historyMs: 20_000 } }
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  const log = await sqliteLog({ file: join(home, 'turnwise.db'), clock: Date.now, weigh })
  assert.ok(log.ok)
  const { engine, id } = await recalling(GENEROUS, { log: log.value, vectorsFile: WORD_VECTORS_FILE })
  await engine.close(0)
  return { home, id }
}
