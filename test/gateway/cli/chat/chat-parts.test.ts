// Parts of a chat that only compute: what a line means, what could follow it, and the line at the bottom.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nearestCommand, typed } from '../../../../src/gateway/cli/chat/commands/command.ts'
import { completing } from '../../../../src/gateway/cli/chat/commands/complete.ts'
import { compact, createTally } from '../../../../src/gateway/cli/chat/footer.ts'
import { openHistory } from '../../../../src/gateway/cli/chat/history.ts'
import { createChatScreen } from '../../../../src/gateway/cli/chat/screen.ts'
import { createVoices } from '../../../../src/gateway/cli/chat/voices.ts'
import { aligned } from '../../../../src/gateway/cli/output/aligned.ts'
import { byWords } from '../../../../src/gateway/cli/output/by-words.ts'
import { inkFor } from '../../../../src/gateway/cli/output/ink.ts'
import type { Event, Fact } from '../../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../../src/model/ids.ts'
import type { Usage } from '../../../../src/model/message/delta.ts'
import type { Receipt } from '../../../../src/model/receipt.ts'
import type { Session } from '../../../../src/model/session.ts'
import { FOLD } from '../../../../src/model/settings/council.ts'
import { tempHome } from '../turnwise.ts'

test('a slash and a word are a command, a path is not, and two slashes say one', () => {
  assert.deepEqual(typed('/Fork 12 '), { type: 'command', name: 'fork', rest: '12' })
  assert.deepEqual(typed('/name Plans\nfor spring'), { type: 'command', name: 'name', rest: 'Plans\nfor spring' })
  for (const text of ['/etc/hosts', '/ alone', 'and/or', ' x /new']) assert.deepEqual(typed(text), { type: 'text', text })
  assert.deepEqual(typed('//new'), { type: 'text', text: '/new' })
  const known = ['context', 'council', 'cost', 'copy']
  assert.deepEqual(
    ['con', 'cotext', 'csot', 'kitchen'].map(name => nearestCommand(name, known)),
    ['context', 'context', 'cost', undefined],
  )
})

test('Tab knows commands, what belongs behind them, names behind an @, and files', t => {
  const home = tempHome(t)
  mkdirSync(join(home, 'folder'), { recursive: true })
  for (const name of ['one.txt', 'one.md', '.hidden']) writeFileSync(join(home, name), '')
  const complete = completing({
    commands: ['new', 'name', 'model'],
    agents: () => ['poet', 'plain'],
    councils: () => ['board'],
    advisors: () => ['anna'],
    models: () => ['demo'],
    policies: () => ['steady', 'short'],
  })
  const choices = (text: string): readonly string[] => {
    const { from, choices: found } = complete(text, text.length)
    return found.map(choice => text.slice(0, from) + choice)
  }
  assert.deepEqual(choices('/n'), ['/new ', '/name '])
  assert.deepEqual(choices('/new p'), ['/new poet', '/new plain'])
  assert.deepEqual(choices('/policy s'), ['/policy steady', '/policy short'])
  assert.deepEqual(choices('/model d'), ['/model demo', '/model default'])
  assert.deepEqual(choices('@p'), ['@poet ', '@plain '])
  assert.deepEqual(choices('say it, @a'), ['say it, @anna '])
  assert.deepEqual(choices('say it @p'), [])
  assert.deepEqual(choices('mail a@p'), [])
  assert.deepEqual(choices(`/file ${home}/one`).toSorted(), [`/file ${home}/one.md`, `/file ${home}/one.txt`])
  assert.deepEqual(choices(`/file ${home}/f`), [`/file ${home}/folder/`])
  assert.deepEqual(choices(`/file ${home}/.h`), [`/file ${home}/.hidden`])
  assert.deepEqual(choices('/file nowhere/x'), [])
})

