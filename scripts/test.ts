// Runs all checks that must pass before a change lands: lint, types, a built page, every test. `--quick` skips the slow kinds.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { sharedPostgres } from '../test/support/postgres.ts'
import { runBatches } from './test-run.ts'

const quick = process.argv.includes('--quick')
/** Slow kinds of tests: real kills, real disks, real processes, a real browser. */
const SLOW = [
  'archive/',
  'bench/',
  'browser/',
  'context/fold/',
  'context/properties',
  'context/recall/language/',
  'context/window/folds-property',
  'docs/',
  'durability/',
  'gateway/ai-sdk/',
  'gateway/channel/',
  'gateway/cli/',
  'gateway/http/',
  'gateway/nodes/',
  'gateway/openai/',
  'gateway/postgres',
  'gateway/settings/',
  'gateway/switch-of-recall',
  'gateway/telegram/',
  'gateway/workspace/',
  'hazards/context/a-chat-that-imitates',
  'hazards/context/long-messages',
  'hazards/context/full-windows',
  'hazards/context/recall-faults',
  'hazards/context/slow-texts',
  'hazards/context/true-notes',
  'hazards/safety/keys-stay',
  'hazards/safety/secrets-everywhere',
  'hazards/safety/servers-beside-a-gateway',
  'hazards/turns/bugs-fail-their-turn',
  'hazards/turns/many-calls-at-once',
  'hazards/turns/stopping',
  'log/contract',
  'log/copy/',
  'log/hearable',
  'log/import',
  'log/kept-rows',
  'log/memory-store',
  'log/past-folds',
  'log/postgres',
  'log/recall',
  'log/second-version',
  'log/sqlite',
  'provider/connections',
  'provider/cut-at-every-frame',
  'provider/engine',
  'provider/fakes',
  'provider/faults',
  'provider/decoders',
  'provider/ollama/',
  'provider/patience',
  'provider/text-protocol',
  'skill/hazards',
  'tool/',
  'turn/council-isolation',
  'turn/engine-context',
  'turn/fork',
  'turn/inspect',
  'turn/memory/',
  'turn/nodes/',
  'turn/recall/',
  'turn/titles',
  'turn/tools/',
  'web/markdown/markdown-hostile',
].map(name => `test/${name}`)

/** Tests that measure time, or burden the whole machine, run alone. The rest run two at a time. */
const ALONE = [
  'browser/going-on',
  'browser/nodes',
  'durability/',
  'gateway/http/degraded',
  'gateway/http/security/slow-loris',
  'gateway/http/streams',
  'hazards/context/long-messages',
  'hazards/context/slow-texts',
  'hazards/turns/stopping',
  'log/sqlite',
  'provider/connections',
  'provider/decoders',
  'provider/patience',
  'tool/',
].map(name => `test/${name}`)

const run = (command: string, args: readonly string[]): void => {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

// Every test file is a process that loads the same sources. With a cache they are compiled only once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')

// Property tests run fewer cases.
if (quick) process.env.TURNWISE_TEST_RUNS = 'few'

const files = globSync('test/**/*.test.ts')
  .filter(file => !(quick && SLOW.some(folder => file.startsWith(folder))))
  .sort()

run('biome', ['check', '.'])
run('tsc', ['-p', 'tsconfig.json'])
run('tsc', ['-p', 'web/tsconfig.json'])
if (!quick) run('node', ['scripts/build-web.ts'])
const isAlone = (file: string): boolean => ALONE.some(folder => file.startsWith(folder))
// One server for all tests that need one.
const stopPostgres = await sharedPostgres()
const passed = await runBatches([
  { files: files.filter(file => !isAlone(file)), atOnce: 2 },
  { files: files.filter(isAlone), atOnce: 1 },
])
await stopPostgres()
if (!passed) process.exit(1)
