import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Bill, type Block, billsOf, blocksOf, keptShare, markedInHouse, unitsOf } from '../../bench/billing.ts'
import { askedOf, generated, lengthOf, messagesIn, recordings, spokenOf, TALK, WORK } from '../../bench/conversations.ts'

const block = (bytes: string, tokens: number, marked = false): Block => ({ part: 'messages', bytes, tokens, marked })
const blocks = (count: number, tokens: number): readonly Block[] =>
  Array.from({ length: count }, (_, index) => block(`b${index}`, tokens))
const marked = (all: readonly Block[]): readonly Block[] =>
  all.map((each, index) => (index === all.length - 1 ? { ...each, marked: true } : each))
const bills = (...requests: readonly (readonly Block[])[]): readonly Bill[] => [...billsOf(requests)]

test('without breakpoints everything is plain, however often it is sent', () => {
  const request = [block('a', 2000), block('b', 50)]
  assert.deepEqual(bills(request, request), [
    { plain: 2050, written: 0, read: 0 },
    { plain: 2050, written: 0, read: 0 },
  ])
})

test('what a breakpoint closes is written once and read from then on; what stands behind the last one is plain', () => {
  const found = bills([block('a', 2000, true), block('b', 30)], [block('a', 2000, true), block('b', 100, true), block('c', 7)])
  assert.deepEqual(found, [
    { plain: 30, written: 2000, read: 0 },
    { plain: 7, written: 100, read: 2000 },
  ])
  assert.deepEqual(found.map(unitsOf), [30 + 2500, 7 + 125 + 200])
})

test('a prefix of less than 1,024 tokens is not kept', () => {
  const short = [block('a', 1023, true)]
  assert.deepEqual(bills(short, short), [
    { plain: 1023, written: 0, read: 0 },
    { plain: 1023, written: 0, read: 0 },
  ])
  assert.deepEqual(bills([block('a', 1023, true), block('b', 1, true)]), [{ plain: 0, written: 1024, read: 0 }])
})

test('a breakpoint finds an earlier one twenty blocks back, and not one that is further', () => {
  const [, near] = bills(marked(blocks(10, 200)), marked(blocks(30, 200)))
  assert.deepEqual(near, { plain: 0, written: 4000, read: 2000 })
  const [, far] = bills(marked(blocks(10, 200)), marked(blocks(31, 200)))
  assert.deepEqual(far, { plain: 0, written: 6200, read: 0 })
})

test('the longest prefix that was written counts, and nothing behind the first byte that differs', () => {
  const house = block('house', 1500, true)
  const [, second, third] = bills(
    [house, block('a', 300), block('b', 300, true)],
    [house, block('a', 300), block('x', 300), block('c', 300, true)],
    [house, block('a', 300), block('b', 300), block('d', 100, true)],
  )
  assert.deepEqual(second, { plain: 0, written: 900, read: 1500 })
  assert.deepEqual(third, { plain: 0, written: 100, read: 2100 })
})

test('a place that only a passing request touched was not written', () => {
  const [, second] = bills([block('a', 1100), block('b', 100, true)], [block('a', 1100, true)])
  assert.deepEqual(second, { plain: 0, written: 1100, read: 0 })
})

test('a fifth breakpoint is refused', () => {
  assert.throws(() => bills(Array.from({ length: 5 }, (_, index) => block(`${index}`, 2000, true))), /at most 4 breakpoints/)
})

test('tools come before the system text, and that before the messages; 4 for each message and 8 for each tool block', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const body = JSON.stringify({
    system: [{ type: 'text', text: 'sys', ...mark }],
    tools: [{ name: 'look', ...mark }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'note' },
          { type: 'text', text: 'hello' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { a: 1 } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'found' }], ...mark }],
      },
    ],
  })
  const found = blocksOf(body, text => text.length)
  assert.deepEqual(
    found.map(({ part, tokens, marked }) => [part, tokens, marked]),
    [
      ['tools', '{"name":"look"}'.length, true],
      ['system', 3, true],
      ['messages', 4 + 4, false],
      ['messages', 5, false],
      ['messages', 4 + 8 + 4 + '{"a":1}'.length, false],
      ['messages', 4 + 8 + 5, true],
    ],
  )
  assert.ok(
    found.every(({ bytes }) => !bytes.includes('cache_control')),
    'a mark is not part of what is compared',
  )
  assert.deepEqual(
    markedInHouse(found).map(each => each.marked),
    [true, true, false, false, false, false],
  )
})

test('two blocks in one message are not two messages', () => {
  const body = (messages: unknown): string => JSON.stringify({ messages })
  const text = (each: string): object => ({ type: 'text', text: each })
  const one = blocksOf(body([{ role: 'user', content: [text('a'), text('b')] }]), () => 1)
  const two = blocksOf(
    body([
      { role: 'user', content: [text('a')] },
      { role: 'user', content: [text('b')] },
    ]),
    () => 1,
  )
  assert.equal(one[0]?.bytes, two[0]?.bytes)
  assert.notEqual(one[1]?.bytes, two[1]?.bytes)
})

