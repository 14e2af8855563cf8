import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { newestSession, runFileOf, serve, sessionsOf, start, tempHome, turnwise } from '../turnwise.ts'

test('beside a running gateway every command works, and ask goes through it', async t => {
  const home = tempHome(t)
  const gateway = await serve(t, { home })
  const asked = await turnwise(['ask', 'hello'], { home })
  assert.deepEqual([asked.code, asked.stderr], [0, ''])
  assert.match(asked.stdout, /^I am the demo model.*“hello”\n\nConnect a real model .*\n$/)
  const id = newestSession({ home })
  const heard = (await (await fetch(`${gateway.url}/api/sessions/${id}/events`)).json()) as { items: { type: string }[] }
  assert.equal(heard.items.at(-1)?.type, 'turn.ended')

  const dry = JSON.parse((await turnwise(['ask', '--dry-run', '--json', '-s', id, 'again'], { home })).stdout)
  const again = await turnwise(['ask', '--json', '-s', id, 'again'], { home })
  const planned = again.stdout
    .split('\n')
    .filter(line => line.includes('"context.planned"'))
    .map(line => JSON.parse(line))
  assert.equal(planned[0]?.receipt.digest, dry.receipt.digest)

  for (const args of [
    ['show', id],
    ['context', id, '--why'],
    ['verify', '--all'],
    ['backup', join(home, 'copy.db')],
  ]) {
    const { code, stderr } = await turnwise(args, { home })
    assert.deepEqual([code, stderr], [0, ''])
  }
  const doctor = await turnwise(['doctor'], { home })
  assert.equal(doctor.code, 0)
  assert.ok(doctor.stdout.includes(`running at ${gateway.url}, process ${runFileOf(home).pid}`))
  assert.equal((await gateway.stop()).code, 0)
})

test('signals are the same with a gateway and without', async t => {
  const heard = (stdout: string): unknown => {
    const signals = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; text?: string })
    // Whoever joins late hears the beginning as one delta, so only their words can be compared.
    const words = signals.flatMap(signal => (signal.type === 'delta' ? [signal.text] : [])).join('')
    // A reply that took no whole millisecond has no times.
    const keysOf = (signal: object): readonly string[] => Object.keys(signal).filter(key => key !== 'took')
    return { words, events: signals.filter(signal => signal.type !== 'delta').map(keysOf) }
  }
  const alone = await turnwise(['ask', '--json', 'use clock {}'], { home: tempHome(t) })
  const home = tempHome(t)
  await serve(t, { home })
  const attached = await turnwise(['ask', '--json', 'use clock {}'], { home })
  assert.deepEqual(heard(attached.stdout), heard(alone.stdout))
})

test('a gateway with a token is reached with it, and an unknown session is said in one line', async t => {
  const home = tempHome(t)
  await serve(t, { home, env: { TURNWISE_TOKEN: 'a-token-that-is-long-enough' } })
  assert.equal((await turnwise(['ask', 'hello'], { home })).code, 0)
  const unknown = await turnwise(['ask', '-s', 'ses_none', 'hello'], { home })
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^turnwise: there is no session ses_none; [^\n]+\n$/)
})

test('Ctrl-C cancels the turn in the gateway too', async t => {
  const home = tempHome(t)
  await serve(t, { home, env: { TURNWISE_DEMO_DELAY_MS: '10' } })
  const asking = start(['ask', 'say 5000 words'], { home })
  await asking.says('calm river')
  asking.child.kill('SIGINT')
  assert.equal((await asking.ended).code, 130)
  assert.match((await turnwise(['show', newestSession({ home })], { home })).stdout, /■ stopped by a person\n$/)
})

test('a gateway that goes away in the middle of an answer is said, with where to look', async t => {
  const home = tempHome(t)
  const gateway = await serve(t, { home, env: { TURNWISE_DEMO_DELAY_MS: '10' } })
  const asking = start(['ask', 'say 5000 words'], { home })
  await asking.says('calm river')
  process.kill(runFileOf(home).pid, 'SIGKILL')
  const { code, stderr } = await asking.ended
  assert.equal(code, 1)
  assert.match(stderr, /^turnwise: the gateway went away; .*"turnwise show ses_[a-z0-9]+" has what was said\n$/)
  assert.equal((await gateway.running.ended).signal, 'SIGKILL')
})

test('a file left behind by a gateway that is gone is not believed', async t => {
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  const stranger = createServer((_, response) => response.end('{"status":"something else"}')).listen(0, '127.0.0.1')
  t.after(() => stranger.close())
  await once(stranger, 'listening')
  const strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const other = tempHome(t)
  const otherGateway = await serve(t, { home: other })
  const files = {
    'a dead process': { url: 'http://127.0.0.1:9', pid: dead.pid, token: null },
    'a living process and a closed port': { url: 'http://127.0.0.1:9', pid: process.pid, token: null },
    'a living process and another program': { url: strangerUrl, pid: process.pid, token: null },
    'the gateway of another workspace': { url: otherGateway.url, pid: process.pid, token: null },
    'no address at all': { pid: process.pid },
  }
  for (const [name, file] of Object.entries(files)) {
    const home = tempHome(t)
    mkdirSync(home)
    writeFileSync(join(home, 'run.json'), JSON.stringify(file))
    const { code, stderr } = await turnwise(['ask', 'hello'], { home })
    assert.deepEqual([code, stderr], [0, ''], name)
    assert.equal(sessionsOf({ home }).length, 1, name)
  }
  assert.equal(sessionsOf({ home: other }).length, 0)
})

test('doctor names a port that someone else has', async t => {
  const stranger = createServer().listen(0, '127.0.0.1')
  t.after(() => stranger.close())
  await once(stranger, 'listening')
  const home = tempHome(t)
  await turnwise(['ask', 'hello'], { home })
  const env = { TURNWISE_PORT: String((stranger.address() as AddressInfo).port) }
  const { code, stdout } = await turnwise(['doctor'], { home, env })
  assert.equal(code, 1)
  assert.match(stdout, / {2}bad {3}gateway .*EADDRINUSE\)\n +→ stop that program, or choose another with TURNWISE_PORT\n/)
})
