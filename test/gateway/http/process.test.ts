// Safety row 4 and what an operator sees: how a gateway starts, refuses to, and stops.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openEngine } from '../../../src/engine.ts'
import { serve } from '../../../src/gateway/serve.ts'
import type { Environment } from '../../../src/gateway/workspace/settings.ts'
import { openWorkspace } from '../../../src/gateway/workspace/workspace.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Scope } from '../../support/gateway.ts'
import { type Child, type ChildOptions, spawnGateway, temporary } from './child.ts'
import { clientOf } from './client.ts'
import { isEvent } from './frames.ts'
import { dial } from './raw.ts'

const TOKEN = 'tw_0123456789abcdefghij'
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

suite('a gateway as a process', { concurrency: 4 }, () => {
  test('told to stop, it takes nothing new, keeps what was said so far, and ends well within ten seconds', async t => {
    const child = spawnGateway(t, { environment: { TURNWISE_DEMO_DELAY_MS: '20' } })
    const client = clientOf(await child.listening)
    const session = await client.open()
    const stream = await client.say(session, 'say 9999 words')
    const heard = await stream.until(isEvent('delta'))

    const told = performance.now()
    child.kill('SIGTERM')
    while (existsSync(join(child.home, 'run.json'))) await pause(5)
    const problem = await client.problem(503, 'overloaded', 'POST', `${session}/messages`, { body: { text: 'One more?' } })
    assert.match(problem.detail, /the gateway is stopping/)
    heard.push(...(await stream.rest()))
    assert.equal(await child.exited, 0)
    // Eight seconds are for what runs. A busy machine needs some for the rest, too.
    assert.ok(performance.now() - told < 15_000)
    assert.equal(child.stdout().split('\n').length, 2)

    const said = heard.flatMap(({ event, data }) => (event === 'delta' ? [data.text] : [])).join('')
    const broken = heard.find(isEvent('reply.broken'))?.data
    assert.equal(broken.parts[0].text, said)
    assert.equal(heard.at(-1)?.event, 'reply.broken', 'the turn has no end: it goes on at the next start')
    assert.ok(said.length > 100)

    const engine = await openEngine(join(child.home, 'turnwise.db'), { readOnly: true })
    assert.ok(engine.ok)
    const events = await engine.value.read(session.split('/').at(-1) as SessionId)
    await engine.value.close(0)
    assert.ok(events.ok)
    assert.deepEqual(
      events.value.map(event => event.type),
      ['message.received', 'turn.started', 'context.planned', 'reply.broken'],
    )
  })

  test('at level debug it says how long a session is and how much of it went in', async t => {
    const child = spawnGateway(t, { environment: { TURNWISE_LOG_LEVEL: 'debug', TURNWISE_DEMO_DELAY_MS: '0' } })
    const client = clientOf(await child.listening)
    const session = await client.open({ policy: 'recent' })
    for (const text of ['one', 'two', 'three', 'four']) await (await client.say(session, text)).rest()
    const id = session.split('/').at(-1)
    child.kill('SIGTERM')
    await child.exited
    const lines = child
      .stderr()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line).msg)
    assert.deepEqual(lines, [
      `Session loaded: ID=${id}, MessageCount=1`,
      'Context: Including all 1 messages',
      `Session loaded: ID=${id}, MessageCount=3`,
      'Context: Including all 3 messages',
      `Session loaded: ID=${id}, MessageCount=5`,
      'Context: Including all 5 messages',
      `Session loaded: ID=${id}, MessageCount=7`,
      'Context: Including 5 of 7 messages',
    ])
  })

  test('it says once where it listens, makes its workspace, and leaves nothing running behind', async t => {
    const child = spawnGateway(t)
    const url = await child.listening
    assert.deepEqual(await clientOf(url).json(200, 'GET', '/healthz'), { status: 'ok' })
    assert.deepEqual(await clientOf(url).json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
    await clientOf(url).open()

    const { home } = child
    assert.equal(modeOf(home), '700')
    const files = readdirSync(home).sort()
    for (const file of ['run.json', 'skills', 'turnwise.db', 'turnwise.json']) assert.ok(files.includes(file), file)
    for (const file of files.filter(name => !name.endsWith('.lock')))
      assert.equal(modeOf(join(home, file)), ['skills', 'prompts'].includes(file) ? '700' : '600', file)
    assert.match(readFileSync(join(home, 'turnwise.json'), 'utf8'), /^\/\/ Turnwise settings\./)
    assert.deepEqual(JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')), { url, pid: child.pid, token: null })

    child.kill('SIGTERM')
    assert.equal(await child.exited, 0)
    assert.ok(!existsSync(join(home, 'run.json')))
    assert.match(child.stdout(), /^[^\n]*listening on http:\/\/127\.0\.0\.1:\d+[^\n]*\n$/)
    assert.equal(child.stderr(), '')
    assert.equal(await portIsOpen(Number(new URL(url).port)), false)
  })

  test('a folder with files of its own gets no examples', async t => {
    const home = temporary(t)
    writeFileSync(join(home, 'notes.txt'), 'mine')
    const child = spawnGateway(t, { home })
    await child.listening
    child.kill('SIGINT')
    assert.equal(await child.exited, 0)
    assert.deepEqual(
      readdirSync(home).filter(name => !name.startsWith('turnwise.db')),
      ['notes.txt'],
    )
  })

  test('an address that others can reach is refused without a token, and its port stays closed', async t => {
    const [first, second] = [await freePort(), await freePort()]
    const exposed: readonly (readonly [number, ChildOptions])[] = [
      [first, { args: ['--host', '0.0.0.0', '--port', String(first)] }],
      [second, { environment: { TURNWISE_HOST: '::', TURNWISE_PORT: String(second), TURNWISE_TOKEN: '' } }],
    ]
    const refused = exposed.map(async ([port, options]) => {
      const child = spawnGateway(t, options)
      await refusesToStart(child, /is reachable by others, so a token is needed; set gateway\.token or TURNWISE_TOKEN/)
      assert.equal(await portIsOpen(port), false)
    })
    await Promise.all(refused)
  })

  test('with a token it starts there, and asks for the token', async t => {
    const child = spawnGateway(t, { args: ['--host', '0.0.0.0'], environment: { TURNWISE_TOKEN: TOKEN } })
    const url = `http://127.0.0.1:${new URL(await child.listening).port}`
    await clientOf(url).json(200, 'GET', '/healthz')
    await clientOf(url).problem(401, 'unauthorized', 'GET', '/api/sessions')
    await clientOf(url, TOKEN).json(200, 'GET', '/api/sessions')
    assert.equal(JSON.parse(readFileSync(join(child.home, 'run.json'), 'utf8')).token, TOKEN)
    child.kill('SIGTERM')
    assert.equal(await child.exited, 0)
    assert.ok(!`${child.stdout()}${child.stderr()}`.includes(TOKEN))
  })

  test('a second gateway on the same workspace says so, and the first goes on', async t => {
    const first = spawnGateway(t)
    const url = await first.listening
    const second = spawnGateway(t, { home: first.home })
    await refusesToStart(second, /is in use by another Turnwise process; stop that one first/)
    assert.equal(JSON.parse(readFileSync(join(first.home, 'run.json'), 'utf8')).pid, first.pid)
    await clientOf(url).open()
  })

  test('a port that is taken is said, and the process ends', async t => {
    const port = await takenPort(t)
    const child = spawnGateway(t, { args: ['--port', port] })
    await refusesToStart(child, new RegExp(`port ${port} is taken; choose another`))
    assert.ok(!existsSync(join(child.home, 'run.json')))
  })

  test('a store that is not built is refused without its password', async t => {
    const child = spawnGateway(t, { environment: { TURNWISE_STORE: 'postgres://me:s3cr3t/@pa@db.test/x?password=s3cr3t' } })
    await refusesToStart(child, /store: the address cannot be read; write "postgres:/)
    assert.ok(!/s3cr3t|@pa|db\.test/.test(child.stderr()), child.stderr())
  })
})

test('a gateway that could not begin leaves its workspace to the next one', async t => {
  const home = temporary(t)
  const begin = async (environment: Environment): ReturnType<typeof serve> => {
    const workspace = openWorkspace({ TURNWISE_HOME: home, TURNWISE_PORT: '0', ...environment }, { create: true })
    assert.ok(workspace.ok)
    return serve({ workspace: workspace.value, environment: {}, onBug: assert.ifError })
  }
  writeFileSync(join(home, 'turnwise.json'), '{ "policy": "recent" }')
  await assert.rejects(begin({ TURNWISE_HOST: '127.0.0.1', TURNWISE_PORT: await takenPort(t) }), { code: 'EADDRINUSE' })
  const serving = await begin({})
  assert.ok(serving.ok)
  assert.equal((await clientOf(serving.value.url).json(201, 'POST', '/api/sessions')).policy, 'recent')
  await serving.value.stop()
})

/** Ends by itself, not well, with nothing on stdout and one line on stderr. */
async function refusesToStart(child: Child, complaint: RegExp): Promise<void> {
  const code = await child.exited
  assert.ok(typeof code === 'number' && code > 0, `ended with ${code}`)
  assert.match(child.stderr(), /^turnwise: [^\n]+\n$/)
  assert.match(child.stderr(), complaint)
  assert.equal(child.stdout(), '')
}

async function takenPort(t: Scope): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  return String((server.address() as { port: number }).port)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

async function portIsOpen(port: number): Promise<boolean> {
  const { socket, closed } = dial(port)
  const open = await Promise.race([new Promise(resolve => socket.once('connect', () => resolve(true))), closed])
  socket.destroy()
  return open === true
}