test('the share of a prefix that is kept counts bytes, also within the block where two requests part', () => {
  const last = [block('aaaa', 1), block('bbbb', 1)]
  assert.equal(keptShare(last, [...last, block('c', 1)]), 1)
  assert.equal(keptShare(last, [block('aaaa', 1), block('bbxx', 1)]), 6 / 8)
  assert.equal(keptShare(last, [block('x', 1)]), 0)
  assert.equal(keptShare([block('é', 1), block('b', 1)], [block('é', 1), block('c', 1)]), 2 / 3)
})

test('a conversation that was made up is the same for the same seed, and as long as it was asked to be', () => {
  const talk = generated({ shape: TALK, seed: 7, until: { tokens: 3000 } })
  assert.deepEqual(talk, generated({ shape: TALK, seed: 7, until: { tokens: 3000 } }))
  assert.notDeepEqual(talk.events, generated({ shape: TALK, seed: 8, until: { tokens: 3000 } }).events)
  assert.ok(lengthOf(talk) >= 3000 && lengthOf(talk) < 4500)
  assert.equal(messagesIn(generated({ shape: WORK, seed: 1, until: { messages: 12 } })), 12)
})

test('a recorded conversation becomes turns that end where the person has the word', t => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-recorded-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const call = (id: string, args: object): object => ({
    ...{ role: 'assistant', content: null },
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: JSON.stringify(args) } }],
  })
  const traj = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Where is AB12C?' },
    call('same', { id: 'AB12C', deep: [1] }),
    { role: 'tool', tool_call_id: 'same', name: 'look', content: 'at sea' },
    call('same', { id: 'AB12C' }),
    { role: 'tool', tool_call_id: 'same', name: 'look', content: 'in port' },
    { role: 'assistant', content: 'In port.' },
    { role: 'user', content: 'Thanks.' },
    { role: 'assistant', content: 'Gladly.' },
    { role: 'user', content: 'nobody answers this' },
  ]
  const file = join(folder, 'recorded.json')
  writeFileSync(file, JSON.stringify([{ traj }, { traj }]))
  const found = recordings(file)
  const [first] = found?.single ?? []
  assert.ok(found && first)
  assert.equal(first.system, 'Be brief.')
  assert.deepEqual(
    first.events.map(({ type }) => type),
    [
      ...['message.received', 'turn.started'],
      ...['reply.finished', 'tool.started', 'tool.settled', 'reply.finished', 'tool.started', 'tool.settled', 'reply.finished'],
      ...['turn.ended', 'message.received', 'turn.started', 'reply.finished', 'turn.ended'],
    ],
  )
  assert.deepEqual(
    askedOf(first).map(({ turn, reply }) => [turn.id, turn.step, turn.cause, turn.ordinal, reply.seq]),
    [
      ['trn_1', 1, 1, 1, 3],
      ['trn_1', 2, 1, 1, 6],
      ['trn_1', 3, 1, 1, 9],
      ['trn_2', 1, 11, 2, 13],
    ],
  )
  const calls = spokenOf(first).flatMap(message => (message.role === 'tool' ? [[message.call, message.text]] : []))
  assert.deepEqual(calls, [
    ['call_1', 'at sea'],
    ['call_2', 'in port'],
  ])
  assert.deepEqual(first.tools, [
    {
      name: 'look',
      description: 'look.',
      parameters: { type: 'object', properties: { id: { type: 'string' }, deep: { type: 'array' } } },
    },
  ])
  assert.equal(found.joined(lengthOf(first) + 1).length, 1, 'two of them make one that is longer')
})

test('the benchmark of caches prints its tables and its JSON, with or without the peers', () => {
  const printed = execFileSync(process.execPath, ['bench/cache.ts', '--quick'], { encoding: 'utf8' })
  const json: unknown = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')
  const { bench, command, budget, missing, datasets, rows, accepted } = json as Record<string, unknown>
  assert.deepEqual([bench, command, budget], ['cache', 'node bench/cache.ts --quick', 2000])
  assert.ok(Array.isArray(missing) && Array.isArray(datasets) && Array.isArray(rows) && Array.isArray(accepted))
  const keys = ['dataset', 'window', 'ofFull', 'cachedShare', 'prefixKept', 'messagesKept', 'identifiersVisible', 'units']
  for (const row of rows) for (const key of keys) assert.ok(key in row, `${key} of ${JSON.stringify(row)}`)
  for (const row of rows) if (row.window === 'full history with caching') assert.equal(row.ofFull, 1)
  for (const name of ['steady', 'recent', 'head-tail', 'full', 'transcript', 'council', 'last 40 messages'])
    assert.ok(
      rows.some(({ window }) => window === name),
      name,
    )
  assert.ok(accepted.length > 0)
  for (const each of accepted) if (['steady', 'recent', 'full'].includes(each.window)) assert.equal(each.anthropic, 1)
  for (const line of missing) assert.ok(printed.includes(line), 'what is missing is said')
})
