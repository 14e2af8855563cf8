import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { loadSkills } from '../../src/skill/load.ts'
import { missingPrograms } from '../../src/skill/programs.ts'
import { callsTo, skillText, type Workspace, withFs, workspace } from './workspace.ts'

const messages = (given: Workspace): string[] =>
  loadSkills(given.setting).troubles.map(({ severity, message }) => `${severity} ${message}`)

test('links, pipes, devices and giants are skipped, said, and take no time', async t => {
  const given = workspace(t)
  const { home, write } = given
  const link = (target: string, path: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true })
    symlinkSync(target, join(home, path))
  }
  write('skills/good/SKILL.md', skillText('good', 'Good.', 'Text.'))
  link('good', 'skills/linked-inside')
  link('/etc/passwd', 'skills/l01-passwd/SKILL.md')
  link('../good/SKILL.md', 'skills/l02-even-inside/SKILL.md')
  link('nothing', 'skills/l03-dangling/SKILL.md')
  link('SKILL.md', 'skills/l04-loop/SKILL.md')
  link('/dev/zero', 'skills/l05-device/SKILL.md')
  link('/etc', 'skills/l06-folder-outside')
  link('nowhere', 'skills/l07-folder-dangling')
  link('l08-folder-loop', 'skills/l08-folder-loop')
  link('../skills', 'skills/l09-root-itself')
  link('/proc/self/root/etc', 'skills/l10-roundabout')
  mkdirSync(join(home, 'skills/m01-folder/SKILL.md'), { recursive: true })
  write('skills/m02-giant/SKILL.md', '')
  truncateSync(join(home, 'skills/m02-giant/SKILL.md'), 1024 ** 3)
  write('skills/m03-one-byte-too-many/SKILL.md', 'x'.repeat(256 * 1024 + 1))
  write('skills/m04-just-fits/SKILL.md', 'x'.repeat(256 * 1024))
  mkdirSync(join(home, 'skills/m05-socket'))
  const server = createServer().listen(join(home, 'skills/m05-socket/SKILL.md'))
  t.after(() => server.close())
  await once(server, 'listening')
  mkdirSync(join(home, 'skills/m06-pipe'))
  const { status } = spawnSync('mkfifo', [join(home, 'skills/m06-pipe/SKILL.md'), join(home, 'skills/m07-pipe')])
  if (status !== 0) t.diagnostic('there is no mkfifo here, so no pipe was tried')

  const begun = performance.now()
  const { skills } = loadSkills(given.setting)
  assert.ok(performance.now() - begun < 5000, 'nothing of it is read for ever')
  assert.deepEqual(
    skills.map(({ name, body }) => [name, body.length]),
    [
      ['good', 5],
      ['m04-just-fits', 256 * 1024],
    ],
  )
  const opened = (await callsTo(() => loadSkills(given.setting))).filter(call => call.startsWith('open'))
  assert.deepEqual(
    opened.map(call => call.replace(`openSync ${home}/skills/`, '')),
    ['good/SKILL.md', 'linked-inside/SKILL.md', 'm04-just-fits/SKILL.md'],
  )
  assert.deepEqual(messages(given), [
    'warned skills/linked-inside/SKILL.md: has the name of skills/good/SKILL.md, and takes its place',
    'refused skills/l01-passwd/SKILL.md: is a link; only plain files are read',
    'refused skills/l02-even-inside/SKILL.md: is a link; only plain files are read',
    'refused skills/l03-dangling/SKILL.md: is a link; only plain files are read',
    'refused skills/l04-loop/SKILL.md: is a link; only plain files are read',
    'refused skills/l05-device/SKILL.md: is a link; only plain files are read',
    'refused skills/l06-folder-outside: is a link that leads out of its root',
    'refused skills/l07-folder-dangling: leads to nothing',
    'refused skills/l08-folder-loop: is a link that leads back to itself',
    'refused skills/l09-root-itself: is a link that leads out of its root',
    'refused skills/l10-roundabout: is a link that leads out of its root',
    'refused skills/m01-folder/SKILL.md: is not a plain file',
    'refused skills/m02-giant/SKILL.md: is larger than 256 KiB',
    'refused skills/m03-one-byte-too-many/SKILL.md: is larger than 256 KiB',
    'refused skills/m05-socket/SKILL.md: is not a plain file',
    ...(status === 0 ? ['refused skills/m06-pipe/SKILL.md: is not a plain file'] : []),
  ])
})

