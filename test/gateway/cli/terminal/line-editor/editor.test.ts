import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import type { Terminal } from '../../../../../src/gateway/cli/output/terminal.ts'
import { canEdit, createEditor, type Editor } from '../../../../../src/gateway/cli/terminal/line-editor/editor.ts'
import { openScreen } from '../../../../support/terminal/screen.ts'

type Fake = {
  readonly editor: Editor
  readonly type: (text: string) => void
  readonly shows: (text: string) => Promise<void>
  readonly raw: boolean[]
  readonly kept: string[]
  /** Time passes only when this is called. */
  readonly pause: (ms: number) => void
}

/** An editor on streams that claim to be a terminal. */
function fake(t: TestContext, takesInterrupt: () => boolean = () => false): Fake {
  const screen = openScreen(50, 12)
  const raw: boolean[] = []
  const kept: string[] = []
  let clock = 0
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 50, rows: 12 })
  const terminal: Terminal = { argv: [], environment: {}, stdin, stdout, stderr: new PassThrough() }
  stdout.setEncoding('utf8').on('data', (text: string) => screen.write(text, () => undefined))
  assert.ok(canEdit(terminal))
  assert.equal(canEdit({ ...terminal, environment: { TERM: 'dumb' } }), false)
  assert.equal(canEdit({ ...terminal, stdin: new PassThrough() }), false)
  const editor = createEditor(terminal, {
    history: [],
    complete: (_, from) => ({ from, choices: [] }),
    onHistory: line => kept.push(line),
    takesInterrupt,
    now: () => clock,
  })
  t.after(() => {
    editor.close()
    screen.close()
  })
  const pause = (ms: number): void => {
    clock += ms
  }
  const shows = async (text: string): Promise<void> => {
    for (const until = Date.now() + 10_000; !screen.rows().join('\n').includes(text); await soon())
      assert.ok(Date.now() < until, `the screen does not show ${text}:\n${screen.rows().join('\n')}`)
  }
  return { editor, type: text => stdin.write(text), shows, raw, kept, pause }
}

const FOR_EVER = new AbortController().signal
const LONG = { timeout: 60_000 }

test('a Ctrl-C while nobody reads is for whoever is waited for, if anybody is', LONG, async t => {
  let isWaiting = true
  let taken = 0
  const { editor, type } = fake(t, () => {
    if (isWaiting) taken += 1
    return isWaiting
  })
  type('\x03')
  while (taken === 0) await soon()
  isWaiting = false
  type('\x03')
  assert.deepEqual(await editor.read(), { type: 'interrupt', text: '' })
  assert.equal(taken, 1)
})

test('what is typed ahead of a reading is read next', LONG, async t => {
  const { editor, type, kept } = fake(t)
  const first = editor.read()
  type('one\r secret\rthree')
  assert.deepEqual(await first, { type: 'submit', text: 'one' })
  assert.deepEqual(await editor.read(), { type: 'submit', text: ' secret' })
  type('\r')
  assert.deepEqual(await editor.read(), { type: 'submit', text: 'three' })
  assert.deepEqual(kept, ['one', 'three'])
})

test('a question in the middle of a word is not answered by the word', LONG, async t => {
  const { editor, type, shows, pause } = fake(t)
  const reading = editor.read()
  type('hel')
  await shows('> hel')
  const taken = new AbortController()
  const answer = editor.key('may it? ', ['y', 'n'], taken.signal)
  await shows('may it?')
  type('y')
  await soon()
  taken.abort()
  assert.equal(await answer, undefined)
  await shows('> hely')
  const again = editor.key('now? ', ['y', 'n'], FOR_EVER)
  await shows('now?')
  pause(1000)
  type('y')
  assert.equal(await again, 'y')
  pause(1000)
  type('\r')
  assert.deepEqual(await reading, { type: 'submit', text: 'hely' })
})

test('a line end behind an answer does not send the draft', LONG, async t => {
  const { editor, type, shows } = fake(t)
  const reading = editor.read({ initial: 'a draft' })
  const answer = editor.key('may it? ', ['y', 'n'], FOR_EVER)
  await shows('may it?')
  type('q')
  type('N')
  assert.equal(await answer, 'n')
  type('\r')
  await shows('> a draft')
  type('!\r')
  assert.deepEqual(await reading, { type: 'submit', text: 'a draft!' })
})

test('Ctrl-C takes a question back and interrupts who reads, and questions wait for each other', LONG, async t => {
  const { editor, type, shows } = fake(t)
  const reading = editor.read()
  const answers = [editor.key('first? ', ['y'], FOR_EVER), editor.key('second? ', ['y'], FOR_EVER)]
  await shows('first?')
  type('\x03')
  assert.deepEqual(await reading, { type: 'interrupt', text: '' })
  await shows('second?')
  type('y')
  assert.deepEqual(await Promise.all(answers), [undefined, 'y'])
})

test('what is printed while somebody else has the terminal appears afterwards', LONG, async t => {
  const { editor, shows, raw } = fake(t)
  void editor.read({ prompt: 'say> ' })
  editor.live('an answer so')
  editor.footer('42 tokens')
  await shows('an answer so\nsay>\n42 tokens')
  await editor.away(async () => {
    editor.above('printed meanwhile')
    assert.deepEqual(raw, [true, false])
  })
  assert.deepEqual(raw, [true, false, true])
  await shows('printed meanwhile\nan answer so\nsay>\n42 tokens')
  editor.live(undefined)
  await shows('printed meanwhile\nsay>\n42 tokens')
})

test('closing ends what waits, and gives everything back', LONG, async t => {
  const listening = process.listenerCount('SIGTERM')
  const { editor, raw } = fake(t)
  const waiting = [editor.read(), editor.key('? ', ['y'], FOR_EVER)]
  await soon()
  editor.close()
  assert.deepEqual(await Promise.all(waiting), [{ type: 'end' }, undefined])
  assert.deepEqual(await editor.read(), { type: 'end' })
  assert.deepEqual(raw, [true, false])
  assert.equal(process.listenerCount('SIGTERM'), listening)
})
