// Summaries in a chat: made by a command that answers when they are there, listed, read, and named by /context.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../../src/index.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says } from '../../../src/testing/scripted.ts'
import { startFakeTelegram } from '../../../src/testing/telegram/fake-telegram.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { answer, folder, folding, isForFold, numberIn, question, SUMMARY } from '../../support/folding.ts'
import { refusals, settled, startTalk, type Talk } from './talk.ts'

const HOUSE = { policies: [folding()], policy: 'folding' }

/** Three questions, answered. */
async function talked(talk: Talk): Promise<void> {
  for (const n of [1, 2, 3]) await talk.ask(question(n), new RegExp(`Ticket T-${1000 + n} is noted`))
}

test('/compact answers when the summary is there, /folds lists and reads it, /context says so', async t => {
  const talk = await startTalk(t, { ...HOUSE, provider: folder() })
  await talk.ask('/compact', /^Nothing was said here yet\.$/)
  await talk.ask('/folds', /Nothing was said here yet\.$/)
  await talked(talk)
  await talk.ask('/folds', /^Nothing is summarized here yet\. \/compact does it now\.$/)
  await talk.ask('/compact', /^Messages 1–\d+ summarized · [\d,]+ → [\d,]+ tokens\. \/folds reads it\.$/)
  await talk.ask('/folds', /^1\. Messages 1–\d+ summarized · [\d,]+ → [\d,]+ tokens\n\n\/folds and a number reads one\.$/)
  await talk.ask('/folds 1', new RegExp(`^Messages 1–\\d+ summarized[^\\n]+\\n\\n${SUMMARY}`))
  await talk.ask('/folds 7', /^There is no summary of that number\./)
  await talk.ask('/folds one', /^There is no summary of that number\./)
  await talk.ask(question(4), /Ticket T-1004 is noted[\s\S]*\n\n\d of \d messages are sent as a summary\. \/context says more\.$/)
  await talk.ask(
    '/context',
    /\nsaw \d of \d+ messages, and \d in summary\n(?:[^\n]+\n)*Summarized: messages 1–\d+ \(\d+ tokens\)\n/,
  )
  await talk.ask('/help', /\/compact: summarize what was said so far\n\/folds: /)
  assert.deepEqual(refusals(talk.fake), [])
})

test('a message does not wait for a summary that is being made', async t => {
  const wait = gate()
  async function* slowly(): AsyncGenerator<Delta> {
    await wait.passed
    yield* says(SUMMARY)
  }
  const talk = await startTalk(t, { ...HOUSE, provider: folder(slowly) })
  await talked(talk)
  talk.fake.writes({ text: '/compact' })
  await talk.ask(question(4), /Ticket T-1004 is noted/)
  assert.ok(!talk.fake.shows().some(({ text }) => /summarized/.test(text)))
  wait.open()
  await talk.shows('the summary', messages => messages.some(({ text }) => /^Messages 1–\d+ summarized/.test(text)))
  await settled(talk)
})

test('in a council a summary is made for one advisor, who is named', async t => {
  const provider = stand(request => (isForFold(request) ? says(SUMMARY) : says(answer(numberIn(request)))))
  const council = councilOf([advisor('ann', { policy: 'folding' }), advisor('ben', { policy: 'folding' })])
  const talk = await startTalk(t, { ...HOUSE, policies: [folding({ view: 'own' })], provider, councils: () => [council] })
  await talk.ask(`/council ${council.key}`, /answers here now/)
  for (const n of [1, 2, 3]) {
    talk.fake.writes({ text: question(n) })
    await talk.shows(
      'two answers',
      messages => messages.filter(({ text }) => text.includes(`T-${1000 + n} is noted`)).length === 2,
    )
  }
  await talk.ask('/compact', /voice: each advisor has its own view; name one of ann/)
  await talk.ask('/compact ann', /^Messages 1–\d+ summarized/)
})

test('a summary that a restart cut short is answered for all the same', async t => {
  const fake = await startFakeTelegram()
  t.after(fake.close)
  const log = memoryLog({ clock: Date.now, weigh })
  const never = async function* (_: unknown, signal: AbortSignal): AsyncGenerator<Delta> {
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
    yield { type: 'fault', fault: { kind: 'cancelled', message: 'stopped', retryable: false } }
  }
  const first = await startTalk(t, { ...HOUSE, fake, log, provider: folder(never) })
  await talked(first)
  fake.writes({ text: '/compact' })
  await fake.until(() => first.engine.approvals().length === 0 && fake.calls.length > 0, 'it is taken')
  const remembered = async (): Promise<boolean> => {
    const kept = await first.engine.remembered('telegram', 'update:')
    return kept.ok && [...kept.value.values()].some(value => JSON.parse(value).task.turn !== undefined)
  }
  while (!(await remembered())) await new Promise(resolve => setImmediate(resolve))
  await first.door.stop(0)
  await first.engine.close(0)
  const second = await startTalk(t, { ...HOUSE, fake, log, provider: folder() })
  await second.shows('an answer', messages => messages.some(({ text }) => /summar|stopped|interrupted/i.test(text)))
  await settled(second)
})
