import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, renameSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { canRunAnything } from '../../src/tool/descriptor/exec-capable.ts'
import { type Binary, findBinary } from '../../src/tool/process/binary.ts'
import { folderFor, putProgram } from './ground.ts'

const search = (path: string, accept: readonly string[] = []) => ({ path, accept, ownBinary: '/nowhere/turnwise' })

async function found(name: string, path: string, accept: readonly string[] = []): Promise<Binary> {
  const binary = await findBinary(name, search(path, accept))
  assert.ok(binary.ok, JSON.stringify(binary))
  return binary.value
}

async function whyNot(name: string, path: string, accept: readonly string[] = []): Promise<string> {
  const binary = await findBinary(name, search(path, accept))
  assert.ok(!binary.ok, name)
  return binary.fault
}

test('programs that can run anything are known, whatever their version is called', () => {
  const capable = `sh bash dash busybox env xargs find git git-upload-pack tar gawk sed ssh sort make node python3 python3.13 perl5.36.0 lua5.4
    vim.basic nc.openbsd gcc-13 x86_64-linux-gnu-gcc-13 tclsh8.6 npm-cli.js BASH bash.exe curl systemd-run sudo timeout docker ld-linux-x86-64.so.2`
  for (const name of capable.split(/\s+/)) assert.ok(canRunAnything(name), name)
  for (const name of 'cat head printf sleep notes notesmd-cli jq grep rg date ls wc uname printenv turnwise gitlab-notes file stat'.split(
    ' ',
  ))
    assert.ok(!canRunAnything(name), name)
})

test('a program that can run anything is refused by its name, by the name behind a link, and accepted by either', async t => {
  const folder = folderFor(t)
  symlinkSync('/bin/bash', join(folder, 'mytool'))
  symlinkSync(join(folder, 'mytool'), join(folder, 'twice'))
  assert.match(await whyNot('bash', '/usr/bin'), /^bash \(\/usr\/bin\/bash\) can run anything; .* add "bash" to tools\.accept/)
  assert.match(await whyNot('mytool', folder), /can run anything/)
  assert.match(await whyNot('twice', folder), /can run anything/)
  assert.match(await whyNot('twice', folder, ['env', 'twic']), /can run anything/)
  assert.equal((await found('twice', folder, ['twice'])).path, join(folder, 'twice'))
  assert.equal((await found('twice', folder, ['bash'])).path, join(folder, 'twice'))
})

test('a binary is the first regular executable on the absolute part of the PATH', async t => {
  const folder = folderFor(t)
  for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(folder, name))
  mkdirSync(join(folder, 'a', 'it'))
  writeFileSync(join(folder, 'b', 'it'), '#!/bin/cat\n')
  const first = putProgram(join(folder, 'c', 'it'), '#!/bin/cat\n')
  putProgram(join(folder, 'd', 'it'), '#!/bin/cat\n')
  const path = ['a', 'b', 'c', 'd'].map(name => join(folder, name)).join(':')
  assert.equal((await found('it', path)).path, first)
  assert.equal(await whyNot('it', ['', '.', relative(process.cwd(), join(folder, 'c'))].join(':')), 'there is no it on the PATH')
  assert.equal(await whyNot('../c/it', join(folder, 'd')), '../c/it is not a bare name')
})

test('the name turnwise is our own launcher, wherever the PATH leads', async t => {
  const folder = folderFor(t)
  putProgram(join(folder, 'turnwise'), '#!/bin/cat\n')
  const own = join(import.meta.dirname, '../../bin/turnwise')
  const binary = await findBinary('turnwise', { path: folder, accept: [], ownBinary: own })
  assert.ok(binary.ok)
  assert.equal(binary.value.path, own)
  assert.equal(await whyNot('turnwise', folder), '/nowhere/turnwise does not exist')
})

test('a text that names no interpreter would be given to a shell, so it is no program', async t => {
  const folder = folderFor(t)
  putProgram(join(folder, 'text'), `touch ${join(folder, 'canary')}\n`)
  putProgram(join(folder, 'empty'), '')
  execFileSync('mkfifo', [join(folder, 'fifo')])
  chmodSync(join(folder, 'fifo'), 0o755)
  assert.match(await whyNot('text', folder), /neither a program nor a script that begins with "#!"/)
  assert.match(await whyNot('empty', folder), /neither a program/)
  assert.equal(await whyNot('fifo', folder), 'there is no fifo on the PATH')
})

const CHANGES: readonly (readonly [string, (file: string) => void])[] = [
  [
    'replaced',
    file => {
      renameSync(putProgram(`${file}.new`, '#!/bin/cat other\n'), file)
    },
  ],
  [
    'written over in place, its time set back',
    file => {
      execFileSync('cp', ['-p', file, `${file}.before`])
      writeFileSync(file, '#!/bin/tac 1\n')
      execFileSync('touch', ['-r', `${file}.before`, file])
    },
  ],
  [
    'removed',
    file => {
      unlinkSync(file)
    },
  ],
  [
    'made a link',
    file => {
      unlinkSync(file)
      symlinkSync('/bin/bash', file)
    },
  ],
]

for (const [name, change] of CHANGES)
  test(`a binary that was ${name} is not run any more`, async t => {
    const folder = folderFor(t)
    const file = putProgram(join(folder, 'it'), '#!/bin/cat 1\n')
    const { whyChanged } = await found('it', folder)
    assert.equal(await whyChanged(), undefined)
    change(file)
    assert.equal(await whyChanged(), `${file} changed since it was loaded`)
  })

test('a binary is read again only if it looks different, or was changed so lately that a change could hide in one tick of the clock', async t => {
  const folder = folderFor(t)
  const file = putProgram(join(folder, 'it'), '#!/bin/cat 1\n')
  const read = t.mock.method(promises, 'open')
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  const reads = async (work: () => Promise<unknown>): Promise<number> => {
    const before = read.mock.callCount()
    await work()
    return read.mock.callCount() - before
  }
  const changedAt = Math.floor(statSync(file).ctimeMs)
  t.mock.timers.enable({ apis: ['Date'], now: changedAt + 2000 })
  const young = await found('it', folder)
  assert.equal(await reads(young.whyChanged), 1)
  t.mock.timers.setTime(changedAt + 2001)
  assert.equal(await reads(young.whyChanged), 1, 'once more, and that counts from now on')
  assert.equal(await reads(young.whyChanged), 0)
  writeFileSync(file, '#!/bin/tac 1\n')
  assert.equal(await young.whyChanged(), `${file} changed since it was loaded`)
})

test('a binary that only looks different is the same, if it may still be executed', async t => {
  const folder = folderFor(t)
  const file = putProgram(join(folder, 'it'), '#!/bin/cat 1\n')
  const { whyChanged } = await found('it', folder)
  copyFileSync(file, `${file}.copy`)
  renameSync(`${file}.copy`, file)
  assert.equal(await whyChanged(), undefined)
  chmodSync(file, 0o644)
  assert.equal(await whyChanged(), `${file} is not executable any more`)
})
