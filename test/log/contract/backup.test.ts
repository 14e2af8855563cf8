// A backup is a whole copy in one file, or the store says that it has none.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsOf, faultOf, heard, must, session } from '../facts.ts'
import { openSqlite, temporaryFolder } from '../files.ts'
import { onEveryStore } from './stores.ts'

const RAIN = session('rain')

onEveryStore('Backup', (_, opened) => {
  test('a copy has what was said before it, and nothing of what is said later', async t => {
    const { log, restarted, isServer = false } = await opened(t, RAIN)
    must(await log.append(RAIN, [heard('a')]))
    const file = join(temporaryFolder(t), 'copy.db')
    // A store that ends with its process has no file, and a server is copied with its own tools.
    if ('never' in restarted || isServer) return void faultOf(await log.backup(file), 'invalid')
    const before = await eventsOf(log, RAIN)
    must(await log.backup(file))
    must(await log.append(RAIN, [heard('later')]))
    assert.deepEqual(await eventsOf(await openSqlite(t, file), RAIN), before)
    faultOf(await log.backup(join(temporaryFolder(t), 'no', 'folder.db')), 'store')
  })
})
