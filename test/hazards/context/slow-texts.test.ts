// One text must never keep everyone waiting. The texts are the worst that the search in test/long found, at and below each limit.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fenced } from '../../../src/archive/output/quoted-markdown.ts'
import { jobs } from '../../../src/archive/text-thread/jobs.ts'
import { createTextThread } from '../../../src/archive/text-thread/text-thread.ts'
import type { VoiceId } from '../../../src/model/voice.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { settled, startTalk } from '../../gateway/telegram/talk.ts'
import { ask, openSession } from '../../support/engine.ts'
import { startGateway } from '../../support/gateway.ts'
import { textOf } from '../../support/slow-texts.ts'
import { TEXT_READERS } from '../../support/text-readers.ts'
import { longestStall, MOST_STALL_MS, STALL_TRIES, shortest } from '../../support/thread-time.ts'

const of = (unit: string, size: number, before = '', after = ''): string => textOf({ before, unit, after, isNested: false }, size)

const quick = (ms: number, what: string): void => assert.ok(ms < MOST_STALL_MS, `${what}: ${Math.round(ms)} ms`)

describe('a reply that is made to be slow is exported, and nobody waits for it', () => {
  const REPLIES: Readonly<Record<string, string>> = {
    'headings below lines, 40 KB': of('a\n-\n', 40_000),
    'headings below lines, 80 KB': of('a\n-\n', 80_000),
    'headings below lines, 199 KB': of('a\n-\n', 199_000),
    'headings below lines, the longest that is read': of('===* \n-\n', 500_000),
    'underscores, 24 KB': of('_a', 24_000),
    'quotes that go on without their mark': of('\n> |-|\n|', 256_000),
    'lists within lists': of('- - - a\n', 200_000),
    'many paragraphs of open marks': of('*a _b ~c [d](e \n\n', 200_000),
    'stars and code that never end, the longest reply': of('\n[…`', 2 ** 20),
  }
  for (const [name, text] of Object.entries(REPLIES)) {
    test(name, async t => {
      const { engine, url } = await startGateway(t, { provider: scriptedProvider([says(text)]), inMemory: true })
      const session = await openSession(engine)
      await ask(engine, session, 'go')
      for (const format of ['html', 'markdown']) {
        const exported = async (): Promise<void> => {
          const response = await fetch(`${url}/api/sessions/${session}/export?format=${format}`)
          for await (const _ of response.body ?? []);
        }
        quick(await longestStall(exported), format)
      }
    })
  }
})

test('what is exported of a slow reply has every word of it, and what stands beside it is read', async t => {
  const slow = of('_a', 3900)
  const provider = scriptedProvider([says(`**calm** river\n\n${slow}\n\n- wide\n- sky`)])
  const { engine, url } = await startGateway(t, { provider, inMemory: true })
  const session = await openSession(engine)
  await ask(engine, session, 'go')
  const page = await (await fetch(`${url}/api/sessions/${session}/export?format=html`)).text()
  assert.match(page, /<strong>calm<\/strong> river<\/p><pre class="plain">/)
  assert.ok(page.includes(slow))
  assert.match(page, /<ul><li><p>wide<\/p><\/li><li><p>sky<\/p><\/li><\/ul>/)
})

describe('an answer that is made to be slow is shown in Telegram, and nobody waits for it', () => {
  const ANSWERS: Readonly<Record<string, string>> = {
    'underscores, 24 KB': of('_a', 24_000),
    'headings below lines, 24 KB': of('a\n-\n', 24_000),
    'exclamation marks, 24 KB': of('!', 24_000),
    'spaces with nowhere to cut, 40 KB': of(' ', 40_000, 'a.\n  "; ( ́>', 'b'),
    'one that fits into a message': of('\n\na\n-  \n=', 4096),
  }
  for (const [name, text] of Object.entries(ANSWERS)) {
    test(name, async t => {
      const talk = await startTalk(t, { provider: scriptedProvider(Array.from({ length: STALL_TRIES }, () => says(text))) })
      const answered = async (): Promise<void> => {
        const before = talk.fake.shows().length
        talk.fake.writes({ text: 'go' })
        await talk.shows('an answer', messages => messages.length > before)
        await settled(talk)
      }
      quick(await longestStall(answered), name)
    })
  }
})

