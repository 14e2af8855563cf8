import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { cleanEnvironment, newestSession, PROGRAM, runFileOf, serve, start, tempHome, turnwise } from './turnwise.ts'

/** The Node of the machine, as someone has it who never ran `npm ci`. */
function globalNode(): { readonly path: string; readonly version: string } | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  const folder = folders.find(each => existsSync(join(each, 'node')))
  if (folder === undefined) return undefined
  const version = execFileSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' }).trim()
  return { path: folders.join(delimiter), version }
}

const found = globalNode()

test('the launcher runs under the machine’s own Node and brings the right one', {
  skip: found === undefined ? 'no global node' : false,
}, async t => {
  const home = tempHome(t)
  const env = { PATH: found?.path ?? '' }
  const { code, stdout, stderr } = await turnwise(['ask', 'hello'], { home, env })
  assert.equal(code, 0, `under ${found?.version}: ${stderr}`)
  assert.match(stdout, /“hello”/)
  assert.equal((await turnwise(['frob'], { home, env })).code, 2)
  const { stdout: checks } = await turnwise(['doctor', '--json'], { home, env })
  assert.equal(JSON.parse(checks).checks[0].found, process.versions.node)
})

const isOld = found !== undefined && Number.parseInt(found.version.slice(1), 10) < 24

test('without a Node that will do, the launcher says in one line what to install', {
  skip: isOld ? false : 'no old global node',
}, t => {
  const folder = join(tempHome(t), 'bin')
  mkdirSync(folder, { recursive: true })
  copyFileSync(PROGRAM, join(folder, 'turnwise'))
  const { status, stdout, stderr } = spawnSync(join(folder, 'turnwise'), ['ask', 'hello'], {
    env: cleanEnvironment(folder, { PATH: found?.path ?? '' }),
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^turnwise: Node 24 or newer is needed; run "npm ci" in [^\n]+\n$/)
})

test('a signal to the launcher reaches the gateway, which stops in order', async t => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const home = tempHome(t)
    const { running } = await serve(t, { home })
    const { pid } = runFileOf(home)
    running.child.kill(signal)
    const { code, stderr } = await running.ended
    assert.deepEqual([code, stderr], [0, ''], signal)
    assert.ok(!existsSync(join(home, 'run.json')))
    assert.throws(() => process.kill(pid, 0), 'the gateway is gone')
  }
})

test('Ctrl-C in a terminal reaches both, and counts once', async t => {
  const home = tempHome(t)
  const child = spawn(PROGRAM, ['ask', 'say 5000 words'], {
    env: cleanEnvironment(home, { TURNWISE_DEMO_DELAY_MS: '10' }),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await once(child.stdout, 'data')
  process.kill(-(child.pid ?? 0), 'SIGINT')
  const [code] = await once(child, 'exit')
  assert.equal(code, 130)
  assert.match((await turnwise(['show', newestSession({ home })], { home })).stdout, /■ stopped by a person\n$/)
})

test('a gateway that is killed ends its launcher in the same way', async t => {
  const home = tempHome(t)
  const { running } = await serve(t, { home })
  process.kill(runFileOf(home).pid, 'SIGKILL')
  assert.equal((await running.ended).signal, 'SIGKILL')
  assert.ok(existsSync(join(home, 'run.json')))
  assert.equal((await turnwise(['ask', 'still there?'], { home })).code, 0)
})

test('a reader that has seen enough is no trouble', async t => {
  const home = tempHome(t)
  await turnwise(['ask', 'say 15000 words'], { home })
  const id = newestSession({ home })
  for (const command of [`show ${id}`, `show ${id} --json`, 'ask "say 15000 words"']) {
    const script = `{ '${PROGRAM}' ${command}; echo "code $?" >&2; } | head -n 1`
    const { stdout, stderr } = spawnSync('sh', ['-c', script], {
      env: cleanEnvironment(home),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.equal(stderr, 'code 0\n', command)
    assert.ok(stdout.length > 10)
  }
})

test('a second gateway on a workspace is refused in one line', async t => {
  const home = tempHome(t)
  await serve(t, { home })
  const { code, stdout, stderr } = await start(['--port', '0'], { home }).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^turnwise: .*is in use by another Turnwise process; [^\n]+\n$/)
})
