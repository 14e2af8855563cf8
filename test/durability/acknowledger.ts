// Appends one message after the other and says on stdout what came of each, the moment it knows.
import { writeSync } from 'node:fs'
import { sqliteLog } from '../../src/log/sqlite/sqlite-log.ts'
import { heard, must, session, sessionOf } from '../log/facts.ts'

const [file = '', synchronous, count = '1'] = process.argv.slice(2)
const weigh = () => ({ tokens: 1, messages: 1 })
const log = must(await sqliteLog({ file, clock: Date.now, weigh, synchronous: synchronous === 'NORMAL' ? 'NORMAL' : 'FULL' }))
const id = session('traced')
must(await log.open(sessionOf(id)))
for (let index = 1; index <= Number(count); index += 1) {
  const appended = await log.append(id, [heard(`message ${index}`), heard('x'.repeat(index * 100))])
  writeSync(1, appended.ok ? `ACK ${index}\n` : `${appended.fault.kind} ${index}: ${appended.fault.message}\n`)
}
await log.close()
