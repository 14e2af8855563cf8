// Sampling and reply limits on the command line: for one message, for a chat, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piped } from '../in-process.ts'
import { newestSession, tempHome } from '../turnwise.ts'

const ALL = ['--temperature', '0.2', '--top-p', '0.9', '--seed', '7', '--stop', 'sky', '--stop', 'a wide', '--effort', 'high']
const SAMPLING = { temperature: 0.2, topP: 0.9, seed: 7, stop: ['sky', 'a wide'], effort: 'high' }

test('ask sends them with its message, and a dry run shows them', async t => {
  const home = tempHome(t)
  const dry = await piped(['ask', '--dry-run', '--json', ...ALL, '--max-tokens', '99', 'say 12 words'], { home })
  const { receipt, request } = JSON.parse(dry.stdout)
  assert.deepEqual([receipt.inputs.sampling, receipt.sampling, request.body.sampling], [SAMPLING, SAMPLING, SAMPLING])
  assert.equal(receipt.tokens.reserved, 198)
  const asked = await piped(['ask', '-q', ...ALL, 'say 12 words'], { home })
  assert.deepEqual([asked.code, asked.stdout, asked.stderr], [0, 'calm river under \n', ''])
  const why = await piped(['context', newestSession({ home }), '--why'], { home })
  assert.match(why.stdout, /\ntemperature 0\.2, topP 0\.9, seed 7, stop \["sky","a wide"\], effort high\n/)
  assert.equal((await piped(['verify'], { home })).code, 0)
})

test('chat has them for its session, and /sampling shows and changes them', async t => {
  const home = tempHome(t)
  const lines = ['say 3 words', '/sampling', '/sampling stop default', '/sampling temperature 2.5', '/sampling']
  const { stdout, stderr } = await piped(['chat', '--stop', 'river', '--max-tokens', '200'], {
    home,
    input: `${lines.join('\n')}\n`,
  })
  assert.match(stdout, /^calm ?\n/)
  assert.match(stdout, /\nstop \["river"\], maxTokens 200; \/sampling </)
  assert.match(stderr, /temperature is a number from 0 to 2/)
  assert.match(stdout, /\nmaxTokens 200; \/sampling </)
  const id = newestSession({ home })
  const again = await piped(['chat', '-s', id, '--seed', '5'], {
    home,
    input: '/sampling default\n/sampling seed 9\n/sampling\n',
  })
  assert.match(again.stdout, /seed 9; \/sampling </)
  assert.ok(!again.stdout.includes('maxTokens 200'))
})

test('a wrong value is named in one line', async t => {
  const home = tempHome(t)
  for (const wrong of [
    ['--temperature', '3'],
    ['--top-p', 'x'],
    ['--seed', '1.5'],
    ['--effort', 'huge'],
    ['--max-tokens', '0'],
    ['--stop', 'a', '--stop', 'b', '--stop', 'c', '--stop', 'd', '--stop', 'e'],
  ]) {
    const { code, stderr } = await piped(['ask', ...wrong, 'hello'], { home })
    assert.deepEqual([code, /^turnwise: [^\n]+\n$/.test(stderr)], [2, true], stderr)
  }
  const refused = await piped(['ask', '--max-tokens', '32000', 'hello'], { home })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^turnwise: maxTokens: 32000 leaves no room for a request: the window is 32000;?[^\n]*\n$/)
})
