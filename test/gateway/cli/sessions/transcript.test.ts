// How a conversation is printed: while it is said, and afterwards.
import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import type { Signal } from '../../../../src/engine.ts'
import { inkFor } from '../../../../src/gateway/cli/output/ink.ts'
import { createTranscript } from '../../../../src/gateway/cli/sessions/transcript.ts'
import { oneVoiceAtATime } from '../../../../src/gateway/cli/talk/one-voice-at-a-time.ts'
import { textSpeaker } from '../../../../src/gateway/cli/talk/speaker.ts'
import type { Event, Fact, Part } from '../../../../src/model/event.ts'
import { fault } from '../../../../src/model/fault.ts'
import type { SessionId, TurnId } from '../../../../src/model/ids.ts'

const AT = '2026-01-02T12:00:00.000Z'
const CUT = fault('unreachable', 'the connection was reset')
const [FIRST, SECOND] = ['trn_1' as TurnId, 'trn_2' as TurnId]

const events = (facts: readonly Fact[]): readonly Event[] =>
  facts.map((fact, index) => ({ ...fact, session: 'ses_1' as SessionId, seq: index + 1, at: AT, tokens: 1 }))

const text = (words: string): Part => ({ type: 'text', text: words })
const asked: Fact = { type: 'message.received', text: 'hi', from: 'person' }
const starts = (turn: TurnId, more: Partial<Extract<Fact, { type: 'turn.started' }>> = {}): Fact => ({
  ...{ type: 'turn.started', turn, voice: 'assistant', cause: 1 },
  ...more,
})
const breaks = (turn: TurnId, step: number, ...parts: readonly Part[]): Fact => ({
  type: 'reply.broken',
  turn,
  step,
  parts,
  fault: CUT,
})
const says = (turn: TurnId, step: number, ...parts: readonly Part[]): Fact => ({ type: 'reply.finished', turn, step, parts })
const ends = (turn: TurnId, reason: 'done' | 'failed' | 'interrupted' | 'cancelled' = 'done'): Fact => ({
  ...{ type: 'turn.ended', turn, voice: 'assistant', reason },
  ...(reason === 'failed' || reason === 'interrupted' ? { fault: CUT } : {}),
})

/** The lines without day and time, which depend on the reader's place. */
function shown(facts: readonly Fact[]): readonly string[] {
  const transcript = createTranscript(inkFor({}, {}))
  const lines = [...events(facts).flatMap(transcript.lines), ...transcript.end()]
  return lines.filter(line => line !== '' && !/^\d{1,2} \w+ \d{4}$/.test(line)).map(line => line.replace(/ \d\d:\d\d$/, ''))
}

test('what was cut off and went on is one text, however often it was', () => {
  const call: Part = { type: 'call', call: 'c1', tool: 'clock', args: '{"z' }
  const facts = [
    asked,
    starts(FIRST),
    breaks(FIRST, 1, text('One, '), call),
    breaks(FIRST, 2, text('two, ')),
    says(FIRST, 3, text('three.')),
  ]
  const whole = ['you', 'hi', 'assistant', 'One, two, three.', '↻ was interrupted and went on']
  assert.deepEqual(shown([...facts, ends(FIRST)]), whole)
  assert.deepEqual(shown(facts), whole)
  assert.deepEqual(
    shown(facts.slice(0, 3)),
    ['you', 'hi', 'assistant', 'One, ', '→ clock "{\\"z"'].map(line => line.trimEnd()),
  )
  assert.deepEqual(shown([...facts.slice(0, 4), ends(FIRST, 'cancelled')]).slice(3), [
    'One, two,',
    '↻ was interrupted and went on',
    '■ stopped by a person',
  ])
})

const LIMIT = '■ cut off at the reply limit; "turnwise resume" continues it'
const stops = (turn: TurnId, step: number, words: string): Fact => ({
  ...{ type: 'reply.finished', turn, step, parts: [text(words)], stop: 'length' },
})

test('an answer that was continued after its limit is one text, unless something was said in between', () => {
  const cut = [asked, starts(FIRST), stops(FIRST, 1, 'One, '), ends(FIRST)]
  const again = [starts(SECOND, { resumes: FIRST, continues: true }), says(SECOND, 2, text('two.')), ends(SECOND)]
  assert.deepEqual(shown(cut).slice(3), ['One,', LIMIT])
  assert.deepEqual(shown([...cut, ...again]).slice(2), ['assistant', 'One, two.'])
  assert.deepEqual(shown([...cut, asked]).slice(3), ['One,', LIMIT, 'you', 'hi'])
  assert.deepEqual(shown([...cut, asked, ...again]).slice(3), ['One,', LIMIT, 'you', 'hi', 'assistant', '↻ continued', 'two.'])
  const third = 'trn_3' as TurnId
  assert.deepEqual(
    shown([
      ...[...cut, starts(SECOND, { resumes: FIRST, continues: true }), stops(SECOND, 2, 'two, '), ends(SECOND)],
      ...[starts(third, { resumes: SECOND, continues: true }), says(third, 3, text('three.')), ends(third)],
    ]).slice(3),
    ['One, two, three.'],
  )
})

