// What the command line does with turns that were left in the middle, and how it shows them.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newestSession, runFileOf, serve, start, tempHome, turnwise } from '../turnwise.ts'

/** The demo model's words come again after twelve; it is cut off before that, where what follows cannot be taken for a repetition. */
const SLOW = { TURNWISE_DEMO_DELAY_MS: '400' }

/** A workspace whose gateway was killed while it said sixty words, and the session in which it did. */
async function killedWhileSpeaking(
  t: TestContext,
  settings: object = {},
): Promise<{ readonly home: string; readonly id: string }> {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  const gateway = await serve(t, { home, env: SLOW })
  const asking = start(['ask', 'say 60 words'], { home })
  while (asking.printed().split(' ').length < 4) await new Promise(resolve => setTimeout(resolve, 10))
  process.kill(runFileOf(home).pid, 'SIGKILL')
  assert.equal((await asking.ended).code, 1)
  await gateway.running.ended
  return { home, id: newestSession({ home }) }
}

const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/)

async function sixtyWords(t: TestContext): Promise<readonly string[]> {
  const words = wordsIn((await turnwise(['ask', 'say 60 words'], { home: tempHome(t) })).stdout)
  assert.equal(words.length, 60)
  return words
}

test('without a gateway, what a crash left goes on and is printed whole; then there is nothing to go on with', async t => {
  const { home, id } = await killedWhileSpeaking(t)
  const resumed = await turnwise(['resume', id], { home })
  assert.deepEqual([resumed.code, resumed.stderr], [0, ''])
  assert.deepEqual(wordsIn(resumed.stdout), await sixtyWords(t))
  assert.equal(resumed.stdout.trimEnd().split('\n').length, 1, 'no seam')

  const { stdout } = await turnwise(['show', id], { home })
  assert.match(stdout, /\nsay 60 words\n\nassistant \d\d:\d\d\n([^\n]+)\n↻ was interrupted and went on\n$/)
  assert.deepEqual(wordsIn(/\nassistant \d\d:\d\d\n([^\n]+)/.exec(stdout)?.[1] ?? ''), await sixtyWords(t))

  const again = await turnwise(['resume', id], { home })
  assert.deepEqual([again.code, again.stdout], [1, ''])
  assert.match(again.stderr, /^turnwise: there is nothing to go on with: [^\n]+\n$/)
})

test('where a person is to be asked, resume goes through the gateway, and both attempts are shown', async t => {
  const { home, id } = await killedWhileSpeaking(t, { resume: { mode: 'ask' } })
  await serve(t, { home })
  assert.match((await turnwise(['show', id], { home })).stdout, /■ interrupted: the gateway stopped\n$/)

  const none = await turnwise(['resume', id, '--turn', 'trn_none'], { home })
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /^turnwise: there is no turn of that id in this session[^\n]*\n$/)

  const { code, stdout, stderr } = await turnwise(['resume', id, '--json'], { home })
  assert.deepEqual([code, stderr], [0, ''])
  const signals = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const begun = signals.find(({ type }) => type === 'turn.started')
  assert.match(begun.resumes, /^trn_/)
  assert.equal(signals.at(-1).type, 'turn.ended')
  assert.ok(signals.every(({ turn = begun.turn }) => turn === begun.turn))

  const shown = (await turnwise(['show', id], { home })).stdout
  const [, after = ''] = shown.split('■ interrupted: the gateway stopped\n')
  assert.match(after, /^\nassistant \d\d:\d\d\n↻ gone on with after it was interrupted\n[^\n]+\n$/)
  assert.deepEqual(wordsIn(after.split('\n')[3] ?? ''), await sixtyWords(t))
})

test('a failed turn is said with how to try again, and a retry that fails too is no success', async t => {
  const home = tempHome(t)
  const env = { TURNWISE_MODEL: 'anthropic/claude-sonnet-4-5' }
  const asked = await turnwise(['ask', 'hello'], { home, env })
  const id = newestSession({ home })
  assert.equal(asked.code, 1)
  assert.match(asked.stderr, new RegExp(`^turnwise: not answered: [^\\n]+, "turnwise resume ${id}" tries again\\n$`))
  assert.equal((await turnwise(['resume', id], { home, env })).code, 1)
  const mended = await turnwise(['resume', id], { home })
  assert.deepEqual([mended.code, mended.stderr], [0, ''])
  assert.match(mended.stdout, /“hello”\n\nConnect a real model .*\n$/)
  assert.match(
    (await turnwise(['show', id], { home })).stdout,
    /✗ not answered: .*\n\nassistant \d\d:\d\d\n↻ tried again after it failed\n✗/,
  )
})

test('what was typed wrongly is said in one line', async t => {
  const home = tempHome(t)
  await turnwise(['ask', 'hello'], { home })
  const unknown = await turnwise(['resume', 'ses_none'], { home })
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^turnwise: there is no session ses_none; [^\n]+\n$/)
  const odd = await turnwise(['resume', newestSession({ home }), '--turn', 'seven'], { home })
  assert.equal(odd.code, 2)
  assert.match(odd.stderr, /^turnwise: [^\n]+\n$/)
})

for (const way of ['alone', 'through a gateway']) {
  test(`every advisor of a council is printed whole under its name, ${way}`, async t => {
    const home = tempHome(t)
    if (way !== 'alone') await serve(t, { home, env: { TURNWISE_DEMO_DELAY_MS: '2' } })
    const asked = await turnwise(['ask', '--council', 'board', 'say 30 words'], { home })
    assert.deepEqual([asked.code, asked.stderr], [0, ''])
    const blocks = asked.stdout.split(/^## /m).slice(1)
    assert.deepEqual(blocks.map(block => block.slice(0, block.indexOf('\n'))).toSorted(), [
      'The Advocate',
      'The Builder',
      'The Sceptic',
      'The Steward',
      'The Strategist',
    ])
    for (const block of blocks) assert.equal(wordsIn(block.slice(block.indexOf('\n'))).length, 30, 'no word of another in it')

    const { stdout } = await turnwise(['show', newestSession({ home })], { home })
    assert.match(stdout, / · council board · /)
    assert.equal(stdout.match(/\nThe \w+ \d\d:\d\d\n/g)?.length, 5)
  })
}

test('a council that is not there, and one in a session that has its own voice, are refused', async t => {
  const home = tempHome(t)
  const unknown = await turnwise(['ask', '--council', 'bored', 'hello'], { home })
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^turnwise: [^\n]*bored[^\n]*\n$/)
  assert.equal((await turnwise(['ask', '--council', 'board', '-s', 'ses_1', 'hello'], { home })).code, 2)
})
