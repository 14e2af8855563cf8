// Every benchmark, one after the other, each in a process of its own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const BENCHMARKS = [
  'append',
  'context',
  'inspect',
  'dry-run',
  'first-delta',
  'wire',
  'start',
  'council',
  'import',
  'cache',
  'traces',
  'web',
  'nodes',
  'shards',
]

for (const bench of BENCHMARKS) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${bench}.ts`), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
