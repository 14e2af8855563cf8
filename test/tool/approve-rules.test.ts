// Which rule of the settings decides about a tool.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApproveRules, idleRules, ruleFor } from '../../src/tool/approve-rules.ts'

const RULES: ApproveRules = { 'files__*': 'auto', 'files__write*': 'ask', files__write_all: 'never', '*': 'ask', plain: 'auto' }

test('the exact name wins, then the longest pattern', () => {
  const decided = (name: string): string | undefined => ruleFor(name, RULES)?.key
  assert.equal(decided('files__read'), 'files__*')
  assert.equal(decided('files__write_one'), 'files__write*')
  assert.equal(decided('files__write_all'), 'files__write_all')
  assert.equal(decided('plain'), 'plain')
  assert.equal(decided('plainer'), '*')
  assert.equal(ruleFor('plainer', { plain: 'auto' }), undefined)
  assert.equal(ruleFor('constructor', {}), undefined)
})

test('rules that match no tool are found', () => {
  assert.deepEqual(idleRules(['files__read', 'plain'], RULES), ['files__write*', 'files__write_all'])
})
