import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { NEEDS_PTY, type Pty, startInPty } from '../../../../support/terminal/pty.ts'
import { cleanEnvironment, tempHome } from '../../turnwise.ts'

const TINY = join(import.meta.dirname, 'tiny.ts')

/** The tiny program under a shell that says afterwards how the terminal was left. */
async function tiny(t: TestContext, env: Record<string, string> = {}): Promise<Pty> {
  const home = tempHome(t)
  mkdirSync(home, { recursive: true })
  const script = `'${process.execPath}' '${TINY}'; code=$?; stty -a | tr ';' '\\n' | grep -ow -e '-\\?icanon' -e '-\\?echo' | tr '\\n' ' '; echo "code $code"`
  const pty = startInPty(t, '/bin/sh', ['-c', script], { env: cleanEnvironment(home, env), columns: 50, rows: 16 })
  await pty.waitFor(screen => screen.includes('say>') && screen.includes('tiny footer'))
  return pty
}

/** Everything that was asked of the terminal was taken back, and it echoes lines again. */
async function isGivenBack(pty: Pty, code: number): Promise<void> {
  await pty.waitFor(`code ${code}`)
  assert.match(pty.screen().join('\n'), /(?<!-)icanon (?<!-)echo/)
  const modes = pty.escapes().filter(({ body }) => /^\?2004|^[<>]\d*u/.test(body))
  assert.deepEqual(
    modes.slice(-2).map(({ body }) => body),
    ['?2004l', '<u'],
  )
}

test('a person types, pastes, looks back, completes and leaves', NEEDS_PTY, async t => {
  const pty = await tiny(t)
  pty.type('hello')
  pty.press('Left', 'Left', 'Alt-Enter')
  await pty.waitFor('say> hel\n     lo')
  assert.deepEqual(pty.cursor(), { row: 1, column: 5 })
  pty.press('Enter')
  await pty.waitFor('[submit "hel\\nlo"]')
  pty.paste('one\ntwo \x1b]0;title\x07\n')
  await pty.waitFor('two ␛]0;title␇')
  pty.press('Enter')
  await pty.waitFor('[submit "one\\ntwo ␛]0;title␇\\n"]')
  assert.deepEqual(pty.titles(), [])
  pty.press('Up', 'Up', 'Up', 'Up')
  await pty.waitFor(screen => /say> hel\n {5}lo\ntiny footer$/.test(screen))
  pty.press('Ctrl-C')
  pty.type('/c\t\t')
  await pty.waitFor('/context  /cost  /council')
  pty.press('Ctrl-C', 'Ctrl-C')
  await pty.waitFor('[interrupt ""]')
  pty.type('quit\r')
  await isGivenBack(pty, 0)
  assert.equal(pty.screen().includes('tiny footer'), false)
})

test('a terminal of another size is drawn for anew, and nothing that was printed is lost', NEEDS_PTY, async t => {
  const pty = await tiny(t)
  pty.type(`first\r${'words '.repeat(12)}`)
  await pty.waitFor(/words words\s*\n/)
  pty.resize(24, 12)
  await pty.waitFor(/say> words words words\n {5}words words words\n/)
  pty.resize(100, 20)
  await pty.waitFor(/say> (words ?){12}\ntiny footer$/)
  assert.equal(pty.screen().filter(row => row === '[submit "first"]').length, 1)
  pty.type('\x15quit\r')
  await isGivenBack(pty, 0)
})

test('the terminal is given back when the program exits, crashes, or is told to end', NEEDS_PTY, async t => {
  const exiting = await tiny(t)
  exiting.type('exit\r')
  await isGivenBack(exiting, 7)
  const crashing = await tiny(t)
  crashing.type('crash\r')
  await isGivenBack(crashing, 1)
  for (const [name, code] of [
    ['TERM', 143],
    ['HUP', 129],
  ] as const) {
    const pty = await tiny(t)
    pty.type('pid\r')
    await pty.waitFor(/\[pid \d+\]/)
    process.kill(Number(/\[pid (\d+)\]/.exec(pty.screen().join('\n'))?.[1]), `SIG${name}`)
    await isGivenBack(pty, code)
  }
})

test('a question takes one key and leaves the draft alone', NEEDS_PTY, async t => {
  const pty = await tiny(t, { BUSY: '1' })
  pty.type('ask\r')
  await pty.waitFor('really?')
  pty.type('x')
  pty.type('Y')
  await pty.waitFor('[answer y]')
  pty.type('a draft')
  pty.press('Ctrl-C')
  await pty.waitFor('[interrupt "a draft"]')
  await pty.waitFor(/say> a draft\ntiny footer$/)
  pty.type('\x15quit\r')
  await isGivenBack(pty, 0)
})

test('Ctrl-Z stops the program for its shell, and it comes back as it was', NEEDS_PTY, async t => {
  const home = tempHome(t)
  mkdirSync(home, { recursive: true })
  const pty = startInPty(t, '/bin/bash', ['--norc', '--noprofile', '-i'], {
    env: { ...cleanEnvironment(home), PS1: 'shell$ ' },
    columns: 60,
    rows: 16,
  })
  await pty.waitFor('shell$')
  pty.type(`'${process.execPath}' '${TINY}'\r`)
  await pty.waitFor('tiny footer')
  pty.type('half a word')
  await pty.waitFor('say> half a word')
  pty.press('Ctrl-Z')
  await pty.waitFor(/Stopped[\s\S]*shell\$/)
  pty.type('echo "it $((1+1)) echoes"; fg\r')
  await pty.waitFor(screen => screen.includes('it 2 echoes') && /say> half a word\ntiny footer$/.test(screen))
  pty.type(' more\r')
  await pty.waitFor('[submit "half a word more"]')
  pty.type('quit\r')
  await pty.waitFor(/bye\nshell\$/)
  pty.type('exit\r')
  await pty.exit
})

test('a draft goes to an editor and comes back', NEEDS_PTY, async t => {
  const home = tempHome(t)
  mkdirSync(home, { recursive: true })
  const program = join(home, 'editor.cjs')
  writeFileSync(
    program,
    "const fs = require('node:fs'); const file = process.argv.at(-1); fs.writeFileSync(file, fs.readFileSync(file, 'utf8') + ' + edited ' + process.stdin.isTTY + process.stdin.isRaw)",
  )
  const pty = await tiny(t, { VISUAL: `'${process.execPath}' '${program}'` })
  pty.type('draft')
  pty.press('Ctrl-X', 'Ctrl-E')
  await pty.waitFor('say> draft + edited truefalse')
  pty.type('\r')
  await pty.waitFor('[submit "draft + edited truefalse"]')
  pty.type('quit\r')
  await isGivenBack(pty, 0)
})
