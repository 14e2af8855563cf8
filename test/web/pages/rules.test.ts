// Rules for tools, numbers of settings, and the settings of an MCP server as the page edits them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { numberText, readNumber } from '../../../web/src/pages/settings/number-text.ts'
import { meantBy, rulePatch, serverPattern, toolRulesIn, whyNotARule } from '../../../web/src/pages/skills/rules.ts'

describe('rules for tools', () => {
  test('are read from the settings, and only those that say something known', () => {
    const leaf = { value: { 'files__*': 'auto', git: 'never', odd: 'sometimes' }, source: 'file' as const, editable: true }
    assert.deepEqual(toolRulesIn({ tools: { approve: leaf } }), { 'files__*': 'auto', git: 'never' })
    assert.deepEqual(toolRulesIn({}), {})
  })
  test('mean tools by name or by the beginning of names', () => {
    const tools = [{ name: 'files__read' }, { name: 'files__write' }, { name: 'files' }]
    assert.equal(meantBy('files__*', tools), 2)
    assert.equal(meantBy('files', tools), 1)
    assert.equal(meantBy('*', tools), 3)
    assert.equal(meantBy(serverPattern('files'), tools), 2)
  })
  test('are refused before they are sent', () => {
    assert.match(whyNotARule('', {}) ?? '', /Enter the name/)
    assert.match(whyNotARule('a*b', {}) ?? '', /only at the end/)
    assert.match(whyNotARule('git', { git: 'ask' }) ?? '', /already/)
    assert.equal(whyNotARule('files__*', {}), undefined)
  })
  test('are set and removed by a merge patch', () =>
    assert.deepEqual(rulePatch('files__*', null), { tools: { approve: { 'files__*': null } } }))
})

describe('a number of the settings', () => {
  test('may be written with commas, and in minutes', () => {
    assert.equal(readNumber('2,000,000', 'plain'), 2_000_000)
    assert.equal(readNumber('1.5', 'minutes'), 90_000)
    assert.equal(numberText(90_000, 'minutes'), '1.5')
    assert.equal(numberText(2_000_000, 'plain'), '2,000,000')
  })
  test('that is empty is null, and one that is none is left for the gateway to refuse', () => {
    assert.equal(readNumber(' ', 'plain'), null)
    assert.equal(readNumber('many', 'plain'), 'many')
    assert.equal(numberText(null, 'plain'), '')
  })
})
