import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createColumns } from '../../../../../src/gateway/cli/terminal/paint/columns.ts'
import { shadeOf } from '../../../../../src/gateway/cli/terminal/paint/shade.ts'
import { screenOf } from './screen.ts'

const VOICES = [
  { id: 'a', name: 'The Builder', color: '#3b82f6' },
  { id: 'b', name: 'The \x1b[2JSkeptic', color: 'red; rm -rf' },
  { id: 'c', name: `The ${'very '.repeat(20)}long name` },
]
const long = Array.from({ length: 90 }, (_, at) => `line ${at + 1} of **many**\n`).join('')

test('voices stand side by side while they speak, within the screen, and whole at the end', async () => {
  const columns = createColumns({ voices: VOICES, columns: 140, rows: 40, color: true })
  let bytes = '$ turnwise ask\n'
  const draw = (): void => {
    const frame = columns.frame()
    const moved = [...frame.matchAll(/\[(\d+)A/g)].map(([, lines]) => Number(lines))
    assert.ok(
      moved.every(lines => lines <= 36),
      'no more is drawn again than the screen holds',
    )
    bytes += frame
  }
  columns.write('a', 'I would **build** it, ')
  draw()
  columns.write('b', 'Why')
  columns.write('a', 'and `soon`.')
  draw()
  const early = await screenOf(bytes, 140)
  assert.equal(early[0], '$ turnwise ask')
  assert.match(early[1] ?? '', /^The Builder +│ The ␛\[2JSkeptic +│ The very very .*…$/)
  assert.match(early[2] ?? '', /^I would build it, and +│ … +│ …$/)
  assert.match(early[3] ?? '', /^… +│ +│ ?$/)
  assert.equal(early.length, 4)
  assert.equal(columns.frame(), '', 'nothing new, nothing drawn')

  for (const line of long.split(/(?<=\n)/)) {
    columns.write('c', line)
    draw()
  }
  columns.settle('b', { state: 'failed', words: `the provider said no, ${'and again, '.repeat(8)}finally-over` })
  draw()
  const live = await screenOf(bytes, 140)
  assert.equal(live[0], '$ turnwise ask', 'what was there before stays')
  assert.ok(live.length <= 37)
  assert.match(live.at(-2) ?? '', /line 90 of many$/)

  columns.settle('a', { state: 'done', words: '1,204 tokens · $0.01' })
  columns.settle('c', { state: 'stopped' })
  draw()
  bytes += columns.end()
  assert.equal(columns.end() + columns.frame(), '')
  const whole = await screenOf(bytes, 140)
  assert.equal(whole.filter(line => line.includes('The Builder')).length, 1, 'the live part is gone')
  assert.equal(whole[0], '$ turnwise ask')
  assert.match(whole[2] ?? '', /^I would build it, and soon\. +│ Why +│ line 1 of many$/)
  assert.match(whole[3] ?? '', /^✓ done · 1,204 tokens · \$0\.01 +│ ✗ the provider said no, .*│ line 2 of many$/)
  assert.ok(
    whole.some(line => /finally-over +│ line/.test(line)),
    'all of what went wrong',
  )
  assert.match(whole.at(-1) ?? '', /│ ■ stopped$/)
  for (const at of [1, 45, 90]) assert.equal(whole.filter(line => line.endsWith(`line ${at} of many`)).length, 1)
})

test('more voices than fit stand under each other; who still speaks is seen first', async () => {
  const voices = Array.from({ length: 8 }, (_, at) => ({ id: `v${at}`, name: `Voice ${at}` }))
  const columns = createColumns({ voices, columns: 120, rows: 12, color: false })
  for (const { id } of voices) columns.write(id, `words of ${id}\n\nand more\n`)
  const first = await screenOf(columns.frame(), 120, 12)
  assert.ok(first.length <= 8)
  assert.match(first[0] ?? '', /^Voice 0 +│ Voice 1 +│ Voice 2$/)
  for (const id of ['v0', 'v1', 'v2']) columns.settle(id, { state: 'done' })
  const second = await screenOf(columns.frame(), 120, 12)
  assert.match(second[0] ?? '', /^Voice 3 +│ Voice 4 +│ Voice 5$/)
  const whole = columns.end()
  for (const { id } of voices) assert.ok(whole.includes(`words of ${id}`))
})

test('a terminal that becomes narrower in the middle shows everything once at the end', async () => {
  const columns = createColumns({ voices: VOICES, columns: 140, rows: 40, color: true })
  columns.write('a', 'before ')
  const before = `$ turnwise ask\n${columns.frame()}`
  columns.resize(80, 40)
  columns.write('a', 'after')
  columns.settle('a', { state: 'done' })
  const live = columns.frame()
  const seen = await screenOf(before, 140, 40, { columns: 80, bytes: live })
  assert.equal(seen.filter(line => line.includes('The Builder')).length, 1)
  const whole = await screenOf(before, 140, 40, { columns: 80, bytes: live + columns.end() })
  assert.equal(whole[0], '$ turnwise ask')
  assert.equal(whole.filter(line => line.includes('The Builder')).length, 1)
  assert.match(whole.join('\n'), /before after/)
  assert.ok(whole.every(line => line.length < 80))
})

test('a colour is the nearest that a terminal has', () => {
  assert.deepEqual(['#ff0000', '#fff', '#3b82f6', '#808080', '#121212', 'blue', undefined].map(shadeOf), [
    '38;5;196',
    '38;5;231',
    '38;5;69',
    '38;5;244',
    '38;5;233',
    '',
    '',
  ])
})
