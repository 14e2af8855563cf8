// Holds the shape of the tree: small folders, tests where their source is, and a sentence at the top of every file.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { namesDeclaredTwice, readTree, shortSingleImporterFiles } from '../scripts/source-tree.ts'

const SOURCES = globSync(['src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'scripts/*.ts']).sort()

/** Folders of tests that are about the whole program, not about one room. */
const OF_NO_ROOM = ['bench', 'browser', 'chaos', 'docs', 'durability', 'fixtures', 'hazards', 'long', 'support']
/** Folders that hold material for the tests beside them, or one theme of theirs. */
const MATERIAL = /\/(golden[\w-]*|fakes|fixtures|files|agents|nodes|security|support|contract)(\/|$)/

test('every source file opens with one plain sentence', () => {
  const silent = SOURCES.filter(file => {
    const [, words] = /^(?:\/\/ |\/\*\*\s+(?:\* )?)([^\n]+)/.exec(readFileSync(file, 'utf8')) ?? []
    return words === undefined || !/^[A-Z`'"§]|^(?:[a-z][\w-]*\.(?:json|ts))/.test(words)
  })
  assert.deepEqual(silent, [])
})

/** Short files with one importer that are files of their own for another reason than a test. */
const APART = [
  'src/archive/text-thread/text-jobs.ts', // the module that the text thread loads
  'src/archive/text-thread/worker.ts', // the text thread itself
  'src/provider/*/descriptor.ts', // one for each provider
  'src/context/stages/*.ts', // one for each stage of the assembly
  'src/turn/council/phase.ts', // a pure rule, listed among the pure files
  'web/src/markdown/code/highlight.ts', // loaded with the first code that names a language
]

const TREE = readTree('.', ['src/**/*.ts', 'web/src/**/*.{ts,tsx}'])

test('a short file with one importer is joined with it, unless a test imports it or it has to be apart', () => {
  const tested = new Set(readTree('.', ['test/**/*.ts']).flatMap(({ imports }) => imports))
  const apart = new Set(globSync(APART))
  assert.deepEqual(
    shortSingleImporterFiles(TREE)
      .filter(({ file }) => !tested.has(file) && !apart.has(file))
      .map(({ file, importer }) => `${file} ← ${importer}`),
    [],
  )
  for (const pattern of APART) assert.notDeepEqual(globSync(pattern), [], pattern)
})

test('an exported name is declared once in the whole source', () => {
  assert.deepEqual(namesDeclaredTwice(TREE), [])
})

/** Words that files and exported names had when only their writers could read them. */
const OLD_WORDS = [
  ...['told', 'retold', 'telling', 'brought', 'unheard', 'newcomer', 'homecomer', 'errand', 'porter', 'courier', 'notebook'],
  ...['chores', 'passing', 'overheard', 'accounted', 'harmless', 'floor', 'shelf', 'hearing', 'dialogue'],
  ...['ear', 'mouth', 'chair', 'desk', 'lens', 'deeds', 'rooms', 'kit'],
]

test('no file and no exported name has one of the old words', () => {
  const wordsOf = (name: string): readonly string[] =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
  const isOld = (name: string): boolean => wordsOf(name).some(word => OLD_WORDS.includes(word))
  assert.deepEqual(
    TREE.flatMap(({ path, exports }) => [path, ...exports.map(name => `${path}: ${name}`)].filter(isOld)),
    [],
  )
})

test('comments say who does what, not whoever or nobody', () => {
  const riddles = SOURCES.flatMap(file => {
    const comments = readFileSync(file, 'utf8').match(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm) ?? []
    return comments.filter(each => /\b(?:whoever|nobody|whatever)\b/i.test(each)).map(each => `${file}: ${each}`)
  })
  assert.deepEqual(riddles, [])
})

test('no folder has more than twenty files', () => {
  const counts = new Map<string, number>()
  for (const file of globSync(['src/**/*.*', 'web/src/**/*.*', 'test/**/*.{ts,tsx}'])) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 20),
    [],
  )
})

test('a folder of tests has the name of a folder of the source', () => {
  const folders = [...new Set(globSync('test/**/*.test.ts').map(file => dirname(file)))].sort()
  const strays = folders
    .map(folder => folder.split('/').slice(1))
    .filter(([room]) => room !== undefined && !OF_NO_ROOM.includes(room))
    .filter(path => !MATERIAL.test(`/${path.join('/')}/`))
    .filter(path => !existsSync(path[0] === 'web' ? ['web/src', ...path.slice(1)].join('/') : ['src', ...path].join('/')))
  assert.deepEqual(strays, [])
})
