import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { count } from '../../src/context/text/tokens.ts'
import { loadSkills } from '../../src/skill/load.ts'
import { priceSkills } from '../../src/skill/prices.ts'
import { readSkillTool } from '../../src/skill/read-skill.ts'
import { fullBlock, listedBlock } from '../../src/skill/render.ts'
import { isReady } from '../../src/tool/toolbox.ts'
import { strangeNames } from './strange-names.ts'
import { callsTo, skillText, workspace } from './workspace.ts'

const signal = new AbortController().signal

const ask = async (tool: ReturnType<typeof readSkillTool>, args: unknown) => {
  const prepared = await tool.prepare(args)
  return isReady(prepared) ? prepared.run(signal) : prepared
}

const skill = (name: string, body = `Text of ${name}.`) => ({
  name,
  description: '',
  body,
  folder: '/f',
  file: '/f/SKILL.md',
  hash: '',
})

test('a skill is read by its exact name, as it is now', async () => {
  let skills = [skill('notes'), skill('mail', '')]
  const tool = readSkillTool(() => skills)
  assert.deepEqual(await ask(tool, { skill_name: 'notes' }), { ok: true, outcome: 'skill notes', content: 'Text of notes.' })
  assert.deepEqual(await ask(tool, { skill_name: 'mail' }), { ok: true, outcome: 'skill mail has no text of its own' })
  assert.deepEqual(await ask(tool, { skill_name: 'Notes' }), {
    ok: false,
    outcome: 'there is no skill named "Notes"; known: notes, mail',
  })
  for (const args of [{}, null, 'notes', { skill_name: 7 }, { skill_name: ['notes'] }, undefined])
    assert.deepEqual(await ask(tool, args), { ok: false, outcome: 'skill_name must be the name of a skill, as text' })
  skills = [skill('notes', 'Newer text.')]
  assert.deepEqual(await ask(tool, { skill_name: 'notes' }), { ok: true, outcome: 'skill notes', content: 'Newer text.' })
  skills = []
  assert.deepEqual(await ask(tool, { skill_name: 'notes' }), {
    ok: false,
    outcome: 'there is no skill named "notes"; known: none',
  })
  assert.deepEqual([tool.approval, tool.parallel, tool.idempotent, tool.spec.name], ['auto', true, true, 'read_skill'])
})

test('a refusal is short, whatever was asked and however much is known', async () => {
  const many = Array.from({ length: 5000 }, (_, at) => skill(`s${at}`))
  const { outcome } = (await ask(
    readSkillTool(() => many),
    { skill_name: 'x'.repeat(1_000_000) },
  )) as { outcome: string }
  assert.ok(outcome.length < 600)
  assert.match(outcome, /^there is no skill named "x{64}…"; known: s0, s1,.*, and 4950 more$/)
})

test('ten thousand strange names are no skill, and no file is touched', async t => {
  const { setting, write } = workspace(t)
  write('skills/notes/SKILL.md', skillText('notes', 'Notes.', 'Text.'))
  const { skills } = loadSkills(setting)
  const tool = readSkillTool(() => skills)
  const names = strangeNames(10_000)
  assert.equal(new Set(names).size, 10_000)
  const calls = await callsTo(async () => {
    for (const name of names) {
      const answer = (await ask(tool, { skill_name: name })) as { ok: boolean; outcome: string }
      assert.equal(answer.ok, false, name)
      assert.match(answer.outcome, /^there is no skill named "[^\p{C}\p{Zl}\p{Zp}]*"; known: notes$/u)
    }
  })
  assert.deepEqual(calls, [])
  assert.ok((await callsTo(() => loadSkills(setting))).length > 0, 'the spy sees what is touched')
  assert.equal((await callsTo(() => stat(setting.directory))).length, 1, 'also by those who wait')
})

test('ten thousand strange names open nothing, as the kernel sees it', t => {
  if (spawnSync('strace', ['-V']).status !== 0) return t.skip('there is no strace here')
  const { home } = workspace(t)
  const trace = join(home, 'trace')
  const strace = [
    '-f',
    '-e',
    'trace=%file',
    '-o',
    trace,
    process.execPath,
    'test/skill/ask-strange-names.ts',
    '/begin-of-names',
    '/end-of-names',
  ]
  const ran = spawnSync('strace', strace, { encoding: 'utf8' })
  if (/ptrace/.test(ran.stderr)) return t.skip('strace may not look at processes here')
  assert.equal(ran.status, 0, ran.stderr)
  // Node looks up how fast its clock ticks whenever it first likes.
  const calls = readFileSync(trace, 'utf8')
    .split('\n')
    .filter(call => !call.includes('"/sys/devices/system/cpu/'))
  const [begin, end] = ['/begin-of-names', '/end-of-names'].map(mark => calls.findLastIndex(call => call.includes(`"${mark}"`)))
  assert.ok(begin !== undefined && end !== undefined && begin >= 0 && end > begin, 'the marks are there')
  assert.deepEqual(calls.slice(begin + 1, end), [])
})

test('the prices are what the blocks cost beside their beginnings', () => {
  const skills = [{ ...skill('notes', 'A long text about notes.'), description: 'Notes.' }, skill('mail')]
  const length = (text: string): number => text.length
  const prices = priceSkills(skills, length)
  const [notes, mail] = skills
  assert.ok(notes !== undefined && mail !== undefined)
  assert.deepEqual(prices, [
    { name: 'notes', full: '## notes\nNotes.\n\nA long text about notes.\n\n'.length, listed: '- **notes**: Notes.\n'.length },
    { name: 'mail', full: '## mail\nText of mail.\n\n'.length, listed: '- **mail**: (no description)\n'.length },
  ])
  assert.equal(prices[1]?.full, fullBlock(skills).length - fullBlock([notes]).length)
  assert.equal(prices[1]?.listed, listedBlock(skills).length - listedBlock([notes]).length)
  assert.deepEqual(
    priceSkills(skills, count).map(({ full, listed }) => full > 0 && listed > 0),
    [true, true],
  )
})
