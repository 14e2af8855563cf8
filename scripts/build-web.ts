// Builds the page if it is missing or older than its sources. It prints nothing if there is nothing to do.
import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = dirname(import.meta.dirname)
const BUILT = join(root, 'web/dist/index.html')
const SOURCES = [
  'web/src/**/*',
  'web/public/**/*',
  'web/index.html',
  'web/vite.config.ts',
  'web/package.json',
  'src/model/**/*.ts',
  'package-lock.json',
]

if (process.argv.includes('--force') || isStale()) build()

function isStale(): boolean {
  const built = changedAt(BUILT)
  // Folders count too, because a removed file leaves no other trace.
  return globSync(SOURCES, { cwd: root }).some(source => changedAt(join(root, source)) > built)
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function build(): void {
  const require = createRequire(join(root, 'web/package.json'))
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js')
  console.error('building the page …')
  const done = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(root, 'web'),
    stdio: ['ignore', 2, 2],
  })
  if (done.status === 0) return
  console.error('the page could not be built; the gateway itself works without it')
  process.exitCode = done.status ?? 1
}
