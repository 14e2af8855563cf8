import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Who may look into whose room; a room always sees itself. */
const MAY_SEE: Readonly<Record<string, readonly string[]>> = {
  model: [],
  context: ['model'],
  log: ['model'],
  provider: ['model'],
  tool: ['model'],
  skill: ['model', 'tool'],
  archive: ['model', 'context'],
  turn: ['model', 'context', 'log', 'provider', 'tool', 'skill', 'archive'],
  'engine.ts': ['model', 'context', 'log', 'provider', 'tool', 'skill', 'archive', 'turn'],
  testing: ['model', 'log', 'provider', 'tool'],
  gateway: ['model', 'engine.ts'],
  'main.ts': ['gateway'],
}

/** Files that a room may see beyond that: they compute, and load little enough to run in a thread of their own. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  gateway: ['src/archive/text-thread/lex-text.ts', 'src/archive/text-thread/text-thread.ts'],
}

/** Rooms and files that only compute. */
const PURE = [
  'src/model/**/*.ts',
  'src/context/**/*.ts',
  'src/provider/{anthropic,openai-chat,ollama,text-protocol}/{encode,decode}.ts',
  'src/provider/demo/{wire,script}.ts',
  'src/provider/transport/join-neighbors.ts',
  'src/turn/admission/{attach,image}.ts',
  'src/turn/step/{reply-builder,reply-timing}.ts',
  'src/turn/schedule/message-thread.ts',
  'src/turn/recovery/decide.ts',
  'src/skill/{frontmatter,characters,shown,render,prices}.ts',
  'web/src/view/*.ts',
]
const WORLD =
  /\b(Date\.now|new Date\(|performance\.|Math\.random|process\.|fetch\(|setTimeout|setInterval|console\.|await |async )|from 'node:/

const sources = globSync('src/**/*.ts').sort()
const withoutComments = (file: string): string => readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
const importsOf = (file: string): string[] =>
  [...withoutComments(file).matchAll(/from '([^']+)'|import\('([^']+)'\)/g)].map(([, a, b]) => a ?? b ?? '')
const roomOf = (file: string): string => file.split('/')[1] ?? ''

test('a room sees only what it needs', () => {
  const trespasses = sources.flatMap(file =>
    importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))
      .filter(seen => roomOf(seen) !== roomOf(file) && !(MAY_SEE[roomOf(file)] ?? []).includes(roomOf(seen)))
      .filter(seen => !(ALSO[roomOf(file)] ?? []).includes(seen))
      .map(seen => `${file} looks into ${seen}`),
  )
  assert.deepEqual(trespasses, [])
})

test('pure rooms have no clock, no chance, no I/O and never wait', () => {
  const found = PURE.map(pattern => ({ pattern, files: globSync(pattern) }))
  assert.deepEqual(
    found.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern),
    [],
    'every pattern finds a file',
  )
  const files = found.flatMap(each => each.files)
  const impure = files.filter(file => WORLD.test(withoutComments(file)))
  assert.deepEqual(impure, [])
})

test('the model imports nothing but itself, and zod for the settings', () => {
  const foreign = globSync('src/model/**/*.ts').flatMap(file =>
    importsOf(file)
      .filter(name => !name.startsWith('.') || roomOf(normalize(join(dirname(file), name))) !== 'model')
      .map(name => `${file}: ${name}`),
  )
  assert.deepEqual(foreign, ['src/model/settings/config.ts: zod'])
})

test('only main.ts reads the environment', () => {
  const readers = sources.filter(file => /process\.env|\benv\b.*= process\b/.test(withoutComments(file)))
  assert.deepEqual(readers, ['src/main.ts'])
})

test('every dependency has a decision record, and only Node may run an install script', () => {
  const { dependencies, devDependencies, allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const web = JSON.parse(readFileSync('web/package.json', 'utf8')).devDependencies
  const records = globSync('docs/decisions/*.md')
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const undecided = Object.keys({ ...dependencies, ...devDependencies, ...web }).filter(name => !records.includes(`\`${name}\``))
  assert.deepEqual(undecided, [])
  assert.deepEqual(allowScripts, { node: true })
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []))
  assert.deepEqual(
    scripted.filter(path => path !== 'node_modules/node' && path !== 'node_modules/fsevents'),
    [],
  )
})
