/** Fills the recall index of a session in a file, a few events at a time, and says how far it is until it is killed or done. */
import { writeSync } from 'node:fs'
import { weigh } from '../../../../src/context/text/tokens.ts'
import { sqliteLog } from '../../../../src/log/sqlite/sqlite-log.ts'
import { fillIndex } from '../../../../src/turn/recall/fill/fill-index.ts'
import { eventSource } from '../../../../src/turn/recall/recall-thread.ts'
import { must } from '../../../log/facts.ts'
import { SESSION } from './random-log.ts'

const [, , file = '', limit = '40'] = process.argv
const log = must(await sqliteLog({ file, clock: Date.now, weigh }))
for (;;) {
  const { indexedThrough, isDone } = must(
    await fillIndex(log.recall, eventSource(log), SESSION, { vectors: undefined, limit: Number(limit) }),
  )
  writeSync(1, `${indexedThrough}\n`)
  if (isDone) break
}
await log.close()