test('who follows a conversation reads an answer that reached its limit at once, and what continues it below', () => {
  const transcript = createTranscript(inkFor({}, {}))
  const facts = [asked, starts(FIRST), stops(FIRST, 1, 'One, '), ends(FIRST)]
  const followed = [...facts, starts(SECOND, { resumes: FIRST, continues: true }), says(SECOND, 2, text('two.')), ends(SECOND)]
  const lines = events(followed).flatMap(event => [...transcript.lines(event), ...transcript.atLimit()])
  assert.deepEqual(
    lines.filter(line => /One|limit|continued|two/.test(line)),
    ['One,', LIMIT, '↻ continued', 'two.'],
  )
})

test('a turn that goes on with another one says with which kind', () => {
  const left = (reason: 'failed' | 'interrupted' | 'cancelled'): readonly string[] =>
    shown([
      asked,
      starts(FIRST),
      breaks(FIRST, 1, text('Half')),
      ends(FIRST, reason),
      starts(SECOND, { resumes: FIRST }),
      says(SECOND, 1, text('Whole.')),
    ])
  assert.deepEqual(left('failed').slice(3), [
    'Half',
    '✗ not answered: the connection was reset',
    'assistant',
    '↻ tried again after it failed',
    'Whole.',
  ])
  assert.deepEqual(left('interrupted').slice(4, 7), [
    '■ interrupted: the connection was reset',
    'assistant',
    '↻ gone on with after it was interrupted',
  ])
  assert.deepEqual(left('cancelled').slice(4, 7), ['■ stopped by a person', 'assistant', '↻ gone on with after it was stopped'])
})

test('a council is shown by names, with its exchanges and what was made of them', () => {
  assert.deepEqual(
    shown([
      { ...asked, to: ['ann'] } as Fact,
      starts(FIRST, { voice: 'ann', name: 'Ann' }),
      says(FIRST, 1, text('Yes.')),
      { type: 'message.received', text: '[Answer each other.]', from: 'council', exchange: { round: 1, of: 2 } },
      starts(SECOND, { voice: 'house:synthesis', name: 'Synthesis', mode: 'brief' }),
      says(SECOND, 1, text('They agree.')),
    ]),
    ['you, to ann', 'hi', 'Ann', 'Yes.', '— the advisors answer each other, round 1 of 2 —', 'Synthesis (brief)', 'They agree.'],
  )
})

/** What is on stdout after these signals, where somebody watches or nobody does. */
function printed(signals: readonly Signal[], isWatched: boolean): string {
  let stdout = ''
  const into = new Writable({
    write: (chunk, _, done) => {
      stdout += chunk
      done()
    },
  })
  const terminal = {
    argv: [],
    environment: {},
    stdin: Readable.from([]),
    stdout: into,
    stderr: new Writable({ write: (_chunk, _, done) => done() }),
  }
  const floor = oneVoiceAtATime(textSpeaker(terminal, { quiet: false }), isWatched)
  for (const signal of signals) floor.hear(signal)
  floor.end()
  return stdout
}

const heard = (facts: readonly Fact[]): readonly Signal[] => events(facts).map(event => ({ type: 'event', event }))
const delta = (turn: TurnId, step: number, offset: number, words: string): Signal => ({
  type: 'delta',
  delta: { turn, step, kind: 'text', part: 0, offset, text: words },
})

test('an answer that is cut off goes on in the same line', () => {
  const [message, started, broken, finished, ended] = heard([
    asked,
    starts(FIRST),
    breaks(FIRST, 1, text('One, two')),
    says(FIRST, 2, text(', three.')),
    ends(FIRST),
  ]) as [Signal, Signal, Signal, Signal, Signal]
  const live = [
    message,
    started,
    delta(FIRST, 1, 0, 'One, '),
    delta(FIRST, 1, 5, 'two'),
    broken,
    delta(FIRST, 2, 0, ', thr'),
    finished,
    ended,
  ]
  assert.equal(printed(live, true), 'One, two, three.\n')
  assert.equal(printed([message, started, broken, finished, ended], false), 'One, two, three.\n')
})

test('voices side by side are printed one after the other: who speaks first where somebody watches, else who is done first', () => {
  const [ann, bo, annEnds, boEnds] = heard([
    starts(FIRST, { voice: 'ann', name: 'Ann' }),
    starts(SECOND, { voice: 'bo', name: 'Bo' }),
    ends(FIRST),
    ends(SECOND),
  ]) as [Signal, Signal, Signal, Signal]
  const signals = [
    ann,
    bo,
    delta(FIRST, 1, 0, 'I '),
    delta(SECOND, 1, 0, 'No.'),
    delta(FIRST, 1, 2, 'think'),
    boEnds,
    delta(FIRST, 1, 7, ' so.'),
    annEnds,
  ]
  assert.equal(printed(signals, true), '## Ann\n\nI think so.\n\n## Bo\n\nNo.\n')
  assert.equal(printed(signals, false), '## Bo\n\nNo.\n\n## Ann\n\nI think so.\n')
  assert.equal(printed(signals.slice(0, 4), true), '## Ann\n\nI \n\n## Bo\n\nNo.\n', 'what broke off is printed all the same')
})