describe('nothing that reads texts on the thread of the gateway takes long', () => {
  /** For each reader the worst texts that were found, as they were before they were bounded. */
  const WORST: Readonly<Record<string, readonly (readonly [unit: string, before?: string, after?: string])[]>> = {
    'a short Telegram answer': [['!'], ['_́', 'title:'], ['|-|\n'], ['\n\na\n-  \n=', "{é\n> '"]],
    'the title in an answer': [
      ['`\t', '[A: "\t', 'www.'],
      ['* ', 'a'],
    ],
    'the suggestion in an answer': [['{"'], ['{']],
    'the tokens of a text': [['a@'], ['* 。', ',§'], [' ']],
    'the tools in a reply': [['\n    '], ['\u2028'], ['\n-\n'], ['\\[\n\n§call:'], ['\n§']],
    'a reply as its model wrote it': [['\n§end'], ['\n']],
    'a transcript, written': [['\r==='], ['\n']],
    'a transcript, read': [['\n\n$result: \\[']],
    'what goes on after a cut': [['a\n-\n*_ '], ['a']],
    "a council's answer, written": [['\u2028'], [' '], ['\\']],
    "a council's answer, read": [['\n'], ['”\n\n\\(']],
    "a provider's complaint without its keys": [['…'], ['sk-aaaaaaaa…']],
    'a line for people': [[' '], ['\t']],
    'a note that is searched': [['\n']],
    'the words of a search': [['é ']],
    'a message without the name of its bot': [
      ['  ', '“\n\n…'],
      ['@bot ', '', 'a'],
    ],
    'a command to the bot': [[' ', '/a']],
  }
  for (const [name, { limit, read }] of Object.entries(TEXT_READERS)) {
    test(name, async () => {
      for (const [unit, before = '', after = ''] of WORST[name] ?? assert.fail('its worst texts are not known')) {
        for (const size of [limit / 16, limit / 4, limit]) {
          const ms = await shortest(() => read(of(unit, size, before, after)))
          quick(ms, `${size} characters of ${JSON.stringify([before, unit, after])}`)
        }
      }
    })
  }
})

test('a synthesis of nothing but brackets is checked, and nobody waits for it', async () => {
  const text = of('[a]: ', 150_000)
  const source = { voice: 'a' as VoiceId, label: 'A', text, seq: 1 }
  const checked = async (): Promise<void> => {
    assert.notEqual(await jobs.call('attribute', text, [source]), undefined)
  }
  quick(await longestStall(checked), 'attribution')
})

test('a text that takes too long is given up after its time, and the next one is read', async () => {
  const thread = createTextThread<typeof import('./endless.ts')>({
    module: new URL('./endless.ts', import.meta.url),
    mostMs: 300,
  })
  const given = [thread.call('length', 'ab'), thread.call('endless'), thread.call('length', 'abc')]
  assert.deepEqual(await Promise.all(given), [2, undefined, 3])
  await assert.rejects(thread.call('broken'), /a bug/)
  assert.equal(await thread.call('length', ''), 0, 'a bug costs the thread nothing')
})

test('a text that takes all memory ends its thread, and nothing else', async () => {
  const thread = createTextThread<typeof import('./endless.ts')>({
    module: new URL('./endless.ts', import.meta.url),
    mostMs: 60_000,
    mostMegabytes: 64,
  })
  assert.equal(await thread.call('greedy'), undefined)
  assert.equal(await thread.call('length', 'a'), 1)
})

test('a fence is found for a text with hundreds of thousands of them', () => {
  const text = ' ```\n'.repeat(300_000)
  assert.ok(fenced(text).startsWith('````\n'))
})
