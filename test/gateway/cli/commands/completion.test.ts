import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { command } from '../in-process.ts'
import { tempHome } from '../turnwise.ts'

test('each shell can read its script', async t => {
  const home = tempHome(t)
  for (const [shell, flag] of [
    ['bash', '-n'],
    ['zsh', '-n'],
    ['fish', '--no-execute'],
  ] as const) {
    const { code, stdout } = await command(home, ['completion', shell])
    assert.equal(code, 0)
    assert.match(stdout, /ask/)
    const { status, stderr, error } = spawnSync(shell, [flag], { input: stdout, encoding: 'utf8' })
    // Only bash is everywhere.
    if (error !== undefined && shell !== 'bash') t.diagnostic(`${shell} is not installed`)
    else assert.equal(status, 0, `${shell}: ${stderr}`)
  }
})

test('bash completes commands, commands below them, and options', async t => {
  const { stdout } = await command(tempHome(t), ['completion', 'bash'])
  const completed = (...words: readonly string[]): readonly string[] => {
    const line = words.map(word => `'${word}'`).join(' ')
    const input = `${stdout}\nCOMP_WORDS=(turnwise ${line}); COMP_CWORD=${words.length}; _turnwise; printf '%s\\n' "\${COMPREPLY[@]}"`
    return spawnSync('bash', [], { input, encoding: 'utf8' }).stdout.trim().split('\n')
  }
  assert.deepEqual(completed('doc'), ['doctor'])
  assert.deepEqual(completed('policies', 't'), ['test'])
  assert.deepEqual(completed('ask', '--dry'), ['--dry-run'])
  assert.deepEqual(completed('ask', 'sessions', '--coun'), ['--council'])
  assert.deepEqual(completed('nothing', '--json'), [''])
})

test('a shell that nobody knows is said so in a line', async t => {
  const { code, stderr } = await command(tempHome(t), ['completion', 'powershell'])
  assert.equal(code, 2)
  assert.match(stderr, /bash, zsh or fish/)
})
