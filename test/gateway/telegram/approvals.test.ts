// A call that waits for a person is asked about with buttons; the first answer counts, from this door or another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import type { ShownMessage } from '../../../src/testing/telegram/fake-telegram.ts'
import { FAKE_CHAT } from '../../../src/testing/telegram/fake-telegram.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { refusals, settled, startTalk } from './talk.ts'

function asking(): Tool & { readonly ran: string[] } {
  const ran: string[] = []
  return {
    ran,
    spec: { name: 'write', description: 'writes', parameters: { type: 'object' } },
    ...{ approval: 'ask', parallel: false, idempotent: false },
    prepare: async () => ({
      argv: ['write', '--to', 'a file; rm -rf /'],
      facts: { binary: { path: '/opt/write', sha256: 'ab'.repeat(32) }, env: ['HOME', 'NOTES'] },
      run: async () => {
        ran.push('ran')
        return { ok: true, outcome: 'done' }
      },
    }),
  }
}

const question = (messages: readonly ShownMessage[]): ShownMessage | undefined =>
  messages.find(({ text }) => text.startsWith('May write run this?'))
const dataOf = (message: ShownMessage | undefined, text: string): string =>
  message?.buttons.flat().find(button => button.text === text)?.data ?? ''

test('the exact argv, four buttons, and the outcome in their place', async t => {
  const tool = asking()
  const talk = await startTalk(t, {
    provider: scriptedProvider([calls('write', {}), says('Done it.')]),
    toolbox: toolbox([tool]),
  })
  talk.fake.writes({ text: 'write it' })
  const asked = question(await talk.shows('the question', messages => question(messages) !== undefined))
  assert.equal(
    asked?.text,
    `May write run this?\nwrite --to "a file; rm -rf /"\nProgram: /opt/write\nSHA-256: ${'ab'.repeat(32)}\nVariables: HOME, NOTES`,
  )
  assert.deepEqual(
    asked?.entities.map(({ type }) => type),
    ['bold', 'pre', 'code', 'code', 'code'],
  )
  assert.deepEqual(
    asked?.buttons.flat().map(({ text }) => text),
    ['Allow once', 'This session', 'Always', 'Deny'],
  )
  // Neither another message, nor another chat, nor another word can answer.
  talk.fake.presses(FAKE_CHAT, 99, dataOf(asked, 'Allow once'))
  talk.fake.presses(31_337, asked?.id ?? 0, dataOf(asked, 'Allow once'))
  talk.fake.presses(FAKE_CHAT, asked?.id ?? 0, 'x:apr_nonsense')
  const last = talk.fake.presses(FAKE_CHAT, asked?.id ?? 0, dataOf(asked, 'Allow once').replace(/^o/, 'q'))
  await talk.fake.until(() => talk.fake.confirmed() >= last, 'all are confirmed')
  assert.deepEqual(tool.ran, [])
  talk.fake.presses(FAKE_CHAT, asked?.id ?? 0, dataOf(asked, 'Allow once'))
  talk.fake.presses(FAKE_CHAT, asked?.id ?? 0, dataOf(asked, 'Deny'))
  await talk.shows('the answer', messages => messages.some(({ text }) => text === 'Done it.'))
  await settled(talk)
  assert.deepEqual(tool.ran, ['ran'])
  const after = talk.fake.shows().find(({ id }) => id === asked?.id)
  assert.match(after?.text ?? '', /^write\n[\s\S]*\nAllowed, this once\.$/)
  assert.deepEqual(after?.buttons, [])
  assert.deepEqual(refusals(talk.fake), [])
})

test('an answer from another door takes the buttons away, also after a restart', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const tool = asking()
  const given = { log, toolbox: toolbox([tool]) }
  const before = await startTalk(t, { ...given, provider: scriptedProvider([calls('write', {})]) })
  before.fake.writes({ text: 'write it' })
  const asked = question(await before.shows('the question', messages => question(messages) !== undefined))
  await before.door.stop(10_000)
  await before.engine.close(0)
  const talk = await startTalk(t, { ...given, fake: before.fake, provider: scriptedProvider([says('Then not.')]) })
  await talk.fake.until(() => talk.engine.approvals().length === 1 && talk.door.status().running, 'it waits again')
  const [waiting] = talk.engine.approvals()
  assert.ok(waiting !== undefined)
  assert.ok((await talk.engine.answer(waiting.approval, 'deny', 'not today')).ok)
  await talk.shows('the outcome', messages =>
    messages.some(({ id, text }) => id === asked?.id && text.endsWith('Denied. not today')),
  )
  await talk.shows('the answer', messages => messages.some(({ text }) => text === 'Then not.'))
  await settled(talk)
  assert.deepEqual(tool.ran, [])
  assert.equal(talk.fake.shows().filter(({ buttons }) => buttons.length > 0).length, 0)
})

test('a turn that ends without an answer takes its question back', async t => {
  const talk = await startTalk(t, { provider: scriptedProvider([calls('write', {})]), toolbox: toolbox([asking()]) })
  talk.fake.writes({ text: 'write it' })
  await talk.shows('the question', messages => question(messages) !== undefined)
  await talk.ask('/cancel', /^Stopped\. What was said/)
  const shown = await talk.shows('it is taken back', messages =>
    messages.some(({ text }) => text.endsWith('Denied. the turn was stopped')),
  )
  assert.ok(shown.every(({ buttons }) => buttons.length === 0))
})
