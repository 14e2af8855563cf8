// Holds ARCHITECTURE.md to the truth: its folders, its paths, and the files that one message passes.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { coverTheWalk } from '../../scripts/walk-coverage.ts'

const PAGE = readFileSync('ARCHITECTURE.md', 'utf8')

const section = (title: string): string => PAGE.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? ''
const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, words]) => words ?? '')

test('every folder of the source has its line, and every line its folder', () => {
  const folders = [...new Set(globSync('src/**/*.ts').map(file => dirname(file)))].sort()
  const listed = [...section('Folders').matchAll(/^\| `(src[^`]*)` \|/gm)].map(([, folder]) => folder ?? '').sort()
  assert.deepEqual(listed, folders)
})

test('every path of the page exists', () => {
  const paths = quoted(PAGE).filter(words => /^[\w./-]+$/.test(words) && words.includes('/') && !words.startsWith('/'))
  assert.ok(paths.length > 100)
  const missing = paths.filter(path => !existsSync(path) && !existsSync(`src/${path}`))
  assert.deepEqual(missing, [])
})

test('the table of common changes has ten lines, each with a path', () => {
  const rows = section('To do X, open Y').split('\n').slice(4)
  const lines = rows.filter(row => row.startsWith('| '))
  assert.equal(lines.length, 10)
  for (const line of lines)
    assert.ok(
      quoted(line).every(path => existsSync(path)),
      line,
    )
})

test('the walk names exactly the files that one message passes', () => {
  const named = quoted(section('The walk').split('|--:|')[1]?.split('\n\n')[0] ?? '').filter(words => words.endsWith('.ts'))
  const passed = coverTheWalk()
    .message.map(file => file.slice('src/'.length))
    // Folds are made in the background. Their code may begin to run before the last frame or after it.
    .filter(file => !['model/', 'turn/memory/', 'context/fold/'].some(folder => file.startsWith(folder)))
  assert.equal(new Set(named).size, named.length, 'each file is named once')
  assert.deepEqual(named.toSorted(), passed.toSorted())
})
