// A person talks to the bot, and is answered: sessions, commands, files, several voices.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delta } from '../../../src/model/message/delta.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { gate } from '../../support/engine.ts'
import { eventsIn, refusals, sessionOf, settled, startTalk } from './talk.ts'

const texts = (messages: readonly { readonly text: string }[]): readonly string[] => messages.map(({ text }) => text)

test('the first message opens a session, the next goes on in it, and each answer is a reply', async t => {
  const talk = await startTalk(t, { provider: scriptedProvider([says('Hel', 'lo.'), says('Again.')]) })
  await talk.ask('Good day', /^Hello\.$/)
  const first = await sessionOf(talk)
  const shown = await talk.ask('And?', /^Again\.$/)
  assert.equal(await sessionOf(talk), first)
  assert.deepEqual(texts(shown), ['Hello.', 'Again.'])
  const written = talk.fake.calls.filter(({ method }) => method === 'sendMessage')
  assert.deepEqual(
    written.map(({ payload }) => payload.reply_parameters),
    [1, 3].map(message_id => ({ message_id, allow_sending_without_reply: true })),
  )
  assert.ok(written.every(({ payload }) => (payload.link_preview_options as { is_disabled: boolean }).is_disabled))
  const said = (await eventsIn(talk, first)).flatMap(event => (event.type === 'message.received' ? [event] : []))
  assert.deepEqual(
    said.map(({ text, key }) => [text, key]),
    [
      ['Good day', 'telegram:1000'],
      ['And?', 'telegram:1001'],
    ],
  )
  assert.deepEqual(refusals(talk.fake), [])
})

test('an answer grows in one message while it is said, at no more than the pace', async t => {
  const [half, rest] = [gate(), gate()]
  async function* slowly(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'One ' }
    await half.passed
    yield { type: 'text', text: 'two ' }
    await rest.passed
    yield { type: 'text', text: 'three.' }
    yield { type: 'done' }
  }
  const talk = await startTalk(t, { provider: scriptedProvider([slowly]) })
  await talk.ask('Count', /^One$/)
  half.open()
  await talk.shows('two', ([message]) => message?.text === 'One two')
  rest.open()
  const [message, ...more] = await talk.shows('three', ([each]) => each?.text === 'One two three.')
  assert.equal(more.length, 0)
  assert.equal(message?.edits, 2)
  assert.ok(talk.fake.calls.some(({ method, payload }) => method === 'sendChatAction' && payload.action === 'typing'))
})

test('/new, in any case and with the name of the bot, binds a fresh session and keeps the old one', async t => {
  const talk = await startTalk(t)
  await talk.ask('hello', /./)
  const first = await sessionOf(talk)
  await talk.ask('/NEW', /^A fresh session/)
  const second = await sessionOf(talk)
  assert.notEqual(second, first)
  await talk.ask(`/new@${talk.fake.username}`, /^A fresh session/)
  await settled(talk)
  const third = await sessionOf(talk)
  assert.equal(new Set([first, second, third]).size, 3)
  talk.fake.writes({ text: '/new@another_bot' })
  await talk.ask('how many messages do you see?', /1 message/)
  assert.equal(await sessionOf(talk), third)
  assert.ok((await talk.engine.session(first)).ok)
})

test('a topic of a forum and a group have sessions of their own', async t => {
  const talk = await startTalk(t, { chats: [-100] })
  talk.fake.writes({ chat: -100, text: 'a' })
  talk.fake.writes({ chat: -100, text: 'b', message_thread_id: 7, is_topic_message: true })
  await talk.shows('both answers', messages => messages.length === 2, -100)
  assert.deepEqual(new Set(talk.fake.shows(-100).map(({ topic }) => topic)), new Set([undefined, 7]))
  const sessions = await talk.engine.sessions({ limit: 9 })
  assert.equal(sessions.ok && sessions.value.items.length, 2)
  // In a group one speaks to a bot by its name, which is no part of what is said.
  await talk.ask(`@${talk.fake.username} what was my first message?`, /"?a"?/, -100)
  talk.fake.writes({ chat: -100, text: `@${talk.fake.username}` })
  await talk.shows('help', messages => messages.some(({ text }) => text.includes('/resume:')), -100)
  const page = await talk.engine.sessions({ limit: 9, query: 'turnwise_fake_bot' })
  assert.equal(page.ok && page.value.items.length, 0)
})

test('a session that was deleted elsewhere is followed by a fresh one, and that is said', async t => {
  const talk = await startTalk(t)
  await talk.ask('hello', /./)
  await settled(talk)
  const first = await sessionOf(talk)
  assert.ok((await talk.engine.remove(first)).ok)
  await talk.ask('are you there', /is gone; this is a fresh one/)
  await settled(talk)
  assert.notEqual(await sessionOf(talk), first)
  assert.equal(talk.fake.shows().length, 3)
})

