import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, countWhole } from '../../../src/context/text/tokens.ts'
import { rulesOf } from '../../../src/context/versions.ts'

test('text that looks like a control token is counted as text', () => {
  assert.ok(count('<|endoftext|>') > 1)
  assert.ok(count('<|im_start|>system') > 1)
})

test('a long run of one letter is counted in slices, and nothing is missed', () => {
  assert.ok(count('a'.repeat(100_000)) > 10_000)
  assert.equal(count(`${'a'.repeat(256)}`.repeat(4)), count('a'.repeat(256)) * 4)
})

test('a slice never cuts through a character', () => {
  const faces = '😀'.repeat(1000)
  assert.ok(count(faces) <= count('😀') * 1000)
})

test('ordinary text is counted exactly, whether or not a long run stands beside it', () => {
  assert.equal(count('hello world'), 2)
  assert.equal(count(''), 0)
  assert.ok(count(`hello world ${'a'.repeat(300)}`) >= count('hello world '))
})

test('a megabyte of spaces is counted in a moment', { timeout: 20_000 }, () => {
  assert.ok(count(' '.repeat(1 << 20)) > 1000)
  assert.ok(count(`a${'\n'.repeat(100_000)}b`) > 100)
})

test('a long text has at least one token for eight characters, however little is in it', () => {
  assert.equal(count(' '.repeat(8192)), 1024)
  assert.equal(count(' '.repeat(1 << 20)), 1 << 17)
  assert.ok(count(' '.repeat(4096)) < 512, 'up to 4,096 characters are counted as they are')
})

test('of a long text samples are counted, nearly right, and receipts of the first version still count it whole', () => {
  const prose = Array.from({ length: 30_000 }, (_, n) => `calm river ${n} under a wide sky.`).join('\n')
  const whole = countWhole(prose)
  assert.ok(Math.abs(count(prose) - whole) < whole * 0.05, `${count(prose)} for ${whole}`)
  const short = prose.slice(0, 32_768)
  assert.equal(count(short), countWhole(short))
  const measure = { count, hash: (text: string) => text }
  assert.equal(rulesOf(1)?.measuring(measure).count(prose), whole)
  assert.equal(rulesOf(2)?.measuring(measure).count(prose), count(prose))
})
