import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PDF, PNG } from '../../../support/files.ts'
import { piped } from '../in-process.ts'
import { newestSession, serve, sessionsOf, tempHome } from '../turnwise.ts'

function folder(t: TestContext): {
  readonly photo: string
  readonly notes: string
  readonly paper: string
  readonly zip: string
} {
  const place = mkdtempSync(join(tmpdir(), 'turnwise-files-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const write = (name: string, bytes: Buffer): string => {
    writeFileSync(join(place, name), bytes)
    return join(place, name)
  }
  return {
    photo: write('photo.PNG', Buffer.from(PNG, 'base64')),
    notes: write('notes.rs', Buffer.from('fn main() {}\n'.repeat(100))),
    paper: write('paper.pdf', Buffer.from(PDF, 'base64')),
    zip: write('archive.zip', Buffer.from('PK\0\0')),
  }
}

for (const way of ['alone', 'through a gateway'] as const) {
  test(`ask says something with files, ${way}; show names them and verify holds`, async t => {
    const home = tempHome(t)
    const { photo, notes, paper, zip } = folder(t)
    if (way !== 'alone') await serve(t, { home })
    const asked = await piped(['ask', 'how many messages do you see?', '--file', photo, '--file', notes, '-f', paper], {
      home,
    })
    assert.deepEqual([asked.code, asked.stdout, asked.stderr], [0, 'I see 1 message, yours just now included.\n', ''])
    const id = newestSession({ home })
    const silent = await piped(['ask', '-q', '-s', id, '--file', photo], { home })
    assert.equal(silent.code, 0)
    const { stdout } = await piped(['show', id], { home })
    assert.ok(
      stdout.includes('[Image photo.PNG, 70 bytes]\n[File notes.rs, 1 KB]\n[File paper.pdf, 189 bytes]\nhow many'),
      stdout,
    )
    assert.match((await piped(['verify', id], { home })).stdout, /2/)

    const refused = await piped(['ask', 'look', '--file', photo, '--file', zip], { home })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^turnwise: \/.*\/archive\.zip: the bytes are not text; /)
    const missing = await piped(['ask', 'look', '--file', '/no/such.png'], { home })
    assert.deepEqual([missing.code, missing.stderr], [2, 'turnwise: /no/such.png cannot be read (ENOENT); check the path\n'])
  })
}

test('a dry run shows what would be sent with the files, by their names, and keeps nothing; --raw has every byte', async t => {
  const home = tempHome(t)
  const { photo, paper } = folder(t)
  const model = { TURNWISE_MODEL: 'anthropic/claude-sonnet-4-5' }
  const dry = await piped(['ask', '--dry-run', 'look', '--file', paper, '--json'], { home, env: model })
  const context = JSON.parse(dry.stdout)
  assert.equal(context.request.body.messages[0].content[0].source.data, `…${PDF.length} characters of paper.pdf…`)

  await piped(['ask', 'look', '--file', photo, '--file', paper], { home })
  assert.equal(sessionsOf({ home }).length, 1)
  const id = newestSession({ home })
  const sight = ['context', id, '--model', 'anthropic/claude-sonnet-4-5', '--turn', '1']
  const raw = (await piped([...sight, '--raw'], { home })).stdout
  assert.ok(raw.includes(PNG) && raw.includes(PDF))
  const { receipt } = JSON.parse((await piped([...sight, '--json'], { home })).stdout)
  assert.equal(`sha256:${createHash('sha256').update(raw).digest('hex')}`, receipt.digest)
})
