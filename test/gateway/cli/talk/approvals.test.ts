// Calls that ask, from the command line: denied where nobody is, waiting beside a gateway, asked about on a terminal.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters as plainly } from 'node:util'
import { runCommandLine } from '../../../../src/gateway/cli/command-line.ts'
import { serve, start, tempHome, turnwise } from '../turnwise.ts'

const SHA = createHash('sha256')
  .update(readFileSync(join(import.meta.dirname, '../../../../bin/turnwise')))
  .digest('hex')

const create = (name: string): string => `use notes_create ${JSON.stringify({ name, text: '- [ ] milk' })}`

test('alone and without a terminal a call that asks is denied, and the model reads why', async t => {
  const home = tempHome(t)
  const { code, stdout } = await turnwise(['ask', create('Today')], { home })
  assert.equal(code, 0)
  assert.match(stdout, /denied: nobody is there to allow it; nothing was run/)
  assert.ok(!existsSync(join(home, 'notes')))
})

test('beside a gateway it waits, is listed, and is answered by another command', async t => {
  const home = tempHome(t)
  await serve(t, { home })
  const asking = start(['ask', create('Today')], { home })
  const stderr: string[] = []
  const told = new Promise<string>(resolve => {
    asking.child.stderr?.on('data', text => {
      stderr.push(String(text))
      const [, id] = /turnwise approvals (apr_\w+) once/.exec(stderr.join('')) ?? []
      if (id !== undefined) resolve(id)
    })
  })
  const id = await told
  assert.match(stderr.join(''), /notes_create waits for a person: turnwise notes-create --name Today --text "- \[ \] milk"/)
  assert.match(stderr.join(''), new RegExp(`Program +\\S+/bin/turnwise\n +SHA-256 +${SHA}\n +Variables +.*PATH`))
  const listed = JSON.parse((await turnwise(['approvals', '--json'], { home })).stdout)
  assert.deepEqual(
    listed.items.map((item: { approval: string; tool: string }) => [item.approval, item.tool]),
    [[id, 'notes_create']],
  )
  const page = (await turnwise(['approvals'], { home })).stdout
  assert.match(page, new RegExp(`${id} {2}turnwise notes-create`))
  assert.match(page.replace(/\s+/g, ' '), new RegExp(`Program \\S+/bin/turnwise SHA-256 ${SHA} Variables .*PATH`))
  const misused = await turnwise(['approvals', id, 'perhaps'], { home })
  assert.deepEqual([misused.code, misused.stderr], [2, `turnwise: say how: turnwise approvals ${id} once|session|always|deny\n`])
  const answered = await turnwise(['approvals', id, 'always', '--json'], { home })
  assert.deepEqual([answered.code, JSON.parse(answered.stdout)], [0, { approval: id, answer: 'always' }])
  const { code, stdout } = await asking.ended
  assert.equal(code, 0)
  assert.match(stdout, /The tool answered: done/)
  assert.match(readFileSync(join(home, 'notes/Today.md'), 'utf8'), /- \[ \] milk/)
  const grants = async () => JSON.parse((await turnwise(['grants', '--json'], { home })).stdout).items
  const [granted] = await grants()
  assert.deepEqual([granted.tool, granted.session, granted.facts.binary.sha256], ['notes_create', null, SHA])
  const twice = await turnwise(['approvals', id, 'deny'], { home })
  assert.match(twice.stderr, /answered already; the first answer counts/)
  // What was always allowed is not asked again.
  assert.equal((await turnwise(['ask', create('Tomorrow')], { home })).code, 0)
  assert.ok(existsSync(join(home, 'notes/Tomorrow.md')))
  assert.match((await turnwise(['grants'], { home })).stdout, /notes_create, always, since 20/)
  assert.equal((await turnwise(['grants', '--revoke', granted.id], { home })).code, 0)
  assert.deepEqual(await grants(), [])
  const gone = await turnwise(['grants', '--revoke', granted.id], { home })
  assert.deepEqual([gone.code, gone.stderr], [1, 'turnwise: nothing was granted under that id\n'])
})

test('without a gateway there is nothing to answer', async t => {
  const home = tempHome(t)
  await turnwise(['ask', 'hello'], { home })
  const { code, stderr } = await turnwise(['approvals'], { home })
  assert.deepEqual([code, stderr], [1, 'turnwise: no gateway is running, so nothing waits; start one with "turnwise serve"\n'])
})

test('on a terminal the person is asked, and only an answer counts', async t => {
  const home = tempHome(t)
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let shown = ''
  let questions = 0
  const screen = (): Writable & { isTTY: boolean; columns: number } =>
    Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          shown += String(chunk)
          const asked = shown.split('[n] no: ').length - 1
          if (asked > questions) {
            questions = asked
            stdin.write(asked === 1 ? 'what?\n' : 'y\n')
          }
          done()
        },
      }),
      { isTTY: true, columns: 80 },
    )
  const environment = { TURNWISE_HOME: home, TURNWISE_DEMO_DELAY_MS: '0', PATH: process.env.PATH, OLLAMA_HOST: '127.0.0.1:9' }
  const code = await runCommandLine({ argv: ['ask', create('Today')], environment, stdin, stdout: screen(), stderr: screen() })
  assert.equal(code, 0)
  assert.equal(questions, 2)
  assert.match(plainly(shown), /May notes_create run this\?\n {2}turnwise notes-create --name Today --text "- \[ \] milk"/)
  assert.match(plainly(shown), new RegExp(`SHA-256 +${SHA}`))
  assert.ok(existsSync(join(home, 'notes/Today.md')))
})

test('skills and tools are listed, for people and for programs', async t => {
  const home = tempHome(t)
  await turnwise(['ask', 'hello'], { home })
  const skills = await turnwise(['skills'], { home })
  assert.match(skills.stdout, /^ {2}clock +\d+ in full +\d+ listed +clock_now/)
  const { items, mode } = JSON.parse((await turnwise(['skills', '--json'], { home })).stdout)
  assert.equal(mode, 'auto')
  assert.deepEqual(
    items.map(({ name }: { name: string }) => name),
    ['clock', 'notes'],
  )
  const tools = await turnwise(['tools'], { home })
  assert.match(tools.stdout, /notes_create +asks/)
  assert.match(tools.stdout, /notes_read +runs/)
})
