// A gateway that is killed while a tool runs: the process goes with it, the call is settled as unknown, and it never runs twice.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { spawnGateway, temporary } from '../gateway/http/child.ts'
import { clientOf } from '../gateway/http/client.ts'
import { isEvent } from '../gateway/http/frames.ts'

/** Notes its own process in a file, then works for a long time. */
const PROGRAM = `#!/bin/sh
echo $$ >> "$1"
exec sleep 60
`

const TOOLS = {
  tools: [
    {
      name: 'toil',
      description: 'Works for long',
      parameters: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
      readOnly: true,
      timeoutMs: 90_000,
    },
  ],
  allowlist: { toiler: [''] },
  execution: [{ tool: 'toil', binary: 'toiler', subcommand: '', args: [{ param: 'file', kind: 'positional' }] }],
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('killed in the middle of a tool: nothing is left running, and the effect happened once', {
  skip: process.platform === 'linux' ? false : 'a parent’s death is told to its children by Linux alone',
  timeout: 60_000,
}, async t => {
  const folder = temporary(t)
  const home = join(folder, 'home')
  const marks = join(folder, 'marks')
  mkdirSync(join(home, 'skills/toil'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'skills/toil/SKILL.md'), '---\nname: toil\ndescription: Works\n---\nUse toil.\n')
  writeFileSync(join(home, 'skills/toil/tools.json'), JSON.stringify(TOOLS))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/toiler'), PROGRAM)
  chmodSync(join(folder, 'bin/toiler'), 0o755)
  writeFileSync(marks, '')
  const environment = { PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter), TURNWISE_DEMO_DELAY_MS: '0' }

  const marked = new Promise<void>(resolve => {
    const watcher = watch(marks, () => {
      if (readFileSync(marks, 'utf8') === '') return
      watcher.close()
      resolve()
    })
  })
  const first = spawnGateway(t, { home, environment })
  const client = clientOf(await first.listening)
  const session = await client.open()
  const stream = await client.say(session, `use toil ${JSON.stringify({ file: marks })}`)
  await stream.until(isEvent('tool.started'))
  await marked
  const [pid = 0] = readFileSync(marks, 'utf8').trim().split('\n').map(Number)
  assert.ok(isAlive(pid))
  first.kill('SIGKILL')
  await first.exited
  for (let tries = 0; isAlive(pid) && tries < 100; tries += 1) await pause(20)
  assert.ok(!isAlive(pid), 'the tool’s process is gone')

  const second = spawnGateway(t, { home, environment })
  const again = clientOf(await second.listening)
  await (await again.follow(session)).until(isEvent('turn.ended'))
  const events = await again.events(session)
  const settled = events.filter(({ type }) => type === 'tool.settled')
  assert.deepEqual(
    settled.map(({ ok, outcome }) => [ok, outcome]),
    [[false, 'interrupted, its effects are unknown']],
  )
  assert.equal(events.at(-1)?.type, 'turn.ended')
  await again.talk(session, 'say 3 words')
  assert.equal(readFileSync(marks, 'utf8').trim().split('\n').length, 1, 'it ran once')
})
