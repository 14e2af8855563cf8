// How answers look when they are long, when something went wrong behind them, and when one turn answers two messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { FAKE_CHAT } from '../../../src/testing/telegram/fake-telegram.ts'
import { type Tool, toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { refusals, settled, startTalk } from './talk.ts'

test('a long answer is several messages, the first of them a reply, and the earlier ones stay as they are', async t => {
  const paragraph = (n: number): string => `${n} ${'word '.repeat(200).trim()}.`
  const half = gate()
  async function* long(): AsyncGenerator<Delta> {
    yield { type: 'text', text: Array.from({ length: 6 }, (_, n) => paragraph(n)).join('\n\n') }
    await half.passed
    yield { type: 'text', text: `\n\n${paragraph(6)}\n\n${paragraph(7)}\n\n\`\`\`ts\n${'let a = 1\n'.repeat(600)}\`\`\`` }
    yield { type: 'done' }
  }
  const talk = await startTalk(t, { provider: scriptedProvider([long]) })
  talk.fake.writes({ text: 'go' })
  const [first] = await talk.shows('two pieces', messages => messages.length === 2)
  half.open()
  await settled(talk)
  const shown = talk.fake.shows()
  assert.equal(shown.length, 4)
  assert.deepEqual(shown[0], first)
  assert.deepEqual(
    shown.map(({ replyTo }) => replyTo),
    [1, undefined, undefined, undefined],
  )
  const code = shown.flatMap(({ entities }) => entities)
  assert.ok(code.length >= 2 && code.every(({ type, language }) => type === 'pre' && language === 'ts'))
  assert.deepEqual(refusals(talk.fake), [])
})

test('what is said while an answer is given waits for it, and has a turn and a reply of its own, also across a restart', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const held = gate()
  async function* waits(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'Half' }
    await held.passed
    yield { type: 'done' }
  }
  const before = await startTalk(t, { log, provider: scriptedProvider([waits]) })
  await before.ask('one', /^Half$/)
  before.fake.brings({ reversed: true })
  for (const text of ['two', 'three', 'four']) before.fake.writes({ text })
  // What waits is safe, so it is confirmed.
  await before.fake.until(() => before.fake.confirmed() === 1003, 'all are taken')
  await before.door.stop(10_000)
  const waiting = await before.engine.remembered('telegram', 'update:')
  assert.deepEqual(waiting.ok && [...waiting.value.values()].map(value => /"text":"(\w+)"/.exec(value)?.[1]), [
    undefined,
    'two',
    'three',
    'four',
  ])
  held.open()
  await before.engine.close(10_000)
  const after = await startTalk(t, { log, fake: before.fake, provider: stand(({ turn }) => says(`answer ${turn}`)) })
  await after.shows('all answers', messages => messages.length === 4)
  await settled(after)
  assert.deepEqual(
    after.fake.shows().map(({ text, replyTo }) => [text, replyTo]),
    [
      ['Half', 1],
      ['answer 2', 3],
      ['answer 3', 4],
      ['answer 4', 5],
    ],
  )
  // Words are kept for as long as they wait.
  const kept = await after.engine.remembered('telegram', 'update:')
  assert.ok(kept.ok && [...kept.value.values()].every(value => !value.includes('"text"')))
})

test('what is said while a tool waits for a person is heard when the turn goes on', async t => {
  const ask: Tool = {
    spec: { name: 'write', description: 'writes', parameters: { type: 'object' } },
    ...{ approval: 'ask', parallel: false, idempotent: false },
    prepare: async () => ({ argv: ['write'], run: async () => ({ ok: true, outcome: 'done' }) }),
  }
  const provider = scriptedProvider([calls('write', {}), says('To both of you.')])
  const talk = await startTalk(t, { provider, toolbox: toolbox([ask]) })
  await talk.ask('one', /^May write run this/)
  const second = talk.fake.writes({ text: 'two' })
  await talk.fake.until(() => talk.fake.confirmed() >= second, 'the second is taken')
  const [waiting] = talk.engine.approvals()
  assert.ok(waiting !== undefined && (await talk.engine.answer(waiting.approval, 'deny')).ok)
  await talk.shows('the answer', messages => messages.some(({ text }) => text === 'To both of you.'))
  await settled(talk)
  assert.deepEqual(
    talk.fake.shows().map(({ replyTo }) => replyTo),
    [1, 1],
  )
})

test('advisors stream side by side, and one that fails says so in its own message', async t => {
  const council = councilOf([advisor('ada'), advisor('bob')])
  const broken: readonly Delta[] = [
    { type: 'text', text: 'I think' },
    { type: 'fault', fault: { kind: 'garbled', message: 'the line broke', retryable: true } },
  ]
  const provider = stand(({ voice }) => (voice === 'ada' ? broken : says('Yes.')))
  const talk = await startTalk(t, { councils: () => [council], provider, resume: { continuations: 0 } })
  await talk.ask('/council board', /answers here now/)
  talk.fake.writes({ text: 'Well?' })
  await talk.shows(
    'both',
    messages =>
      messages.some(({ text }) => /\/resume tries again/.test(text)) && messages.some(({ text }) => text === 'Bob\nYes.'),
  )
  await settled(talk)
  assert.deepEqual(
    talk.fake
      .shows()
      .map(({ text }) => text)
      .filter(text => text.startsWith('Ada')),
    ['Ada\nI think\n\nIt failed: the line broke. /resume tries again.'],
  )
})

test('an answer without its history, and one whose model saw only a part, say so', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  let isSlow = false
  const slow = {
    ...log,
    past: (...given: Parameters<typeof log.past>) => (isSlow ? new Promise<never>(() => {}) : log.past(...given)),
  }
  const usage = { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 }
  const provider = scriptedProvider([says('One.'), says('Two.'), [{ type: 'usage', usage }, ...says('Three.')]])
  const talk = await startTalk(t, { log: slow, provider, limits: { historyMs: 400 } })
  await talk.ask('hello', /^One\.$/)
  await settled(talk)
  isSlow = true
  const [, degraded] = await talk.ask('again', /^Two\.\n\nAnswered without what was said before: /)
  assert.equal(degraded?.entities.at(-1)?.type, 'italic')
  isSlow = false
  await settled(talk)
  await talk.ask('many words '.repeat(300), /^Three\.\n\ndemo saw about 3 of [\d,]+ tokens/)
  assert.equal(talk.fake.shows(FAKE_CHAT).length, 3)
})
