// Looks for what the usual run cannot find: new cases of every property, ten times as many, new texts that are slow to read, and
// whether a turn is taken over in time under leases of the usual length.
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { sharedPostgres } from '../test/support/postgres.ts'
import { runBatches } from './test-run.ts'

process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')
process.env.TURNWISE_TEST_RUNS ??= 'many'
process.env.TURNWISE_TEST_SEED ??= 'random'

const LONGEST_MS = 3_600_000

const hasProperties = (file: string): boolean => readFileSync(file, 'utf8').includes('/support/tries.ts')

const stopPostgres = await sharedPostgres()
const passed = await runBatches(
  [
    { files: globSync('test/**/*.test.ts').filter(hasProperties).sort(), atOnce: 2 },
    { files: globSync('test/long/*.ts').sort(), atOnce: 1 },
  ],
  LONGEST_MS,
)
await stopPostgres()
if (!passed) process.exit(1)
