import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { weigh } from '../../src/context/text/tokens.ts'
import { memoryLog } from '../../src/log/memory/memory-log.ts'
import type { Clock } from '../../src/log/ports.ts'
import { logContract, type Shelf } from './contract.ts'
import { openSqlite, temporaryFolder } from './files.ts'
import { forkContract } from './fork-contract.ts'
import { grantsContract } from './grants-contract.ts'
import { idsContract } from './ids-contract.ts'
import { bringContract } from './import-contract.ts'
import { receiptsContract } from './receipts-contract.ts'

const memory = async (_: TestContext, clock: Clock): Promise<Shelf> => ({
  log: memoryLog({ clock, weigh }),
  restarted: { never: 'a log in memory ends with its process' },
})

const sqlite = async (t: TestContext, clock: Clock): Promise<Shelf> => {
  const file = join(temporaryFolder(t), 'turnwise.db')
  const log = await openSqlite(t, file, { clock })
  const restarted = async () => {
    await log.close()
    return openSqlite(t, file, { clock })
  }
  return { log, restarted }
}

logContract('memory', memory)
logContract('sqlite', sqlite)
forkContract('memory', memory)
forkContract('sqlite', sqlite)
bringContract('memory', memory)
bringContract('sqlite', sqlite)
grantsContract('memory', memory)
grantsContract('sqlite', sqlite)
receiptsContract('memory', memory)
receiptsContract('sqlite', sqlite)
idsContract('memory', memory)
idsContract('sqlite', sqlite)
