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
