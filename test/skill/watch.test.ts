import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSkills } from '../../src/skill/watch.ts'
import { callsTo, skillText, withFs, workspace } from './workspace.ts'

const bodies = ({ skills }: ReturnType<ReturnType<typeof openSkills>['now']>): string[] =>
  skills.map(({ name, body }) => `${name}: ${body}`)

test('nothing is opened while nothing changed, and the same object is given', async t => {
  const { setting, write } = workspace(t)
  write('skills/a/SKILL.md', skillText('a', 'A.', 'One.'))
  const skills = openSkills(setting)
  const first = skills.now()
  const calls = await callsTo(() => assert.equal(skills.now(), first))
  assert.ok(calls.some(call => call.startsWith('lstatSync')))
  assert.deepEqual(
    calls.filter(call => /^(open|read(File|Sync|$))/.test(call)),
    [],
  )
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Two, and longer.'))
  const again = await callsTo(() => assert.notEqual(skills.now(), first))
  assert.equal(again.filter(call => call.startsWith('openSync')).length, 1)
})

test('what came, changed and went is said once', t => {
  const { home, setting, write } = workspace(t)
  const skills = openSkills(setting)
  assert.deepEqual(bodies(skills.now()), [])
  assert.deepEqual(skills.changed(), [])

  write('skills/b/SKILL.md', skillText('b', 'B.', 'Text.'))
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  assert.deepEqual(bodies(skills.now()), ['a: Text.', 'b: Text.'])
  assert.deepEqual(skills.changed(), ['a: added', 'b: added'])
  assert.deepEqual(skills.changed(), [])

  write('skills/a/SKILL.md', skillText('a', 'A.', 'Other text.'))
  rmSync(join(home, 'skills/b'), { recursive: true })
  assert.deepEqual(bodies(skills.now()), ['a: Other text.'])
  write('skills/c/SKILL.md', skillText('c', 'C.', 'Text.'))
  skills.now()
  assert.deepEqual(skills.changed(), ['a: changed', 'b: removed', 'c: added'])
})

test('a file that was only touched is read again, and nothing is said', t => {
  const { home, setting, write } = workspace(t)
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  const skills = openSkills(setting)
  const before = skills.now()
  utimesSync(join(home, 'skills/a/SKILL.md'), 1, 1)
  assert.deepEqual(skills.now(), before)
  assert.deepEqual(skills.changed(), [])
})

test('a change of the same length that keeps the time of writing is seen', t => {
  const { home, setting, write } = workspace(t)
  const file = join(home, 'skills/a/SKILL.md')
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  utimesSync(file, 1, 1)
  const skills = openSkills(setting)
  writeFileSync(file, skillText('a', 'A.', 'tEXT.'))
  utimesSync(file, 1, 1)
  assert.deepEqual(bodies(skills.now()), ['a: tEXT.'])
  assert.deepEqual(skills.changed(), ['a: changed'])
})

test('new tools of a skill are said', t => {
  const { setting, write } = workspace(t)
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  const skills = openSkills(setting)
  const before = skills.now()
  write('skills/a/tools.json', '{}')
  assert.notEqual(skills.now(), before)
  assert.deepEqual(skills.changed(), ['a: tools.json changed'])
  write('skills/a/tools.json', '{"tools":[]}')
  skills.now()
  assert.deepEqual(skills.changed(), ['a: tools.json changed'])
})

const wrongs: Record<string, (file: string) => void> = {
  'wrong YAML': file => writeFileSync(file, '---\nname: [\n---\nEvil.\n'),
  'a hidden character': file => writeFileSync(file, 'Evil\u202E.\n'),
  'bytes that are no text': file => writeFileSync(file, Uint8Array.of(0xff, 0xfe, 0x41)),
  'far too much': file => writeFileSync(file, 'x'.repeat(256 * 1024 + 1)),
  'a folder': file => {
    rmSync(file)
    mkdirSync(file)
  },
  'a link': file => {
    rmSync(file)
    symlinkSync('/etc/passwd', file)
  },
}

for (const [what, spoil] of Object.entries(wrongs)) {
  test(`a skill that became ${what} stays as it last was, and it is said`, t => {
    const { home, setting, write } = workspace(t)
    write('skills/a/SKILL.md', skillText('a', 'A.', 'Good.'))
    write('skills/b/SKILL.md', skillText('b', 'B.', 'Text.'))
    const skills = openSkills(setting)
    spoil(join(home, 'skills/a/SKILL.md'))
    for (const _ of [1, 2]) {
      const { troubles } = skills.now()
      assert.deepEqual(bodies(skills.now()), ['a: Good.', 'b: Text.'])
      assert.equal(troubles.length, 1)
      assert.match(troubles[0]?.message ?? '', /^skills\/a\/SKILL\.md.*; the skill stays as it last was$/)
      assert.equal(troubles[0]?.severity, 'refused')
      write('skills/b/other.txt', 'Another change, so that everything is read again.')
    }
    assert.deepEqual(skills.changed(), [])
    rmSync(join(home, 'skills/a/SKILL.md'), { recursive: true })
    write('skills/a/SKILL.md', skillText('a', 'A.', 'Good again.'))
    assert.deepEqual(bodies(skills.now()), ['a: Good again.', 'b: Text.'])
    assert.deepEqual(skills.now().troubles, [])
    assert.deepEqual(skills.changed(), ['a: changed'])
  })
}

test('an extra folder that comes and goes lets the workspace have its own again', t => {
  const extra = workspace(t)
  const { setting, write } = workspace(t, { extraDirs: [extra.setting.directory] })
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Own.'))
  const skills = openSkills(setting)
  assert.equal(skills.now().troubles[0]?.message, `${extra.setting.directory}: there is no such folder`)
  extra.write('skills/a/SKILL.md', skillText('a', 'A.', 'Extra.'))
  assert.deepEqual(bodies(skills.now()), ['a: Extra.'])
  rmSync(extra.setting.directory, { recursive: true })
  assert.deepEqual(bodies(skills.now()), ['a: Own.'])
  assert.deepEqual(skills.changed(), ['a: changed', 'a: changed'])
  extra.write('skills/a/SKILL.md', skillText('a', 'A.', 'Own.'))
  skills.now()
  assert.deepEqual(skills.changed(), ['a: changed'], 'a copy has another folder, and may have other tools')
})

test('skills of a folder that cannot be read stay as they were', async t => {
  const { setting, write } = workspace(t)
  write('skills/a/SKILL.md', skillText('a', 'A.', 'Text.'))
  const skills = openSkills(setting)
  write('skills/b/SKILL.md', skillText('b', 'B.', 'Text.'))
  const refuse = (): never => {
    throw Object.assign(new Error('no'), { code: 'EIO', syscall: 'scandir' })
  }
  await withFs(
    () => ({ readdirSync: refuse }),
    () => {
      assert.deepEqual(bodies(skills.now()), ['a: Text.'])
      assert.deepEqual(
        skills.now().troubles.map(({ message }) => message),
        ['skills: cannot be read (EIO)'],
      )
    },
  )
  assert.deepEqual(bodies(skills.now()), ['a: Text.', 'b: Text.'])
})