test('invisible characters are refused with their place, those without width are said', t => {
  const given = workspace(t)
  given.write('skills/a-tags/SKILL.md', skillText('a', 'A.', 'Hello\u{E0041}\u{E0042}.'))
  given.write('skills/b-bidi/SKILL.md', skillText('b', 'B \u202Edrawkcab', 'Text.'))
  given.write('skills/c-escaped/SKILL.md', skillText('c', '"C \\u2066hidden"', 'Text.'))
  given.write('skills/d-mark/SKILL.md', '\uFEFF---\nname: d\n---\nA mark at the beginning is nothing.\n')
  given.write('skills/e-width/SKILL.md', skillText('e', 'E.', 'ze\u200Bro and \uFEFF more.'))
  given.write('skills/f-bytes/SKILL.md', Uint8Array.of(0x41, 0xc3, 0x28))
  given.write('skills/g\u202E/SKILL.md', 'Text.')
  assert.deepEqual(messages(given), [
    'refused skills/a-tags/SKILL.md:6:6: holds U+E0041, which is invisible; take it out',
    'refused skills/b-bidi/SKILL.md:3:16: holds U+202E, which is invisible; take it out',
    'refused skills/c-escaped/SKILL.md:3: the description holds U+2066, which is invisible',
    'warned skills/e-width/SKILL.md:6:3: holds U+200B, which has no width',
    'refused skills/f-bytes/SKILL.md: is not UTF-8',
    'refused skills/gU+202E/SKILL.md: "gU+202E" cannot name a skill; allowed are a-z, 0-9 and "-", at most 64, and no "-" at the beginning',
  ])
  const { skills } = loadSkills(given.setting)
  assert.deepEqual(
    skills.map(({ name, body }) => [name, body]),
    [
      ['d', 'A mark at the beginning is nothing.'],
      ['e', 'ze\u200Bro and \uFEFF more.'],
    ],
  )
})

test('a skill says what it is and where it lies', t => {
  const given = workspace(t)
  given.write('skills/a/SKILL.md', skillText('named', 'What for.', 'Text.'))
  const folder = join(given.home, 'skills/a')
  const hash = 'sha256:fbcb474fe7f14b302a1e2ebd20250784efc9148b75c968c2000affc631ec8367'
  assert.deepEqual(loadSkills(given.setting).skills, [
    { name: 'named', description: 'What for.', body: 'Text.', folder, file: join(folder, 'SKILL.md'), hash },
  ])
})

test('the folder of skills may itself be a link, or no folder at all', t => {
  const given = workspace(t)
  given.write('elsewhere/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  symlinkSync('elsewhere', join(given.home, 'skills'))
  assert.equal(loadSkills(given.setting).skills.length, 1)
  rmSync(join(given.home, 'skills'))
  given.write('skills', 'a plain file')
  assert.deepEqual(messages(given), ['refused skills: is not a folder'])
})

for (const isSwappedBack of [false, true]) {
  const moment = isSwappedBack ? 'while its file is opened' : 'before its file is opened'
  test(`a folder exchanged for a link ${moment} gives away nothing`, async t => {
    const given = workspace(t)
    const path = (name: string): string => join(given.home, name)
    given.write('skills/a/SKILL.md', 'Public.')
    given.write('secret/SKILL.md', 'Secret.')
    const swap = (): void => {
      renameSync(path('skills/a'), path('kept'))
      symlinkSync('../secret', path('skills/a'))
    }
    const swapBack = (): void => {
      rmSync(path('skills/a'))
      renameSync(path('kept'), path('skills/a'))
    }
    await withFs(
      ({ openSync }) => ({
        openSync: (...args) => {
          swap()
          const descriptor = openSync?.(...args)
          if (isSwappedBack) swapBack()
          return descriptor
        },
      }),
      () => {
        const { skills, troubles } = loadSkills(given.setting)
        assert.deepEqual(skills, [])
        const why = isSwappedBack ? 'was exchanged while it was opened' : 'lies outside of its root'
        assert.deepEqual(
          troubles.map(({ message }) => message),
          [`skills/a/SKILL.md: ${why}`],
        )
      },
    )
  })
}

test('a file that grows while it is read is refused', async t => {
  const given = workspace(t)
  given.write('skills/a/SKILL.md', 'Short.')
  await withFs(
    ({ readSync }) => ({
      readSync: (...args) => {
        given.write('skills/a/SKILL.md', 'x'.repeat(300 * 1024))
        return readSync?.(...args)
      },
    }),
    () => assert.deepEqual(messages(given), ['refused skills/a/SKILL.md: is larger than 256 KiB']),
  )
})

test('the order in which a directory is listed means nothing', async t => {
  const given = workspace(t)
  for (const name of ['a', 'b', 'c']) given.write(`skills/${name}/SKILL.md`, skillText('same', 'S.', `Text of ${name}.`))
  const usual = loadSkills(given.setting)
  assert.equal(usual.skills[0]?.body, 'Text of c.')
  await withFs(
    ({ readdirSync }) => ({ readdirSync: (...args) => [readdirSync?.(...args) ?? []].flat().toReversed() }),
    () => assert.deepEqual(loadSkills(given.setting), usual),
  )
})

test('a program is a file on PATH that may be run', t => {
  const given = workspace(t)
  given.write('bin/runs', '')
  chmodSync(join(given.home, 'bin/runs'), 0o755)
  given.write('bin/only-text', '')
  given.write('bin/a-folder/file', '')
  const path = ['', '.', 'bin', join(given.home, 'nowhere'), join(given.home, 'bin')].join(delimiter)
  assert.deepEqual(missingPrograms(['runs', 'only-text', 'a-folder', 'nothing'], path), ['only-text', 'a-folder', 'nothing'])
  assert.deepEqual(missingPrograms(['package.json', 'runs'], `.${delimiter}`), ['package.json', 'runs'])
})
