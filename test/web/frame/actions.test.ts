import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortcutActions } from '../../../web/src/frame/use-actions.ts'
import type { AppFrame } from '../../../web/src/parts/frame.ts'
import { started } from '../signals.ts'
import { chat, world } from '../world.ts'

const FRAME: AppFrame = {
  ...{ narrow: false, sidebar: true, renaming: false, finding: false },
  ...{ showSidebar: () => {}, show: () => {}, connect: () => {}, rename: () => {}, find: () => {} },
}

test('Escape stops what one sees being written, and nothing behind another page or a drawer', async () => {
  const { store, calls, followed } = world()
  const stops = (): number => calls.filter(([name]) => name === 'cancel').length
  store.visit(chat('ses_1'))
  followed[0]?.onSignals([started(1)])
  await new Promise(setImmediate)
  store.visit({ page: 'agents', key: null })
  shortcutActions(store, FRAME).stop()
  assert.equal(stops(), 0)
  store.visit(chat('ses_1'))
  let shown = true
  shortcutActions(store, { ...FRAME, narrow: true, showSidebar: is => (shown = is) }).stop()
  assert.deepEqual([shown, stops()], [false, 0])
  shortcutActions(store, FRAME).stop()
  assert.equal(stops(), 1)
})
