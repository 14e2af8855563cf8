import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** The rooms of the page from the ground up: each may look into those before it, never into one behind. */
const ROOMS = [
  ...['wire', 'view', 'words', 'store', 'parts'],
  ...[
    'markdown',
    'form',
    'model-picker',
    'connect',
    'reply',
    'council',
    'composer',
    'transcript',
    'sidebar',
    'pages',
    'inspector',
    'frame',
    'main.tsx',
  ],
]

const roomOf = (file: string): string => file.split('/')[2] ?? ''

test('a room of the page looks only into those it stands on', () => {
  const files = globSync('web/src/**/*.{ts,tsx}')
  assert.deepEqual(
    [...new Set(files.map(roomOf))].filter(room => !ROOMS.includes(room)),
    [],
    'every room has its place',
  )
  const trespasses = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)]
      .map(([, name = '']) => normalize(join(dirname(file), name)))
      .filter(seen => seen.startsWith('web/src/') && ROOMS.indexOf(roomOf(seen)) > ROOMS.indexOf(roomOf(file)))
      .map(seen => `${file} looks into ${seen}`),
  )
  assert.deepEqual(trespasses, [])
})

/** Formulas bring a large style sheet and fonts, and have their source beside them if those cannot be read. */
const OWN_STYLES = ['web/src/markdown/math/typeset.ts']

test('main.tsx reads the styles of the whole page, so a part that is loaded later never waits for its own', () => {
  const readers = globSync('web/src/**/*.{ts,tsx}').filter(file => /import '[^']+\.css'/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(readers.sort(), ['web/src/main.tsx', ...OWN_STYLES].sort())
  const styles = globSync('web/src/**/*.css').map(file => file.slice('web/src/'.length))
  const read = [...readFileSync('web/src/main.tsx', 'utf8').matchAll(/import '\.\/([^']+\.css)'/g)].map(([, name]) => name)
  assert.deepEqual(read.toSorted(), styles.toSorted(), 'each of them once')
})
