import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LONGEST_INPUT_BYTES } from '../../../../../src/gateway/cli/terminal/line-editor/state.ts'
import { typed } from './typing.ts'

const UP = '\x1b[A'
const DOWN = '\x1b[B'
const LEFT = '\x1b[D'

test('keys move and delete by signs, words and lines', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['ab\x01c\x05d', 'cabd|'],
    [`a👩‍👧e\u0301${LEFT}${LEFT}x`, 'ax|👩‍👧e\u0301'],
    ['a👩‍👧\x7fb', 'ab|'],
    ['🇩🇪🇫🇷\x7f', '🇩🇪|'],
    ['one two-three\x17', 'one |'],
    ['one two-three\x1b\x7f', 'one two-|'],
    ['one two\x1bb\x1bb\x1bd', '| two'],
    ['one two\x01\x1bf!', 'one!| two'],
    ['one two\x1b[1;5D\x0b', 'one |'],
    ['one two\x1bb\x15', '|two'],
    ['one two\x17\x19\x19', 'one twotwo|'],
    ['a\nb\x01\x15', 'a|b'],
    ['a\nb\x1b[D\x1b[D\x0b', 'a|b'],
    ['abc\x02\x02\x04', 'a|c'],
    ['a\x1b\rb\x1b[13;2uc\nd', 'a\nb\nc\nd|'],
    ['one\\\rtwo', 'one\ntwo|'],
    ['abc\x1b[H\x1b[3~\x1b[F.', 'bc.|'],
  ]
  for (const [bytes, shown] of cases) assert.equal(typed(bytes).shown, shown, JSON.stringify(bytes))
})

test('arrows go through wrapped rows as they are seen, and aim at one column', () => {
  // In ten columns: "abcdefghij", "kl", "mnopqr".
  const text = 'abcdefghijkl\nmnopqr'
  assert.equal(typed(text + UP, { width: 10 }).shown, 'abcdefghijkl|\nmnopqr')
  assert.equal(typed(text + UP + UP, { width: 10 }).shown, 'abcdef|ghijkl\nmnopqr')
  assert.equal(typed(text + UP + UP + DOWN + DOWN, { width: 10 }).shown, 'abcdefghijkl\nmnopqr|')
  // Wide signs: a column in the middle of one is its left edge.
  assert.equal(typed(`日本語\nabc${UP}`).shown, '日|本語\nabc')
})

test('the history begins above the first row, and a changed draft is kept', () => {
  const history = ['first', 'second\nline']
  assert.equal(typed(`dra${UP}`, { history }).shown, 'second\nline|')
  assert.equal(typed(`dra${UP}${UP}${UP}`, { history }).shown, 'first|')
  assert.equal(typed(`dra${UP}${UP}${UP}!${DOWN}${DOWN}ft`, { history }).shown, 'draft|')
  assert.equal(typed(`${UP}${UP}${UP}!${DOWN}${UP}${UP}`, { history }).shown, 'first!|')
  assert.equal(typed(`${UP}${UP}${UP}${UP}${UP}`, { history }).shown, 'first|')
})

test('what was sent is remembered, but for a repetition and what begins with a space', () => {
  const { state, acts } = typed('one\rone\r secret\rtwo\r', { history: ['one'] })
  assert.deepEqual(
    acts.map(act => ('text' in act ? act.text : act.type)),
    ['one', 'one', ' secret', 'two'],
  )
  assert.deepEqual(state.history, ['one', 'two'])
  assert.equal(typed(`one\r${UP}`).shown, 'one|')
})

test('Ctrl-R finds older lines, takes one over, and gives the draft back', () => {
  const history = ['ask Ada', 'tell Ben', 'Ask Cem']
  assert.equal(typed('\x12ask', { history }).shown, '|Ask Cem')
  assert.equal(typed('\x12ask\x12', { history }).shown, '|ask Ada')
  assert.match(typed('\x12ask\x12\x12', { history }).state.notice ?? '', /nothing earlier/)
  assert.equal(typed('\x12tell\r', { history }).shown, '|tell Ben')
  assert.deepEqual(typed('\x12tell\r', { history }).acts, [])
  assert.equal(typed('\x12tell\x05!', { history }).shown, 'tell Ben!|')
  assert.equal(typed('draft\x12tell\x07', { history }).shown, 'draft|')
  assert.equal(typed('draft\x12telx\x7f', { history }).shown, '|tell Ben')
})

test('Tab completes what is common, then offers, then takes one after the other', () => {
  const words = ['/context', '/cost', '/council']
  const complete = (text: string, cursor: number) => ({
    from: 0,
    choices: words.filter(word => word.startsWith(text.slice(0, cursor))),
  })
  assert.equal(typed('/c\t', { complete }).shown, '/co|')
  assert.equal(typed('/c\t', { complete }).state.offer, undefined)
  assert.deepEqual(typed('/c\t\t', { complete }).state.offer?.choices, words)
  assert.equal(typed('/c\t\t\t\t', { complete }).shown, '/cost|')
  assert.equal(typed('/c\t\t\x1b[Z', { complete }).shown, '/council|')
  assert.equal(typed('/c\t\t\t!', { complete }).state.offer, undefined)
  assert.equal(typed('/cos\t', { complete }).shown, '/cost|')
  assert.equal(typed('/x\t', { complete }).shown, '/x|')
})

test('Ctrl-C clears first and interrupts then; while something is under way it interrupts at once', () => {
  assert.deepEqual(typed('abc\x03').acts, [])
  assert.equal(typed('abc\x03').shown, '|')
  assert.equal(typed('abc\x03\x19').shown, 'abc|')
  assert.deepEqual(typed('\x03').acts, [{ type: 'interrupt', text: '' }])
  assert.deepEqual(typed('abc\x03', { isBusy: true }).acts, [{ type: 'interrupt', text: 'abc' }])
  assert.equal(typed('abc\x03', { isBusy: true }).shown, 'abc|')
})

test('other keys ask for something to be done', () => {
  assert.deepEqual(typed('\x04').acts, [{ type: 'end' }])
  assert.deepEqual(typed('ab\x18\x05').acts, [{ type: 'external', text: 'ab' }])
  assert.deepEqual(typed('ab\x18c').shown, 'abc|')
  assert.deepEqual(typed('\x0c\x1a').acts, [{ type: 'clear' }, { type: 'suspend' }])
  assert.deepEqual(typed('\r  \r').acts, [])
})

test('a paste stays together, and its controls are only pictures', () => {
  const { shown, acts } = typed('\x1b[200~a\r\nb\rc\td\x1b[31m\x03\x07\x9b\x1b[201~')
  assert.equal(shown, 'a\nb\nc\td␛[31m␃␇U+009B|')
  assert.deepEqual(acts, [])
})

test('more than a mebibyte is refused, and what was there stays', () => {
  const { state } = typed(`kept\x1b[200~${'é'.repeat(LONGEST_INPUT_BYTES / 2)}\x1b[201~`)
  assert.equal(state.text, 'kept')
  assert.match(state.notice ?? '', /longer than 1 MiB/)
  assert.equal(typed(`\x1b[200~${'é'.repeat(LONGEST_INPUT_BYTES / 2)}\x1b[201~`).state.text.length, LONGEST_INPUT_BYTES / 2)
})
