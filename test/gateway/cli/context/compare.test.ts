import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { compareRequests } from '../../../../src/gateway/cli/context/diff.ts'
import type { ComparedRequest } from '../../../../src/gateway/cli/context/pair.ts'
import type { OutlineItem } from '../../../../src/model/plan.ts'
import type { Receipt } from '../../../../src/model/receipt.ts'
import { piped } from '../in-process.ts'
import { newestSession, type Ran, tempHome, turnwise } from '../turnwise.ts'

type Talked = { readonly id: string; readonly home: string; readonly context: (...args: readonly string[]) => Promise<Ran> }

/** A session of four turns; the third has two requests, and before the last the house text changes. */
async function talked(t: TestContext): Promise<Talked> {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'AGENTS.md'), 'Be brief.\n')
  await piped(['ask', 'hello'], { home })
  const id = newestSession({ home })
  await piped(['ask', '-s', id, 'hello'], { home })
  await piped(['ask', '-s', id, 'use clock {}'], { home })
  writeFileSync(join(home, 'AGENTS.md'), 'Now be verbose.\n')
  await piped(['ask', '-s', id, 'and now?'], { home })
  return { id, home, context: (...args) => turnwise(['context', id, ...args], { home }) }
}

test('--diff tells what went and came since the request before, in which turn soever', async t => {
  const { context } = await talked(t)
  const newest = (await context('--diff')).stdout
  assert.match(newest, /^From turn 3, step 2 to turn 4, step 1\ndemo · steady@1 · assistant\n\n/)
  assert.match(newest, /^ {2}− {3}AGENTS\.md +\d+ tokens {3}was system\.agents-md$/m)
  assert.match(newest, /^ {2}\+ {3}AGENTS\.md +\d+ tokens {3}system\.agents-md$/m)
  assert.match(newest, /^ {2}\+ {3}current \d+ +\d+ tokens {3}current\.message$/m)
  assert.match(newest, /^ {2}\d+ items stayed, 1 went, 3 came\n {2}\d+ → \d+ tokens \(\+\d+\)\n/m)
  assert.match(newest, /\n {2}they begin differently; the prefix is broken by AGENTS\.md \(house text\)\n$/)

  const steps = (await context('--diff', '--turn', '3')).stdout
  assert.match(steps, /^From turn 3, step 1 to turn 3, step 2\n/)
  assert.match(steps, /0 went, 1 came\n.*\n {2}the first \d\d % are the same; the prefix holds, so a cache can be used\n$/)

  const turns = JSON.parse((await context('--diff', '1..2', '--json')).stdout)
  assert.deepEqual(turns.gone, [])
  assert.equal(turns.same, 2)
  // The same word said twice is two messages, so the second one came.
  assert.deepEqual(
    turns.come.map((item: { reason: string }) => item.reason),
    ['recent.window', 'current.message'],
  )
  assert.equal(turns.tokens.now - turns.tokens.before, turns.tokens.difference)
  assert.equal(turns.cache.brokenBy, null)
})

test('--diff shows what another policy or model would change, before it is tried', async t => {
  const { context } = await talked(t)
  const short = (await context('--diff', '--policy', 'recent', '--turn', '4')).stdout
  assert.match(
    short,
    /^From turn 4 as it was sent to turn 4 under recent\ndemo · steady@1 · assistant → demo · recent@1 · assistant\n/,
  )
  assert.match(short, /^ {2}− {3}message 1 +\d+ tokens {3}out\.window$/m)
  assert.match(short, /tokens \(−\d+\)\n.*the prefix is broken by message \d+ \(conversation\)\n$/)

  const two = JSON.parse((await context('--diff', '--policy', 'recent', '--policy', 'full', '--json')).stdout)
  assert.deepEqual([two.before.policy, two.now.policy], ['recent@1', 'full@1'])
  assert.deepEqual([two.before.id, two.gone], [null, []])
  assert.ok(two.come.some((item: { from?: number }) => item.from === 1))

  const once = (await context('--diff', '--policy', 'recent', '--at', '5')).stdout
  assert.match(once, /^From seq 5 to seq 5 under recent\n/)
  assert.match(once, /\n {2}nothing went and nothing came\n/)
  const earlier = (await context('--diff', '--at', '6')).stdout
  assert.match(earlier, /^From turn 4 as it was sent to seq 6\n/)
  assert.match(earlier, /^ {2}− {3}current \d+ +\d+ tokens {3}was current\.message$/m)
  const model = JSON.parse((await context('--diff', '--model', 'anthropic/claude-test', '--json')).stdout)
  assert.deepEqual([model.before.model, model.now.model], ['demo', 'anthropic/claude-test'])
})

test('--model gives the exact body another model would be sent', async t => {
  const { context } = await talked(t)
  const args = ['--model', 'anthropic/claude-test', '--turn', '2'] as const
  const raw = (await context(...args, '--raw')).stdout
  const { receipt, request } = JSON.parse((await context(...args, '--json')).stdout)
  assert.equal(`sha256:${createHash('sha256').update(raw).digest('hex')}`, receipt.digest)
  assert.equal(receipt.model, 'anthropic/claude-test')
  assert.match(request.url, /\/v1\/messages$/)
  assert.equal(JSON.parse(raw).model, 'claude-test')
  assert.match((await context(...args)).stdout, /^What would be sent in turn 2; nothing was\nanthropic\/claude-test · steady@1/)
  const unknown = await context('--model', 'frob')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /^turnwise: model: "frob" is not a model; write "demo" or provider\/model: /)
})