const AGENTS = [
  { key: 'writer', name: 'Writer', prompt: '' },
  { key: 'critic', name: 'The Critic', prompt: '' },
]

test('/agent and /council list with a tick, and choose', async t => {
  const council = councilOf([advisor('ada'), advisor('bob')])
  const talk = await startTalk(t, { agents: () => AGENTS, councils: () => [council], provider: stand() })
  await talk.ask('/agent', /✓ writer Writer\n• critic The Critic/)
  await talk.ask('/agent the critic', /^The Critic answers here now/)
  await talk.ask('hello', /^critic says/)
  await talk.ask('/agents', /There is no such command/)
  await talk.ask('/agent nobody', /^There is no agent of that name/)
  await talk.ask('/council board', /^The council Board answers here now/)
  await talk.ask('/council', /✓ board Board/)
  talk.fake.writes({ text: 'What now?' })
  const shown = await talk.shows('both advisors', messages => messages.filter(({ text }) => /says 1\.$/.test(text)).length >= 3)
  assert.deepEqual(
    new Set(texts(shown).filter(text => text.includes('\n') && /says/.test(text))),
    new Set(['Ada\nada says 1.', 'Bob\nbob says 1.']),
  )
  const named = shown.find(({ text }) => text.startsWith('Ada'))
  assert.deepEqual(named?.entities, [{ type: 'bold', offset: 0, length: 3 }])
  await talk.ask('/new', /^A fresh session/)
  await talk.ask('/council', /✓ board Board/)
})

test('what cannot be changed while something is answered is said in words', async t => {
  const held = gate()
  async function* waits(): AsyncGenerator<Delta> {
    await held.passed
    yield* says('late')
  }
  const talk = await startTalk(t, {
    councils: () => [councilOf([advisor('ada')])],
    provider: scriptedProvider([waits]),
  })
  talk.fake.writes({ text: 'hello' })
  await talk.ask('/council board', /something is being answered here/)
  held.open()
  await talk.shows('the answer', messages => messages.some(({ text }) => text === 'late'))
})

test('a synthesis is a message of its own', async t => {
  const council = councilOf([advisor('ada'), advisor('bob')], { synthesis: 'brief' })
  const talk = await startTalk(t, { councils: () => [council], provider: stand(({ voice }) => says(`${voice} spoke`)) })
  await talk.ask('/council board', /answers here now/)
  talk.fake.writes({ text: 'Well?' })
  const shown = await talk.shows('the synthesis', messages => messages.some(({ text }) => text.startsWith('Synthesis (brief)')))
  assert.equal(shown.length, 4)
})

const USAGE = { input: 10, output: 5, cacheRead: 2, cacheWrite: 0 }

test('/context and /cost fit on a phone, /help and what is unknown are answered', async t => {
  const talk = await startTalk(t, { provider: scriptedProvider([[{ type: 'usage', usage: USAGE }, ...says('Hi there.')]]) })
  await talk.ask('/context', /^Nothing was said here yet\.$/)
  await talk.ask('hello', /^Hi there\.$/)
  await talk.ask('/context', /^assistant\ndemo · steady@\d+\n[\d,]+ of [\d,]+ tokens/)
  await talk.ask('/context', /nothing was left out/)
  await talk.ask('/cost', /^This session\n1 request · [^\n]+\n12 tokens in, 2 of them cached · 5 out\n\nToday/)
  await talk.ask('/help', /\/resume: continue/)
  await talk.ask('/start', /\/cancel: stop the answer/)
  await talk.ask('/nonsense', /There is no such command/)
  assert.deepEqual(refusals(talk.fake), [])
  const menu = talk.fake.calls.find(({ method }) => method === 'setMyCommands')?.payload.commands
  assert.match(JSON.stringify(menu), /"command":"resume"/)
})

test('an answer that no longer saw everything says so once, and /context says how much it saw', async t => {
  const talk = await startTalk(t, {
    policy: 'recent',
    provider: scriptedProvider(['One.', 'Two.', 'Three.', 'Four.', 'Five.'].map(words => says(words))),
  })
  for (const [text, answer] of [
    ['a', 'One'],
    ['b', 'Two'],
    ['c', 'Three'],
  ])
    await talk.ask(text ?? '', new RegExp(`^${answer}\\.$`))
  await talk.ask('/context', /tokens[^\n]*\nsaw all 5 messages\n/)
  await talk.ask('d', /^Four\.\n\n2 of 7 messages are no longer sent to the model\. \/context says more\.$/)
  await talk.ask('e', /^Five\.$/)
  await talk.ask('/context', /tokens[^\n]*\nsaw \d of 9 messages\n/)
})