test('the line at the bottom has the last message and the sum, and fits', () => {
  const about = { agent: 'poet', council: null, title: 'Odd \u001b[2J', policy: 'steady', model: null } as Session
  const event = (fact: Fact, seq: number): Event => ({ ...fact, session: 'ses_1' as SessionId, seq, at: '', tokens: 0 })
  const turn = 'trn_1' as TurnId
  const used = (usage: Usage): Event => event({ type: 'reply.finished', turn, step: 1, parts: [], usage }, 3)
  const tokens = { estimated: 4700, limit: 272_000 }
  const receipt = { model: 'anthropic/x', tokens, in: [], out: [] } as unknown as Receipt
  const tally = createTally()
  tally.begin({ input: 20_000, output: 300, cacheRead: 0, costUsd: 0.5 })
  assert.equal(tally.line(about, 90), 'Σ ↑20k ↓300 $0.50 · Odd ␛[2J · poet · steady')
  tally.hear(event({ type: 'turn.started', turn, voice: 'poet', cause: 1 }, 2))
  tally.hear(event({ type: 'context.planned', turn, step: 1, receipt }, 2))
  tally.hear(used({ input: 900, output: 44, cacheRead: 3800, cacheWrite: 0, costUsd: 0.009 }))
  const whole = 'anthropic/x · ↑900 ↓44 R3.8k $0.009 · ctx 1.7%/272k · Σ ↑21k ↓344 R3.8k $0.51 · Odd ␛[2J · poet · steady'
  assert.equal(tally.line(about, 200), whole)
  assert.equal(tally.line(about, 30), `${whole.slice(0, 29)}…`)
  // What the model did not see is said, and only then.
  tally.hear(event({ type: 'context.planned', turn, step: 2, receipt: { ...receipt, seen: { messages: 506, of: 20_000 } } }, 4))
  assert.equal(tally.line(about, 200), whole.replace('/272k', '/272k · saw 506 of 20,000'))
  tally.hear(event({ type: 'context.planned', turn, step: 3, receipt: { ...receipt, seen: { messages: 12, of: 12 } } }, 5))
  assert.equal(tally.line(about, 200), whole)
  // So is what it saw in summary, and what was recalled for it.
  const recall = { messages: 4 } as Receipt['recall'] & object
  const folded = { ...receipt, recall, seen: { messages: 6, of: 64, folded: 58 } }
  tally.hear(event({ type: 'context.planned', turn, step: 4, receipt: folded }, 6))
  assert.equal(tally.line(about, 200), whole.replace('/272k', '/272k · saw 6 of 64, 58 summarized, 4 recalled'))
  tally.hear(event({ type: 'context.planned', turn, step: 5, receipt }, 7))
  // What was counted before anybody listened is counted once.
  tally.begin({ input: 900, output: 44, cacheRead: 3800, costUsd: null })
  tally.recall([used({ input: 900, output: 44, cacheRead: 3800, cacheWrite: 0 })])
  assert.equal(tally.line(about, 200), '↑900 ↓44 R3.8k · Odd ␛[2J · poet · steady')
  // What is nothing is said of the last message, not of the sum.
  tally.begin({ input: 0, output: 0, cacheRead: 0, costUsd: 0 })
  tally.hear(event({ type: 'turn.started', turn, voice: 'poet', cause: 5 }, 6))
  tally.hear(used({ input: 8, output: 3, cacheRead: 0, cacheWrite: 0, costUsd: 0 }))
  assert.equal(tally.line(about, 200), '↑8 ↓3 R0 $0.00 · Odd ␛[2J · poet · steady')
  assert.deepEqual([999, 1000, 1049, 9960, 10_499, 999_499, 999_500].map(compact), [
    '999',
    '1k',
    '1k',
    '10k',
    '10k',
    '999k',
    '1M',
  ])
})

test('what is growing goes on under what the house says in between', () => {
  const printed: string[] = []
  let live: string | undefined
  const screen = createChatScreen({
    above: text => printed.push(text),
    live: text => {
      live = text
    },
    columns: () => 80,
  })
  screen.write('one\ntw')
  screen.between('· a note')
  screen.write('o')
  screen.live(['row'])
  assert.deepEqual([printed, live], [['one\n', '· a note\n'], 'two\nrow'])
  screen.gap()
  screen.gap()
  assert.deepEqual([printed.slice(2), live], [['two', '\n'], 'row'])
})

test('a line that is too long is cut between words, and goes on under its last column', () => {
  assert.deepEqual(byWords('· a line of words', 10), ['· a line', '  of words'])
  assert.deepEqual(byWords('  /fork [seq]   from here or from there', 28), [
    '  /fork [seq]   from here or',
    '                from there',
  ])
  assert.deepEqual(byWords('  a column   which stands too far off', 18), ['  a column   which', '    stands too far', '    off'])
  const [first, second] = byWords(`  \x1b[36m/name\x1b[0m  漢字 漢字`, 13)
  assert.deepEqual([first, second], ['  \x1b[36m/name\x1b[0m  漢字', '    漢字'])
  assert.deepEqual(byWords('as it  is', 9), ['as it  is'])
  assert.deepEqual(byWords('unbreakable', 5), ['unbreakable'])
})

test('columns stand under each other however wide their signs are', () => {
  assert.deepEqual(
    aligned([
      ['漢字', 'x'],
      ['abcdef', '12'],
      ['a', '1,234'],
    ]),
    ['  漢字     x', '  abcdef      12', '  a        1,234'],
  )
})

test('what was typed is there the next time, and a damaged line is passed over', t => {
  const home = tempHome(t)
  mkdirSync(home)
  openHistory(home).add('one\ntwo')
  writeFileSync(join(home, 'chat-history'), `"first"\nnot json\n{}\n`, { flag: 'a' })
  openHistory(home).add('last')
  assert.deepEqual(openHistory(home).lines, ['one\ntwo', 'first', 'last'])
  const nowhere = openHistory(join(home, 'nowhere'))
  nowhere.add('lost')
  assert.deepEqual(nowhere.lines, [])
})

test('of a summary that a model makes a chat shows one line, and none of its words', () => {
  const printed: string[] = []
  const screen = createChatScreen({ above: text => printed.push(text), live: () => undefined, columns: () => 80 })
  const shown = {
    screen,
    ink: inkFor({}, {}),
    color: false,
    shade: () => ({}) as never,
    note: () => undefined,
    isOwn: () => false,
  }
  const voices = createVoices(shown)
  const turn = 'trn_1' as TurnId
  const facts: readonly Fact[] = [
    { type: 'turn.started', turn, voice: FOLD, cause: 1, fold: { from: 1, to: 58 } },
    { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: 'They met.' }], internal: true },
    { type: 'history.folded', from: 1, to: 58, text: 'They met.', by: 'model', turn, folded: 9300 },
    { type: 'turn.ended', turn, voice: FOLD, reason: 'done' },
  ]
  for (const [index, fact] of facts.entries())
    voices.hear({ type: 'event', event: { ...fact, session: 'ses_1' as SessionId, seq: index + 60, at: '', tokens: 410 } })
  assert.equal(printed.join('').trim(), '— Messages 1–58 summarized · 9,300 → 410 tokens —')
})
