import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sightingRanges } from '../../../../src/gateway/cli/context/where.ts'
import { command, type Printed } from '../in-process.ts'
import { newestSession, tempHome } from '../turnwise.ts'

type Chat = { readonly id: string; readonly context: (...args: readonly string[]) => Promise<Printed> }

/** Five turns under the policy that keeps five messages. */
async function chat(t: TestContext, settings: object = { policy: 'recent' }): Promise<Chat> {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  await command(home, ['ask', 'The code word is kingfisher.'])
  const id = newestSession({ home })
  for (const text of ['one', 'two', 'three', 'four']) await command(home, ['ask', '-s', id, text])
  return { id, context: (...args) => command(home, ['context', id, ...args]) }
}

/** Two rounds of a council of two. */
async function board(t: TestContext): Promise<Chat> {
  const home = tempHome(t)
  mkdirSync(home)
  const advisors = ['ada', 'bob'].map(id => ({ id, name: id === 'ada' ? 'Ada' : 'Bob', description: 'Answers.' }))
  const council = { name: 'Board', early: { turns: 0 }, advisors }
  writeFileSync(join(home, 'councils.json'), JSON.stringify({ councils: { board: council } }))
  await command(home, ['ask', '--council', 'board', 'Shall we?'])
  const id = newestSession({ home })
  await command(home, ['ask', '-s', id, 'Why?'])
  return { id, context: (...args) => command(home, ['context', id, ...args]) }
}

test('--where tells in which later requests a message is, and why it left', async t => {
  const { context } = await chat(t)
  const { code, stdout } = await context('--where', '1')
  assert.equal(code, 0)
  assert.equal(
    stdout,
    [
      'Where seq 1 is in the requests after it',
      '',
      '  in    turn 1      new message',
      '  in    turns 2–3   conversation',
      '  out   turns 4–5   before the window',
      '',
      '  in 3 of 5 requests',
      '',
    ].join('\n'),
  )
  const { seq, items } = JSON.parse((await context('--where', '1', '--json')).stdout)
  assert.deepEqual([seq, items.length], [1, 5])
  assert.deepEqual(items[4], { turn: 5, step: 1, voice: 'assistant', in: false, reason: 'out.window' })
  const nothing = await context('--where', '2')
  assert.deepEqual([nothing.code, nothing.stdout], [1, ''])
  assert.match(nothing.stderr, /2 is turn\.started; what can be in a request is a message, a reply or a result\n$/)
  assert.equal((await context('--where', '1', '--turn', '2')).code, 2)
  assert.equal((await context('--where', '1', '--diff')).code, 2)
})

test('--where tells the voices of a council apart, or looks at one of them', async t => {
  const { context } = await board(t)
  const all = (await context('--where', '1')).stdout
  assert.match(all, /^ {2}in {3}turn \d {3}ada {3}new message$/m)
  assert.match(all, /^ {2}in {3}turn \d {3}bob {3}conversation$/m)
  assert.match(all, /\n {2}in 4 of 4 requests\n$/)
  assert.match(
    (await context('--where', '1', '--voice', 'Bob')).stdout,
    /^ {2}in {3}turn 1 {3}new message\n {2}in {3}turn 2 {3}conversation\n\n {2}in 2 of 2/m,
  )
})

test('requests of one voice that say the same are one stretch', () => {
  const seen = (turn: number, voice: string, reason: string) => ({ turn, step: 1, voice, in: !reason.startsWith('out'), reason })
  assert.deepEqual(
    sightingRanges([
      seen(1, 'ada', 'recent.window'),
      seen(2, 'bob', 'out.window'),
      seen(3, 'ada', 'recent.window'),
      seen(5, 'ada', 'out.window'),
      seen(7, 'ada', 'recent.window'),
    ]),
    [
      { voice: 'ada', in: true, reason: 'recent.window', from: 1, to: 3 },
      { voice: 'ada', in: false, reason: 'out.window', from: 5, to: 5 },
      { voice: 'ada', in: true, reason: 'recent.window', from: 7, to: 7 },
      { voice: 'bob', in: false, reason: 'out.window', from: 2, to: 2 },
    ],
  )
})

test('--voice looks at the turns of one voice, as sent, as they would be, and in comparison', async t => {
  const { context } = await board(t)
  assert.match(
    (await context('--voice', 'bob', '--turn', '1', '--step', '1')).stdout,
    /^What the model was sent in turn 1 of 2 by bob, .*\n.* · bob\n/,
  )
  const would = JSON.parse((await context('--voice', 'Bob', '--turn', '2', '--policy', 'full', '--json')).stdout)
  assert.deepEqual([would.receipt.voice, would.receipt.policy], ['bob', 'full@1'])
  const sent = JSON.parse((await context('--voice', 'bob', '--turn', '2', '--json')).stdout)
  assert.deepEqual(
    would.outline.map((item: { from?: number }) => item.from),
    sent.outline.map((item: { from?: number }) => item.from),
  )
  assert.match((await context('--voice', 'bob', '--diff')).stdout, /^From turn 1, step 1 to turn 2, step 1\n/)
  const { items } = JSON.parse((await context('--voice', 'ada', '--cache', '--json')).stdout)
  assert.deepEqual(
    items.map(({ turn, voice }: { turn: number; voice: string }) => `${voice} ${turn}`),
    ['ada 1', 'ada 2'],
  )
  const unknown = await context('--voice', 'eve')
  assert.deepEqual([unknown.code, unknown.stderr.includes('there is no voice "eve" in this session; known here: ')], [1, true])
})

test('--budget shows what would have to go, and the prices of a model what that is worth', async t => {
  const price = { input: 2, output: 10, cacheRead: 0.2 }
  const { context } = await chat(t, { policy: 'full', models: { 'openai/gpt-test': { window: 100_000, price } } })
  const { stdout } = await context('--diff', '--budget', '120', '--model', 'openai/gpt-test', '--turn', '5')
  assert.match(stdout, /^From turn 5 as it was sent to turn 5 for openai\/gpt-test with at most 120 tokens\n/)
  assert.match(stdout, /^ {2}− {3}message 1 +\d+ tokens {3}out\.window$/m)
  assert.match(stdout, /^ {2}\$0\.00 → \$0\.\d+ to \$0\.\d+ with the longest reply$/m)
  const { before, now, cost } = JSON.parse((await context('--diff', '--budget', '120', '--json')).stdout)
  assert.deepEqual([before.policy, now.policy, cost.before.mostUsd], ['full@1', 'full@1', 0])
  const alone = await context('--budget', '120', '--model', 'openai/gpt-test', '--turn', '5')
  assert.match(alone.stdout, /of 120 tokens\n[\s\S]*\n {2}it would cost \$0\.\d+ to \$0\.\d+ with the longest reply\n/)
  assert.doesNotMatch((await context('--budget', '9000')).stdout, /cost/)
})