test('/cancel stops the answer, and says so under it', async t => {
  async function* endless(_: unknown, signal: AbortSignal): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'It was a dark' }
    if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve))
    yield { type: 'fault', fault: { kind: 'cancelled', message: 'stopped', retryable: false } }
  }
  const talk = await startTalk(t, { provider: scriptedProvider([endless]) })
  await talk.ask('Tell', /^It was a dark$/)
  await talk.ask('/cancel', /^Stopped\. What was said/)
  const shown = await talk.shows('the end', ([first]) => first?.text === 'It was a dark\n\nStopped.')
  assert.equal(shown[0]?.entities.at(-1)?.type, 'italic')
  await talk.ask('/cancel', /^Nothing is being answered/)
})

test('what failed is said, and /resume answers it', async t => {
  const broken: readonly Delta[] = [{ type: 'fault', fault: { kind: 'overloaded', message: 'no room today', retryable: true } }]
  const talk = await startTalk(t, { provider: scriptedProvider([broken, says('Better now.')]), resume: { continuations: 0 } })
  await talk.ask('hello', /^It failed: no room today\. \/resume tries again\.$/)
  await talk.ask('/resume', /^Better now\.$/)
  await talk.ask('/resume', /there is nothing to go on with/)
})

test('an answer that was cut at its limit says so, and /resume continues it; one without a word is asked for again', async t => {
  const cut: readonly Delta[] = [
    { type: 'text', text: 'And so on' },
    { type: 'done', stop: 'length' },
  ]
  const thought: readonly Delta[] = [
    { type: 'think', text: 'Hm.' },
    { type: 'done', stop: 'length' },
  ]
  const talk = await startTalk(t, { provider: scriptedProvider([cut, says(' and on.'), thought, says('Yes.')]) })
  await talk.ask('go', /^And so on\n\nCut off at the reply limit\. \/resume continues it\.$/)
  await talk.ask('/resume', /^\s*and on\.$/)
  await talk.ask('well?', /^The answer is empty\. \/resume asks again\.$/)
  await talk.ask('/resume', /^Yes\.$/)
})

test('photos, PDF and text files come along; the rest is said to be no use', async t => {
  const talk = await startTalk(t)
  const { fake } = talk
  fake.holds(
    'pic',
    Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'),
  )
  fake.holds('notes', Buffer.from('remember the milk'))
  fake.holds('zip', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]))
  fake.writes({ caption: 'look', photo: [{ file_id: 'small' }, { file_id: 'pic', file_size: 70 }] })
  await talk.shows('an answer', messages => messages.length === 1)
  fake.writes({ document: { file_id: 'notes', file_name: 'notes.txt', mime_type: 'text/plain' } })
  await talk.shows('a second', messages => messages.length === 2)
  await settled(talk)
  fake.writes({ document: { file_id: 'zip', file_name: 'all.zip' } })
  await talk.shows('no zip', messages => messages.at(-1)?.text.startsWith('“all.zip” cannot be taken') === true)
  fake.writes({ document: { file_id: 'huge', file_name: 'huge.iso', file_size: 30_000_000 } })
  await talk.shows('too large', messages => messages.at(-1)?.text.startsWith('“huge.iso” is too large') === true)
  fake.writes({ voice: { file_id: 'v' } })
  await talk.shows(
    'no voice',
    messages => messages.at(-1)?.text === 'I cannot take a voice message. Text, photos and text files I can.',
  )
  const events = await eventsIn(talk, await sessionOf(talk))
  const parts = events.flatMap(event => (event.type === 'message.received' ? (event.parts ?? []) : []))
  assert.deepEqual(
    parts.map(part => [part.type, part.mediaType]),
    [
      ['image', 'image/png'],
      ['text', 'text/plain'],
    ],
  )
})

test('what is said while a turn runs is heard, and answered once', async t => {
  const held = gate()
  async function* waits(): AsyncGenerator<Delta> {
    yield { type: 'text', text: 'First' }
    await held.passed
    yield { type: 'done' }
  }
  const talk = await startTalk(t, { provider: scriptedProvider([waits, says('Second')]) })
  await talk.ask('one', /^First$/)
  talk.fake.writes({ text: 'two' })
  await talk.fake.until(() => talk.fake.confirmed() >= 1001, 'the second is taken')
  held.open()
  const shown = await talk.shows('the second answer', messages => messages.some(({ text }) => text === 'Second'))
  await settled(talk)
  assert.deepEqual(
    shown.map(({ text, replyTo }) => [text, replyTo]),
    [
      ['First', 1],
      ['Second', 3],
    ],
  )
})

test('a refusal of the engine is said to whoever spoke', async t => {
  const talk = await startTalk(t, {
    councils: () => [councilOf([advisor('ada', { active: false })])],
    provider: stand(),
  })
  await talk.ask('/council board', /answers here now/)
  await talk.ask('hello', /every advisor is hidden/)
})