test('--cache has a line for every request, and sums up what broke the prefix', async t => {
  const { context } = await talked(t)
  const { stdout } = await context('--cache')
  const lines = stdout.split('\n').filter(line => line.startsWith('  turn '))
  assert.deepEqual(
    lines.map(line => /^ {2}(turn \d) {3}(step \d)/.exec(line)?.slice(1).join(' ')),
    ['turn 1 step 1', 'turn 2 step 1', 'turn 3 step 1', 'turn 3 step 2', 'turn 4 step 1'],
  )
  assert.match(lines[0] ?? '', /nothing before it to compare with$/)
  assert.match(lines[3] ?? '', / \d+ tokens {3}\d\d %$/)
  assert.match(lines[4] ?? '', / {2}0 % {3}broken by AGENTS\.md \(house text\)$/)
  assert.match(stdout, /\n {2}\d+ % stayed on average, over 4 requests\n {2}the prefix broke once: 1 by system\.agents-md\n$/)
  const { items, summary } = JSON.parse((await context('--cache', '--json')).stdout)
  assert.equal(items.length, 5)
  assert.deepEqual(summary.breaks, { 'system.agents-md': 1 })
  const shares = items.flatMap(({ cache }: { cache: { stableShare: number } | null }) => cache?.stableShare ?? [])
  const mean = shares.reduce((sum: number, share: number) => sum + share, 0) / shares.length
  assert.ok(Math.abs(summary.meanShare - mean) < 0.001)
})

test('options that cannot be meant together are refused in one line', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  for (const args of [
    ['--diff', '--why'],
    ['--diff', '--cache'],
    ['--cache', '--raw'],
    ['--cache', '--turn', '1'],
    ['--diff', '3-7'],
    ['--diff', '1..2', '--policy', 'full'],
    ['--diff', '--at', '5', '--step', '1'],
    ['--where', '5', '--at', '5'],
    ['--where', '5', '--why'],
    ['--budget', '0'],
    ['--policy', 'full', '--policy', 'recent'],
    ['--diff', '--policy', 'full', '--policy', 'recent', '--policy', 'steady'],
    ['--policy', 'full', '--step', '2'],
  ]) {
    const { code, stdout, stderr } = await piped(['context', 'ses_1', ...args], { home })
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^turnwise: [^\n]+\n$/)
  }
})

test('what cannot be compared is said', async t => {
  const home = tempHome(t)
  await piped(['ask', 'hello'], { home })
  const id = newestSession({ home })
  const first = await piped(['context', id, '--diff'], { home })
  assert.deepEqual([first.code, first.stdout], [1, ''])
  assert.match(first.stderr, /^turnwise: turn 1 has the first request of its voice; there is none before it to compare with\n$/)
  assert.match((await piped(['context', id, '--diff', '1..9'], { home })).stderr, /there is no turn 9; this session has 1/)
  assert.match((await piped(['context', id, '--cache'], { home })).stdout, /there is only one request/)
})

test('policies and agents are listed, for people and for programs', async t => {
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(join(home, 'turnwise.json'), '{ "policy": "recent" }')
  const { stdout } = await piped(['policies'], { home })
  assert.match(stdout, /^ {2}\* {3}recent +the model's window less the reply's limit {3}the last 5 messages and the new one$/m)
  assert.match(
    stdout,
    /^ {6}steady .* grows to three quarters of its room, more where replies need it, then drops whole turns down to a third of that; summarizes what leaves it; recalls what matters, as far as hiding the past has paid for it$/m,
  )
  const policies = JSON.parse((await piped(['policies', '--json'], { home })).stdout)
  assert.equal(policies.default, 'recent')
  assert.deepEqual(policies.items.find(({ name }: { name: string }) => name === 'recent').window, { kind: 'last', messages: 5 })
  assert.match((await piped(['agents'], { home })).stdout, /^ {2}assistant {3}Assistant {3}demo {3}recent\n$/)
  const agents = JSON.parse((await piped(['agents', '--json'], { home })).stdout)
  assert.equal(agents.items[0].key, 'assistant')
})

test('what is estimated differently by now is no difference', () => {
  const outline: readonly OutlineItem[] = [
    { name: 'AGENTS.md', reason: 'system.agents-md', hash: 'a', tokens: 100, volatile: false },
    { name: 'message 1', reason: 'recent.window', hash: 'b', tokens: 200, from: 1, volatile: false },
  ]
  const request = (factor: number, model: string, items = outline): ComparedRequest => ({
    name: 'one',
    cost: null,
    context: {
      receipt: {
        ...{ id: null, digest: 'd', policy: 'full@1', model, voice: 'assistant', out: [] },
        tokens: { estimated: Math.ceil(items.reduce((sum, { tokens }) => sum + tokens, 0) * factor), factor },
      } as unknown as Receipt,
      request: null,
      verified: true,
      outline: items,
    },
  })
  assert.deepEqual(compareRequests(request(1, 'x'), request(1.06, 'x')).tokens, { before: 300, now: 300, difference: 0 })
  assert.deepEqual(compareRequests(request(1, 'x'), request(1.06, 'y')).tokens, { before: 300, now: 318, difference: 18 })
  const longer = [
    ...outline,
    { name: 'message 5', reason: 'recent.window', hash: 'c', tokens: 50, from: 5, volatile: false } as const,
  ]
  const compared = compareRequests(request(2, 'x'), request(1.06, 'x', longer))
  assert.deepEqual(compared.tokens, { before: 600, now: 700, difference: 100 })
  assert.deepEqual(
    compared.come.map(({ tokens }) => tokens),
    [100],
  )
})
