// Prints the figures of a source tree: folders, files, names, dependencies, start time and the walk. `--json` and `--root <path>` too.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { filesPerFolder, namesDeclaredTwice, readTree, shortSingleImporterFiles, singleImporterFiles } from './source-tree.ts'
import { coverTheWalk } from './walk-coverage.ts'

const { values } = parseArgs({
  options: { root: { type: 'string', default: '.' }, json: { type: 'boolean', default: false } },
})
const root = resolve(values.root)

const source = readTree(root, ['src/**/*.ts', 'web/src/**/*.{ts,tsx}'])
const tests = readTree(root, ['test/**/*.ts'])
const lengths = source.map(({ lines }) => lines).sort((a, b) => a - b)
const largest = source.toSorted((a, b) => b.lines - a.lines)[0]
const folders = filesPerFolder(source)
const walk = coverTheWalk(root)

const figures = {
  files: source.length,
  lines: lengths.reduce((sum, each) => sum + each, 0),
  folders: folders.length,
  filesPerFolder: Object.fromEntries(folders),
  testFilesPerFolder: Object.fromEntries(filesPerFolder(tests)),
  medianLines: lengths[Math.floor(lengths.length / 2)] ?? 0,
  largestFile: { file: largest?.path, lines: largest?.lines },
  singleImporterFiles: singleImporterFiles(source),
  shortSingleImporterFiles: shortSingleImporterFiles(source),
  namesDeclaredTwice: namesDeclaredTwice(source),
  dependencies: dependencies(),
  start: { versionMs: await fastest(version), readyMs: await fastest(ready) },
  walk: { filesLoaded: walk.loaded.length, filesExecuted: walk.executed.length, filesOfTheMessage: walk.message.length },
}

if (values.json) console.log(JSON.stringify({ ...figures, walk }, null, 2))
else print()

function print(): void {
  const { start, namesDeclaredTwice: twice, shortSingleImporterFiles: short, dependencies: packages } = figures
  const total = Object.values(packages).reduce((sum, { ownMb }) => sum + ownMb, 0)
  table('Source', [
    ['files', figures.files],
    ['lines', figures.lines],
    ['folders', figures.folders],
    ['folders with more than 20 files', folders.filter(([, count]) => count > 20).length],
    ['median lines of a file', figures.medianLines],
    [`largest file (${figures.largestFile.file})`, figures.largestFile.lines ?? 0],
    ['files with exactly one importer', figures.singleImporterFiles],
    ['… of them under 25 lines', short.length],
    ['exported names declared more than once', twice.length],
    ['run-time packages', Object.keys(packages).length],
    ['… their size in MB, without what they bring along', total.toFixed(1)],
    ['… size of everything installed for the run time, in MB', installedForRunTime().toFixed(1)],
    ['milliseconds to --version', start.versionMs],
    ['milliseconds to a ready gateway', start.readyMs],
    ['files loaded by the walk', figures.walk.filesLoaded],
    ['files executed by the walk, with start and end', figures.walk.filesExecuted],
    ['files that its one message passes on the main thread', figures.walk.filesOfTheMessage],
  ])
  table('Files per folder', folders)
  table('Test files per folder', Object.entries(figures.testFilesPerFolder))
  table(
    'Run-time packages in MB',
    Object.entries(packages).map(([name, { version, ownMb }]) => [`${name} ${version}`, ownMb.toFixed(1)]),
  )
  table(
    'Short files with one importer',
    short.map(({ file, lines, importer }) => [`${file} ← ${importer}`, lines]),
  )
  table(
    'Exported names declared more than once',
    twice.map(({ name, files }) => [`${name}: ${files.join(', ')}`, files.length]),
  )
}

function table(title: string, rows: readonly (readonly [string, string | number])[]): void {
  const figuresOf = rows.map(([, value]) => String(value))
  const width = Math.max(0, ...figuresOf.map(({ length }) => length))
  console.log(`\n${title}`)
  for (const [index, [label]] of rows.entries()) console.log(`  ${(figuresOf[index] ?? '').padStart(width)}  ${label}`)
}

function megabytesIn(folder: string, skipNested: boolean): number {
  const bytes = globSync('**', { cwd: folder, exclude: name => skipNested && name === 'node_modules' })
    .map(each => lstatSync(join(folder, each)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  return bytes / 1_000_000
}

function dependencies(): Record<string, { version: string; ownMb: number }> {
  const { dependencies: names } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.fromEntries(
    Object.entries(names).map(([name, wanted]) => [
      name,
      { version: wanted, ownMb: megabytesIn(join(root, 'node_modules', name), true) },
    ]),
  )
}

/** The size of all packages in an installation without development packages. */
function installedForRunTime(): number {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }>
  }
  const found = new Set<string>()
  const visit = (from: string, name: string): void => {
    // Searches for a package as Node does: beside its user first, then further out.
    let base = from
    while (packages[join(base, 'node_modules', name)] === undefined && base !== '' && base !== '.') base = outward(base)
    const path = join(base, 'node_modules', name)
    const entry = packages[path]
    if (entry === undefined || found.has(path)) return
    found.add(path)
    for (const each of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(path, each)
  }
  for (const name of Object.keys(packages['']?.dependencies ?? {})) visit('', name)
  return [...found].reduce((sum, path) => sum + megabytesIn(join(root, path), true), 0)
}

function outward(path: string): string {
  const at = path.lastIndexOf('/node_modules/')
  return at === -1 ? '' : path.slice(0, at)
}

/** The fastest of five runs, because other work on the machine only ever makes a run slower. */
async function fastest(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round += 1) times.push(await measure())
  return Math.round(Math.min(...times))
}

async function version(): Promise<number> {
  const began = performance.now()
  const { status } = spawnSync(process.execPath, ['src/main.ts', '--version'], { cwd: root })
  if (status !== 0) throw new Error('--version failed')
  return performance.now() - began
}

async function ready(): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-figures-'))
  const began = performance.now()
  const gateway = spawn(process.execPath, ['src/main.ts', 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, TURNWISE_HOME: home, TURNWISE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface(gateway.stdout), 'line')) as [string]
    const answer = await fetch(`${/http:\/\/[^\s/]+/.exec(line)?.[0]}/readyz`)
    if (!answer.ok) throw new Error(`the gateway is not ready: ${answer.status}`)
    return performance.now() - began
  } finally {
    gateway.kill()
    await once(gateway, 'exit')
    rmSync(home, { recursive: true })
  }
}
