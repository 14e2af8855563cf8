import { join } from 'node:path'
import { weigh } from '../../src/context/tokens.ts'
import { memoryLog } from '../../src/log/memory.ts'
import { logContract } from './contract.ts'
import { openSqlite, temporaryFolder } from './files.ts'

logContract('memory', async (_, clock) => ({
  log: memoryLog({ clock, weigh }),
  restarted: { never: 'a log in memory ends with its process' },
}))

logContract('sqlite', async (t, clock) => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file, { clock })
  const restarted = async () => {
    await log.close()
    return openSqlite(t, file, { clock })
  }
  return { log, restarted }
})
