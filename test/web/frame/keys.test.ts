import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionOf, chordWords, type KeyPress, keysOf, SHORTCUTS } from '../../../web/src/parts/keys.ts'

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  ...held,
})
const PC = { apple: false, inField: false }
const MAC = { apple: true, inField: false }
const FIELD = { apple: false, inField: true }

test('Ctrl is the key on most machines and ⌘ on those of Apple, never the other one', () => {
  assert.equal(actionOf(press('k', { ctrlKey: true }), PC), 'palette')
  assert.equal(actionOf(press('k', { metaKey: true }), PC), null)
  assert.equal(actionOf(press('k', { metaKey: true }), MAC), 'palette')
  assert.equal(actionOf(press('k', { ctrlKey: true }), MAC), null)
  assert.equal(actionOf(press('k', { ctrlKey: true, metaKey: true }), PC), null)
})

test('what else is held makes it another press; capitals are the same key', () => {
  assert.equal(actionOf(press('O', { ctrlKey: true, shiftKey: true }), PC), 'new-chat')
  assert.equal(actionOf(press('o', { ctrlKey: true }), PC), null)
  assert.equal(actionOf(press('k', { ctrlKey: true, shiftKey: true }), PC), null)
  assert.equal(actionOf(press('ArrowUp', { altKey: true }), PC), 'previous-chat')
  assert.equal(actionOf(press('ArrowUp', { altKey: true, shiftKey: true }), PC), null)
})

test('a sign is a sign with Shift or without, and only letters while somebody writes', () => {
  assert.equal(actionOf(press('?', { shiftKey: true }), PC), 'shortcuts')
  assert.equal(actionOf(press('?'), PC), 'shortcuts')
  assert.equal(actionOf(press('/'), PC), 'focus-message')
  assert.equal(actionOf(press('/'), FIELD), null)
  assert.equal(actionOf(press('?', { shiftKey: true }), FIELD), null)
})

test('in a field, what is pressed with Ctrl still counts, but undoing is the field’s own', () => {
  assert.equal(actionOf(press('k', { ctrlKey: true }), FIELD), 'palette')
  assert.equal(actionOf(press('F2'), FIELD), 'rename')
  assert.equal(actionOf(press('Escape'), FIELD), 'stop')
  assert.equal(actionOf(press('z', { ctrlKey: true }), FIELD), null)
  assert.equal(actionOf(press('z', { ctrlKey: true }), PC), 'undo')
})

test('a press that chooses a word means nothing to the page', () => {
  assert.equal(actionOf(press('k', { ctrlKey: true, isComposing: true }), PC), null)
  assert.equal(actionOf(press('Escape', { isComposing: true }), FIELD), null)
})

test('what is heard elsewhere is listed but not taken away', () => {
  assert.ok(SHORTCUTS.some(({ action }) => action === 'find'))
  assert.equal(actionOf(press('f', { ctrlKey: true }), PC), null)
  assert.equal(actionOf(press('ArrowUp'), FIELD), null)
})

test('no two shortcuts are pressed alike', () => {
  const all = SHORTCUTS.flatMap(({ chords }) => chords.map(chord => chordWords(chord, false).join(' ')))
  assert.equal(new Set(all).size, all.length)
})

test('keys are written as they stand on the keyboard', () => {
  assert.deepEqual(keysOf('new-chat', false), ['Ctrl', 'Shift', 'O'])
  assert.deepEqual(keysOf('new-chat', true), ['⌘', '⇧', 'O'])
  assert.deepEqual(keysOf('previous-chat', true), ['⌥', '↑'])
})
