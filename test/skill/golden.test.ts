import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { test } from 'node:test'
import { loadSkills } from '../../src/skill/load.ts'
import { fullBlock, listedBlock } from '../../src/skill/render.ts'
import { workspaceHouse } from '../../src/turn/equipment/workspace-text.ts'

/**
 * A case is a workspace: its files, and the bytes that come of them. Refreshed with
 * `npx node --test --test-update-snapshots test/skill/golden.test.ts`, and read before it is committed.
 */
type Case = {
  readonly why: string
  readonly extraDirs?: readonly string[]
  readonly disabled?: readonly string[]
  readonly agent?: string
  readonly project?: string
  readonly mode?: 'full' | 'listed'
}

const raw = { serializers: [(value: unknown) => String(value)] }

const cases = globSync('test/skill/golden/*/').sort()

test('there are cases', () => assert.ok(cases.length >= 12))

for (const folder of cases) {
  test(`skills: ${basename(folder)}`, async t => {
    const given = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8')) as Case
    const { extraDirs = [], disabled = [], agent = '', project = null, mode = 'full' } = given
    const home = resolve(folder)
    const { skills, troubles } = loadSkills({
      directory: join(home, 'skills'),
      extraDirs: extraDirs.map(name => join(home, name)),
      disabled,
      path: join(home, 'bin'),
    })
    t.assert.fileSnapshot(fullBlock(skills), join(folder, 'full.txt'), raw)
    t.assert.fileSnapshot(listedBlock(skills), join(folder, 'listed.txt'), raw)
    const lines = troubles.map(({ severity, message }) => `${severity} ${message.replaceAll(home, '.')}\n`)
    t.assert.fileSnapshot(lines.join(''), join(folder, 'troubles.txt'), raw)

    const house = await workspaceHouse(home).parts({ key: 'a', name: 'A', prompt: agent }, project)
    const block = mode === 'full' ? fullBlock(skills) : listedBlock(skills)
    const texts = [...house.map(part => part.text), block].filter(text => text !== '')
    t.assert.fileSnapshot(texts.join('\n\n'), join(folder, 'system.txt'), raw)
  })
}
