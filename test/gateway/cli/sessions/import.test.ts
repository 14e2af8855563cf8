// export and import as a person types them, alone and beside a gateway.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startWorkspace } from '../../../support/workspace.ts'
import { command } from '../in-process.ts'
import { newestSession, tempHome } from '../turnwise.ts'

const seed1 = (id: string, ...words: readonly string[]): string =>
  JSON.stringify(
    {
      ...{ id, agent: '@ai-muse', state: 'active', created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:09Z' },
      messages: words.map((content, index) => ({
        ...{ role: index % 2 === 0 ? 'user' : 'assistant', content, timestamp: '2026-01-02T03:04:05Z' },
      })),
    },
    null,
    2,
  )

test('a conversation is exported, imported elsewhere and beside a gateway, and is the same', async t => {
  const home = tempHome(t)
  assert.equal((await command(home, ['ask', 'How do boats float?'])).code, 0)
  const id = newestSession({ home })
  const printed = await command(home, ['export', id.slice(0, 12)])
  assert.deepEqual([printed.code, printed.stderr], [0, ''])
  assert.match(printed.stdout, /^\{"turnwise":"archive","version":1,"sessions":\[\n/)
  assert.equal((await command(home, ['export', '--all'])).stdout, printed.stdout)
  assert.equal((await command(home, ['export', id, '--json'])).stdout, printed.stdout)
  assert.match((await command(home, ['export', id, '--format', 'markdown'])).stdout, /^# How do boats float\?\n/)

  const file = join(dirname(home), 'boats.json')
  assert.deepEqual(await command(home, ['export', id, '-o', file]), { code: 0, stdout: '', stderr: '' })
  assert.equal(readFileSync(file, 'utf8'), printed.stdout)
  const refused = await command(home, ['export', id, '-o', file, '--format', 'html'])
  assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [1, printed.stdout])
  assert.match(
    refused.stderr,
    /^turnwise: .*boats\.json exists already and is left as it is; choose another name, or add --force\n$/,
  )
  assert.equal((await command(home, ['export', id, '-o', file, '--force'])).code, 0)

  const { home: away } = await startWorkspace(t, {})
  const sent = await command(away, ['import', file])
  assert.deepEqual(sent, { code: 0, stdout: `Imported 1 session with 2 messages (turnwise) as ${id}.\n`, stderr: '' })
  const again = await command(away, ['import', file, '--json'])
  assert.deepEqual(
    { ...JSON.parse(again.stdout), remarks: [] },
    { sessions: 0, messages: 0, format: 'turnwise', skipped: 1, remarks: [], ids: [] },
  )
  assert.equal((await command(away, ['export', id])).stdout, printed.stdout)
  assert.match((await command(away, ['verify', id])).stdout, /^1\/1 identical\n$/)
})

test('on a terminal no format gives it orders, and in a pipe every byte is there', async t => {
  const home = tempHome(t)
  const attack = 'look \x1b]0;title\x07 \x9b2J \u202eback'
  assert.equal((await command(home, ['ask', attack])).code, 0)
  const id = newestSession({ home })
  for (const format of ['json', 'markdown', 'html', 'port42']) {
    const [piped, seen] = [
      (await command(home, ['export', id, '--format', format])).stdout,
      (await command(home, ['export', id, '--format', format], 80)).stdout,
    ]
    assert.ok(piped.includes('\u202e'), format)
    assert.doesNotMatch(seen.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u, format)
    if (format === 'json' || format === 'port42') assert.deepEqual(JSON.parse(seen), JSON.parse(piped))
    else assert.match(seen, /U\+202Eback/)
  }
})

test('a folder of session files comes in together or not at all, and the bad one is named', async t => {
  const home = tempHome(t)
  const folder = join(dirname(home), 'sessions')
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('2026-01-02/session-1.json', seed1('session-1', 'Hello', 'Good day.'))
  write('2026-01-02/session-2.json', seed1('session-2', 'And?', 'And so on.', 'Thanks'))
  write('2026-01-03/session-3.json', '{\n"id": "session-3",\n"messages": [{"role": 7}]}')
  const bad = await command(home, ['import', folder])
  assert.equal(bad.code, 1)
  assert.match(bad.stderr, /^turnwise: .*2026-01-03\/session-3\.json, line [123]\b.*; nothing was imported\n$/)
  assert.equal((await command(home, ['sessions', '--json'])).stdout.includes('ses_'), false)

  write('2026-01-03/session-3.json', seed1('session-3', 'Last', 'One.'))
  const good = await command(home, ['import', folder, '--format', 'port42'])
  assert.equal(good.code, 0)
  assert.match(good.stdout, /^Imported 3 sessions with 7 messages \(port42\)\.\n {2}there is no agent "@ai-muse" here; /)
})

test('what was typed wrongly, or is not there, is said in one line', async t => {
  const home = tempHome(t)
  const empty = join(dirname(home), 'empty')
  mkdirSync(empty)
  for (const [argv, code, words] of [
    [['export'], 2, /give a session or --all/],
    [['export', 'ses_a', '--all'], 2, /give a session or --all/],
    [['export', '--all', '--format', 'docx'], 2, /--format must be one of json, markdown, port42, html/],
    [['import', 'x.json', '--format', 'docx'], 2, /--format must be one of turnwise, /],
    [['import', join(empty, 'none.json')], 1, /there is no .*none\.json; give the path of a file/],
    [['import', empty], 1, /there are no \.json files in /],
  ] as const) {
    const printed = await command(home, argv)
    assert.deepEqual([printed.code, printed.stdout], [code, ''], argv.join(' '))
    assert.match(printed.stderr, words)
    assert.match(printed.stderr, /^turnwise: [^\n]*\n$/)
  }
  assert.equal((await command(home, ['ask', 'hello'])).code, 0)
  assert.match((await command(home, ['export', '--all', '--format', 'html'])).stderr, /^turnwise: format: all sessions together/)
  assert.match(
    (await command(home, ['export', newestSession({ home }), '-o', join(empty, 'no/x.json')])).stderr,
    /there is no folder for /,
  )
})
