// Links, pipes and folders that stand where Turnwise wants to write a file of its workspace.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHistory } from '../../../src/gateway/cli/chat/history.ts'
import { writeWorkspaceFile, writeWorkspaceFileSync } from '../../../src/gateway/files/workspace-file.ts'
import { openFolder, Unwritable } from '../../../src/gateway/files/workspace-folder.ts'
import { readGatewayAddress, writeGatewayAddress } from '../../../src/gateway/workspace/workspace.ts'
import { clientOf } from '../../gateway/http/client.ts'
import { startWorkspace } from '../../support/workspace.ts'
import { folderFor } from '../../tool/ground.ts'

const DECOY = 'somebody else’s file\n'

/** A folder outside of the workspace, with a file that must stay as it is. */
function decoyFor(t: Pick<TestContext, 'after'>): {
  readonly folder: string
  readonly file: string
  readonly isUntouched: () => void
} {
  const folder = folderFor(t)
  const file = join(folder, 'CONTEXT.md')
  writeFileSync(file, DECOY)
  chmodSync(file, 0o644)
  return {
    folder,
    file,
    isUntouched: () => {
      assert.equal(readFileSync(file, 'utf8'), DECOY)
      assert.equal(statSync(file).mode & 0o777, 0o644)
      assert.deepEqual(readdirSync(folder), ['CONTEXT.md'])
    },
  }
}

const AGENT = { name: 'Ann', prompt: 'Be brief.' }
const COUNCIL = {
  name: 'Board',
  advisors: [{ id: 'ann', name: 'Ann', description: 'Ann' }],
  references: 'none',
  early: { turns: 0 },
}

/** Every way over HTTP to a file of the workspace. */
const WRITERS: Readonly<Record<string, readonly [method: 'PUT' | 'PATCH', path: string, body: object]>> = {
  'projects/boat/CONTEXT.md': ['PUT', '/api/projects/boat', { context: 'new' }],
  'projects/boat/project.json': ['PATCH', '/api/projects/boat', { recall: true }],
  'agents.json': ['PUT', '/api/agents/ann', AGENT],
  'councils.json': ['PUT', '/api/councils/board', COUNCIL],
  'turnwise.json': ['PATCH', '/api/memory', { from: 'project' }],
}

const CONTENT: Readonly<Record<string, string>> = {
  'agents.json': JSON.stringify({ agents: { bob: { name: 'Bob', prompt: 'x' } } }),
  'councils.json': JSON.stringify({ councils: {} }),
  'projects/boat/CONTEXT.md': 'old',
  'projects/boat/project.json': '{ "recall": false }',
  'turnwise.json': '{}',
}

test('an edit over HTTP goes through no link, whether it leads out of the workspace or stays inside', async t => {
  const { url, home } = await startWorkspace(t, CONTENT)
  const client = clientOf(url)
  for (const [file, [method, path, body]] of Object.entries(WRITERS)) {
    const outside = folderFor(t)
    for (const target of [join(outside, 'decoy'), join(home, 'inside')]) {
      writeFileSync(target, CONTENT[file] ?? '')
      chmodSync(target, 0o644)
      rmSync(join(home, file))
      symlinkSync(target, join(home, file))
      const { detail } = await client.problem(409, 'conflict', method, path, { body })
      assert.equal(
        detail,
        `${join(home, file)}: it is a symbolic link, and Turnwise writes through none; put the file itself there, or edit the one it points to`,
      )
      assert.ok(lstatSync(join(home, file)).isSymbolicLink())
      assert.deepEqual([readFileSync(target, 'utf8'), statSync(target).mode & 0o777], [CONTENT[file], 0o644])
    }
    assert.deepEqual(readdirSync(outside), ['decoy'], 'no draft was left there')
    rmSync(join(home, file))
    writeFileSync(join(home, file), CONTENT[file] ?? '', { mode: 0o640 })
    await client.json(200, method, path, { body })
    assert.equal(statSync(join(home, file)).mode & 0o777, 0o640, 'its mode stays')
  }
})

test('a folder that is a link is not entered, at whatever depth', async t => {
  const { url, home } = await startWorkspace(t, { 'projects/boat/CONTEXT.md': 'old' })
  const client = clientOf(url)
  const decoy = decoyFor(t)
  symlinkSync(decoy.folder, join(home, 'projects/linked'))
  const { detail } = await client.problem(409, 'conflict', 'PUT', '/api/projects/linked', { body: { context: 'new' } })
  assert.match(detail, /projects\/linked: it is a symbolic link, and Turnwise writes through none; put the folder itself there$/)
  renameSync(join(home, 'projects'), join(home, 'moved'))
  symlinkSync(decoy.folder, join(home, 'projects'))
  await client.problem(409, 'conflict', 'PUT', '/api/projects/new', { body: { context: 'new' } })
  decoy.isUntouched()
})

