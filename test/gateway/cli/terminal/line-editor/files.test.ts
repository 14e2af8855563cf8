import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { editOutside, editorArgv } from '../../../../../src/gateway/cli/terminal/line-editor/external.ts'
import { pipedLines } from '../../../../../src/gateway/cli/terminal/line-editor/lines.ts'
import { LONGEST_INPUT_BYTES } from '../../../../../src/gateway/cli/terminal/line-editor/state.ts'
import { tempHome } from '../../turnwise.ts'

test('an editor is named as argv, with quotes and without a shell', () => {
  assert.deepEqual(editorArgv('code --wait'), ['code', '--wait'])
  assert.deepEqual(editorArgv(`"/my tools/ed" -x='a b' $HOME;ls`), ['/my tools/ed', '-x=a b', '$HOME;ls'])
})

/** An editor that is a script: it finds the file's name in its last argument. */
const editor = (home: string, script: string): Record<string, string> => {
  mkdirSync(home, { recursive: true })
  const program = join(home, 'my editor.cjs')
  writeFileSync(program, `const fs = require('node:fs'); const file = process.argv.at(-1); ${script}`)
  return { EDITOR: `'${process.execPath}' '${program}' --wait` }
}

test('a draft is written in an editor of one’s own, and its file is gone afterwards', async t => {
  const home = tempHome(t)
  let isAway = false
  const away = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    isAway = true
    return work()
  }
  const environment = editor(
    home,
    `fs.writeFileSync(${JSON.stringify(join(home, 'seen'))}, JSON.stringify([file, (fs.statSync(file).mode & 0o777).toString(8), process.argv.at(-2)])); fs.appendFileSync(file, ' and more\\r\\n')`,
  )
  assert.deepEqual(await editOutside({ away }, environment, 'a draft'), { ok: true, value: 'a draft and more' })
  assert.ok(isAway)
  const [file, mode, option] = JSON.parse(readFileSync(join(home, 'seen'), 'utf8')) as [string, string, string]
  assert.deepEqual([mode, option], ['600', '--wait'])
  assert.equal(existsSync(dirname(file)), false)
})

test('an editor that fails or is not there says so, and what is too long is not lost', async t => {
  const home = tempHome(t)
  const away = <Value>(work: () => Promise<Value>): Promise<Value> => work()
  const failed = await editOutside({ away }, editor(home, 'process.exit(3)'), 'a draft')
  assert.match(failed.ok ? '' : failed.fault.message, /ended without success/)
  const missing = await editOutside({ away }, { VISUAL: '/no/such/editor' }, 'a draft')
  assert.match(missing.ok ? '' : missing.fault.message, /does not start.*set EDITOR/)
  const long = await editOutside(
    { away },
    editor(home, `fs.writeFileSync(file, 'x'.repeat(${LONGEST_INPUT_BYTES + 1}))`),
    'a draft',
  )
  const [kept = ''] = /\/\S+message\.md/.exec(long.ok ? '' : long.fault.message) ?? []
  assert.equal(statSync(kept).size, LONGEST_INPUT_BYTES + 1)
})

async function all<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

test('piped input is read line by line, however it is cut', async () => {
  const bytes = Buffer.from('grüße\r\n\n  \nzwei 日本\nlast')
  for (const size of [1, 2, 3, 5, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    const lines = await all(pipedLines({ stdin: Readable.from(chunks) }))
    assert.deepEqual(
      lines.map(line => line.ok && line.value),
      ['grüße', 'zwei 日本', 'last'],
    )
  }
})

test('a line that is too long is refused by its number, and the next one is read', async () => {
  const chunks = ['first\n', ...Array.from({ length: 5 }, () => 'x'.repeat(LONGEST_INPUT_BYTES / 2)), 'x\nlast']
  const lines = await all(pipedLines({ stdin: Readable.from(chunks) }))
  assert.deepEqual(
    lines.map(line => (line.ok ? line.value : line.fault.message)),
    ['first', 'line 2 is longer than 1 MiB; send it as a file instead', 'last'],
  )
})
