// Answers of `ask` and `show`: painted where somebody watches, as the model wrote them anywhere else.
import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import type { Signal } from '../../../../../src/engine.ts'
import { inkFor } from '../../../../../src/gateway/cli/output/ink.ts'
import type { Terminal } from '../../../../../src/gateway/cli/output/terminal.ts'
import { createTranscript } from '../../../../../src/gateway/cli/sessions/transcript.ts'
import { textSpeaker } from '../../../../../src/gateway/cli/talk/speaker.ts'
import { paintedWhole, painterFor } from '../../../../../src/gateway/cli/terminal/paint/on-terminal.ts'
import type { Recorded } from '../../../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../../../src/model/ids.ts'

const TURN = 'trn_1' as TurnId
const ANSWER = '## Plan\n\n- **one** and two, which are wrapped\n- \x1b[2J three\n'

function terminalOf(isTTY: boolean, environment: Record<string, string>): Terminal & { readonly text: () => string } {
  let seen = ''
  const sink = (isHeard: boolean): Writable =>
    new Writable({
      write: (chunk, _, done) => {
        if (isHeard) seen += String(chunk)
        done()
      },
    })
  const stdout = Object.assign(sink(true), { isTTY, columns: 24 })
  return { argv: [], environment, stdin: Readable.from([]), stdout, stderr: sink(false), text: () => seen }
}

const delta = (offset: number, text: string): Signal => ({
  type: 'delta',
  delta: { turn: TURN, step: 1, kind: 'text', part: 0, offset, text },
})

function asked(isTTY: boolean, environment: Record<string, string>): string {
  const terminal = terminalOf(isTTY, environment)
  const speaker = textSpeaker(terminal, { quiet: true })
  for (let at = 0; at < ANSWER.length; at += 3) speaker.hear(delta(at, ANSWER.slice(at, at + 3)))
  speaker.end()
  return terminal.text()
}

test('an answer is painted on a terminal as it comes, and plain in a pipe', () => {
  const bold = (text: string): string => `\x1b[1m${text}\x1b[0m`
  const painted = `${bold('Plan')}\n\n• ${bold('one')} and two, which are\n  wrapped\n• ␛[2J three\n`
  assert.equal(asked(true, { TERM: 'xterm' }), painted)
  assert.equal(
    asked(true, { TERM: 'xterm', NO_COLOR: '1' }),
    '## Plan\n\n• **one** and two, which\n  are wrapped\n• ␛[2J three\n',
  )
  const written = '## Plan\n\n- **one** and two, which are wrapped\n- ␛[2J three\n'
  assert.equal(asked(false, { TERM: 'xterm' }), written)
  assert.equal(asked(true, { TERM: 'dumb' }), written)
})

test('a conversation that is shown is painted in the same way; what a person wrote stays as it was', () => {
  const facts = { session: 'ses_1' as SessionId, at: '2026-01-02T12:00:00.000Z', tokens: 1 }
  const events: readonly Recorded[] = [
    { ...facts, seq: 1, type: 'message.received', text: '**hi**', from: 'person' },
    { ...facts, seq: 2, type: 'reply.finished', turn: TURN, step: 1, parts: [{ type: 'text', text: ANSWER }] },
  ]
  const terminal = terminalOf(true, { TERM: 'xterm', NO_COLOR: '1' })
  const painter = painterFor(terminal)
  assert.ok(painter !== null)
  const transcript = createTranscript(inkFor(terminal.stdout, terminal.environment), answer => paintedWhole(painter, answer))
  const lines = events.flatMap(transcript.lines)
  assert.ok(lines.includes('**hi**'))
  assert.ok(lines.includes('## Plan\n\n• **one** and two, which\n  are wrapped\n• ␛[2J three'))
})
