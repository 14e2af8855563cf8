// Holds the shape of the tree: small folders, tests where their source is, and a sentence at the top of every file.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'

const SOURCES = globSync(['src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'scripts/*.ts']).sort()

/** Folders of tests that are about the whole program, not about one room. */
const OF_NO_ROOM = ['bench', 'browser', 'chaos', 'docs', 'durability', 'fixtures', 'hazards', 'long', 'support']
/** Folders that hold material for the tests beside them, or one theme of theirs. */
const MATERIAL = /\/(golden[\w-]*|fakes|fixtures|files|agents|security|support|contract)(\/|$)/

test('every source file opens with one plain sentence', () => {
  const silent = SOURCES.filter(file => {
    const [, words] = /^(?:\/\/ |\/\*\*\s+(?:\* )?)([^\n]+)/.exec(readFileSync(file, 'utf8')) ?? []
    return words === undefined || !/^[A-Z`'"§]|^(?:[a-z][\w-]*\.(?:json|ts))/.test(words)
  })
  assert.deepEqual(silent, [])
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