test('what is no regular file is refused at once, with what to do', { timeout: 20_000 }, async t => {
  const { url, home } = await startWorkspace(t, CONTENT)
  const client = clientOf(url)
  // The text of a project is read before its switch is written.
  for (const [file, [method, path, body]] of Object.entries(WRITERS).reverse()) {
    rmSync(join(home, file))
    execFileSync('mkfifo', [join(home, file)])
    const { detail } = await client.problem(409, 'conflict', method, path, { body })
    assert.equal(detail, `${join(home, file)}: it is not a regular file; move it away`)
    assert.ok(lstatSync(join(home, file)).isFIFO())
  }
  await client.problem(503, 'store', 'GET', '/api/projects/boat')
  assert.equal((await client.json(200, 'GET', '/healthz')).status, 'ok', 'and nobody waits for a pipe')
})

test('a link that is swapped in while a file is written leads nowhere', async t => {
  for (const swap of ['the file', 'its folder', 'the folder above'] as const) {
    const [home, decoy] = [folderFor(t), decoyFor(t)]
    mkdirSync(join(home, 'projects/boat'), { recursive: true })
    writeFileSync(join(home, 'projects/boat/CONTEXT.md'), 'old')
    const swapped = { 'the file': 'projects/boat/CONTEXT.md', 'its folder': 'projects/boat', 'the folder above': 'projects' }[
      swap
    ]
    const written = await writeWorkspaceFile(home, 'projects/boat/CONTEXT.md', 'new', () => {
      renameSync(join(home, swapped), join(home, 'moved'))
      symlinkSync(swap === 'the file' ? decoy.file : decoy.folder, join(home, swapped))
      return true
    })
    if (swap === 'the file') assert.ok(!written.ok && written.fault.kind === 'conflict')
    else assert.equal(readFileSync(join(home, 'moved', swap === 'its folder' ? '' : 'boat', 'CONTEXT.md'), 'utf8'), 'new')
    decoy.isUntouched()
  }
})

test('where an open folder cannot be held on to, one that a link replaced is noticed before the file gets its name', t => {
  for (const swapped of ['projects/boat', 'projects']) {
    const [home, decoy] = [folderFor(t), decoyFor(t)]
    mkdirSync(join(home, 'projects/boat'), { recursive: true })
    using folder = openFolder(home, ['projects', 'boat'], false)
    folder.look()
    renameSync(join(home, swapped), join(home, 'moved'))
    mkdirSync(join(decoy.folder, 'boat'))
    symlinkSync(decoy.folder, join(home, swapped))
    assert.throws(folder.look, Unwritable)
  }
})

test('the files that Turnwise keeps for itself go through no link either', async t => {
  const [home, decoy] = [folderFor(t), decoyFor(t)]
  for (const file of ['run.json', 'run.json.new', 'chat-history', 'agents.json.bak']) symlinkSync(decoy.file, join(home, file))
  assert.ok((await writeGatewayAddress(home, { url: 'http://127.0.0.1:1', pid: process.pid, token: 'secret' })).ok)
  assert.equal(readGatewayAddress(home)?.token, 'secret')
  assert.ok(lstatSync(join(home, 'run.json')).isFile())
  assert.equal(statSync(join(home, 'run.json')).mode & 0o777, 0o600)
  openHistory(home).add('typed')
  const backup = await writeWorkspaceFile(home, 'agents.json.bak', 'text')
  assert.ok(!backup.ok && backup.fault.kind === 'conflict')
  const fresh = writeWorkspaceFileSync(home, 'chat-history', 'x', { isNew: true })
  assert.deepEqual(fresh, { ok: true, value: false })
  decoy.isUntouched()
})

test('a new file and its folders are their owner’s alone, whole or not there, and a workspace may itself be a link', async t => {
  const [real, place] = [folderFor(t), folderFor(t)]
  symlinkSync(real, join(place, 'home'))
  const written = await writeWorkspaceFile(join(place, 'home'), 'projects/new/CONTEXT.md', 'text')
  assert.deepEqual(written, { ok: true, value: true })
  const modes = ['projects', 'projects/new', 'projects/new/CONTEXT.md'].map(path => statSync(join(real, path)).mode & 0o777)
  assert.deepEqual(modes, [0o700, 0o700, 0o600])
  const refused = await writeWorkspaceFile(real, 'projects/new/CONTEXT.md', 'other', () => false)
  assert.deepEqual(refused, { ok: true, value: false })
  assert.equal(readFileSync(join(real, 'projects/new/CONTEXT.md'), 'utf8'), 'text')
  assert.deepEqual(readdirSync(join(real, 'projects/new')), ['CONTEXT.md'], 'no draft is left')
  await assert.rejects(writeWorkspaceFile(real, '../escaped/file', 'x'), /leads elsewhere/)
  assert.ok(!existsSync(join(real, '../escaped')))
})

test('every file of the workspace is written in this one way', () => {
  const writers = globSync('src/gateway/**/*.ts').filter(file =>
    /\b(writeFile|appendFile|rename|createWriteStream|copyFile)(Sync)?\(/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(writers.sort(), [
    // Where a person says, and never over a file that is there unless that was said too.
    'src/gateway/cli/commands/councils.ts',
    'src/gateway/cli/context/policy-bench.ts',
    'src/gateway/cli/sessions/export.ts',
    // Into a new folder of the system's own for such things.
    'src/gateway/cli/terminal/line-editor/external.ts',
    'src/gateway/files/workspace-file.ts',
  ])
})
