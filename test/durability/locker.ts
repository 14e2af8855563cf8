// Holds the write lock of a database until it is told to let go, as a foreign program might.
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

const db = new DatabaseSync(process.argv[2] ?? '', { timeout: 5000 })
db.exec('begin immediate')
process.stdout.write('locked\n')
await once(process.stdin, 'data')
db.exec('rollback')
process.stdout.write('released\n')
process.exit()
