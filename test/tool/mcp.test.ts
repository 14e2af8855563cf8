// Real servers, made with the protocol's own library, behind pipes and behind addresses.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { RunFacts } from '../../src/model/approval.ts'
import { type Mcp, type McpOptions, type McpServer, openMcp } from '../../src/tool/mcp/servers.ts'
import { isReady, type Settlement, type Tool } from '../../src/tool/toolbox.ts'
import { ADDRESSES } from './mcp-addresses.ts'
import { type Door, type HttpServer, listen, newerDoor, olderDoor } from './mcp-http.ts'

const CHILD = join(import.meta.dirname, 'mcp-child.ts')
const VISITOR = join(import.meta.dirname, 'mcp-visitor.ts')
const child = (...args: string[]): McpServer => ({ command: process.execPath, args: [CHILD, ...args] })
const QUICK = { firstMs: 10, mostMs: 100 }

type Opened = Mcp & { readonly said: readonly string[]; readonly run: Run; readonly tool: (name: string) => Tool }
type Run = (name: string, args?: unknown, signal?: AbortSignal) => Promise<Settlement>

async function open(
  t: TestContext,
  servers: Readonly<Record<string, McpServer>>,
  options: Partial<McpOptions> = {},
): Promise<Opened> {
  const said: string[] = []
  const mcp = openMcp(servers, {
    environment: process.env,
    directory: import.meta.dirname,
    addresses: ADDRESSES,
    backoff: QUICK,
    // However busy the machine is.
    readyMs: 60_000,
    onTrouble: trouble => said.push(trouble),
    ...options,
  })
  t.after(mcp.close)
  await mcp.ready
  const tool = (name: string): Tool => {
    const found = mcp.tools().find(({ spec }) => spec.name === name)
    assert.ok(found, `${name} among ${mcp.tools().map(({ spec }) => spec.name)}; ${mcp.troubles()}`)
    return found
  }
  const run: Run = async (name, args = {}, signal = new AbortController().signal) => {
    const prepared = await tool(name).prepare(args)
    return isReady(prepared) ? prepared.run(signal) : prepared
  }
  return { ...mcp, said, run, tool }
}

const namesOf = (mcp: Mcp): readonly string[] => mcp.tools().map(({ spec }) => spec.name)
const isUp = (mcp: Mcp) => () => assert.ok(mcp.tools().length > 0, mcp.troubles().join())
const isDown = (mcp: Mcp) => () => assert.equal(mcp.tools().length, 0)

const KINDS: Readonly<Record<string, (t: TestContext) => Promise<McpServer>>> = {
  'a process of both protocols': async () => child('both'),
  'a process of the older protocol': async () => child('older'),
  'a process of the newer protocol': async () => child('newer'),
  'an address of both protocols': async t => ({ url: (await listen(t, state => newerDoor(state, 'stateless'))).url }),
  'an address of the older protocol': async t => ({ url: (await listen(t, olderDoor)).url }),
  'an address of the newer protocol': async t => ({ url: (await listen(t, newerDoor)).url }),
}

for (const [kind, serve] of Object.entries(KINDS)) {
  test(kind, async t => {
    const mcp = await open(t, { s: await serve(t) })
    const { run, said } = mcp

    await t.test('every kind of answer is read', async () => {
      assert.deepEqual(await run('s__echo', { say: 'hi\nthere' }), { ok: true, outcome: 'done', content: 'hi\nthere' })
      assert.deepEqual(await run('s__measure'), { ok: true, outcome: 'done', content: '{\n "metres": 3\n}' })
      assert.deepEqual(await run('s__picture'), {
        ok: true,
        outcome: 'done',
        content:
          'a cat\n[image png, 12 KB]\n[audio wav, 2 KB]\n[resource "file:///etc/motd" text/plain, 5 KB]\n[link "https://example.org/x"]',
        images: [{ name: 'image-2.png', mediaType: 'image/png', data: Buffer.alloc(12 * 1024).toString('base64') }],
      })
      assert.deepEqual(await run('s__failing'), { ok: false, outcome: 'the tool reports a failure', content: 'no such file' })
      assert.deepEqual(await run('s__throwing'), { ok: false, outcome: 'the tool reports a failure', content: 'out of paper' })
      assert.deepEqual(await run('s__quiet'), { ok: true, outcome: 'done' })
      assert.equal((await run('s__asking')).ok, false, 'nobody is asked anything by a server')
      const wrong = await run('s__echo', { say: 7 })
      assert.equal(wrong.ok, false)
      assert.match(wrong.content ?? wrong.outcome, /say/)
      const { content = '' } = await run('s__giant')
      assert.match(content, /^line 0\nline 1\n.*\nline \d+\n… [\d,]+ lines \(\d+ KB\) left out …\nline \d+\n.*\nline 29999$/s)
      assert.ok(Buffer.byteLength(content) < 257 * 1024)
    })

    await t.test('a new tool is there when the server has told of it', async () => {
      const before = mcp.tools()
      assert.equal((await run('s__grow', { name: 'extra' })).content, 'grown')
      await t.waitFor(() => assert.ok(namesOf(mcp).includes('s__extra')), { timeout: 20_000 })
      assert.ok(!before.some(({ spec }) => spec.name === 's__extra'), 'what was taken before is as it was')
      assert.deepEqual(namesOf(mcp), [...namesOf(mcp)].sort())
      assert.equal((await run('s__extra')).content, 'extra')
    })

    await t.test('a call that is cancelled is cancelled over there', async () => {
      const halt = new AbortController()
      const slow = run('s__slow', {}, halt.signal)
      assert.equal((await run('s__begun')).content, 'begun')
      halt.abort()
      assert.deepEqual(await slow, { ok: false, outcome: 'cancelled; whether the server "s" did anything is unknown' })
      assert.equal((await run('s__halted')).content, 'halted 1')
      assert.deepEqual(await run('s__echo', {}, AbortSignal.abort()), { ok: false, outcome: 'cancelled; nothing was run' })
      assert.deepEqual(said, [])
    })

    await t.test('an answer beyond all measure is survived', async () => {
      const { ok, outcome } = await run('s__monstrous')
      assert.equal(ok, false)
      assert.match(outcome, /whether it did anything is unknown$/)
      await t.waitFor(isUp(mcp), { timeout: 20_000 })
      assert.equal((await run('s__echo', { say: 'still here' })).content, 'still here')
    })
  })

  test(`${kind}: a call that takes too long is given up`, async t => {
    const { run, said } = await open(t, { s: await serve(t) }, { callMs: 500 })
    const outcome = 'the server "s" did not answer within 0.5 s; whether it did anything is unknown'
    assert.deepEqual(await run('s__slow'), { ok: false, outcome })
    assert.equal((await run('s__halted')).content, 'halted 1')
    assert.deepEqual(said, [])
  })
}

test('a tool asks unless the operator says otherwise, whatever its server says of it', async t => {
  const approve = { s__echo: 'auto', s__quiet: 'never' } as const
  const { tool } = await open(t, { s: child('both') }, { approve })
  const facts = (name: string) => {
    const { approval, parallel, idempotent } = tool(name)
    return { approval, parallel, idempotent }
  }
  assert.deepEqual(facts('s__echo'), { approval: 'auto', parallel: true, idempotent: true })
  assert.deepEqual(facts('s__quiet'), { approval: 'never', parallel: false, idempotent: false })
  assert.deepEqual(facts('s__measure'), { approval: 'ask', parallel: false, idempotent: false })
  const { spec } = tool('s__echo')
  assert.deepEqual([spec.name, spec.description], ['s__echo', 'says it again'])
  assert.deepEqual((spec.parameters as { required: unknown }).required, ['say'])
})

test('what a person approves is what is sent, letter for letter', async t => {
  const { tool } = await open(t, { s: child('hostile') })
  const args = { b: 1, a: ['"', '\u202e'] }
  const prepared = await tool('s__a_b').prepare(args)
  assert.ok(isReady(prepared))
  assert.deepEqual(prepared.argv, ['mcp', 's', 'a_b', '{"b":1,"a":["\\"","\u202e"]}'])
  args.a.push('something else')
  const { content = '' } = await prepared.run(new AbortController().signal)
  assert.deepEqual(JSON.parse(content).arguments, { b: 1, a: ['"', '\u202e'] })
  for (const wrong of [null, undefined, [], 'text', 5])
    assert.deepEqual(await tool('s__a_b').prepare(wrong), {
      ok: false,
      outcome: 'the arguments must be an object; nothing was run',
    })
})

const factsOf = async (tool: Tool): Promise<RunFacts | undefined> => {
  const prepared = await tool.prepare({})
  return isReady(prepared) ? prepared.facts : undefined
}

test('an approval names the server, how it is started and the hash of its schema, and is not for another schema of that name', async t => {
  const mcp = await open(t, { s: child('changing') })
  const { tool } = mcp
  const old = await tool('s__act').prepare({})
  assert.ok(isReady(old))
  const { server, env } = old.facts ?? {}
  assert.deepEqual([server?.name, server?.command], ['s', [process.execPath, CHILD, 'changing']])
  assert.ok(env?.includes('PATH'))
  assert.equal((await old.run(new AbortController().signal)).content, 'act did')
  assert.equal((await mcp.run('s__change')).content, 'change did')
  await t.waitFor(() => assert.equal(tool('s__act').spec.description, 'deletes a note'), { timeout: 20_000 })
  assert.notEqual((await factsOf(tool('s__act')))?.server?.schema, server?.schema)
  assert.equal((await factsOf(tool('s__act')))?.server?.sha256, server?.sha256)
  assert.deepEqual(await old.run(new AbortController().signal), {
    ok: false,
    outcome: 'refused: the server "s" describes act differently now; nothing was run',
  })
})

test('what is shown of a server has no secret in it, and yet another secret is another server', async t => {
  const canary = 'canary-0123456789'
  const args = (secret: string): string[] => [
    CHILD,
    'changing',
    secret,
    `--api-key=${secret}x`,
    '--token',
    `${secret}y`,
    '--deep',
  ]
  const started = (secret: string): McpServer => ({ command: process.execPath, args: args(secret), env: { OWN: secret } })
  const { url } = await listen(t, newerDoor)
  const at = `${url}?key=${canary}&flat`
  const variables = { MY_SECRET: canary, MY_URL: `${url}?whole=${canary}`, EMPTY: '' }
  const mcp = await open(
    t,
    { s: started(canary), o: started(`${canary}!`), u: { url: at }, v: { url: variables.MY_URL } },
    { variables },
  )
  const [own, other, address, named] = await Promise.all(
    ['s__act', 'o__act', 'u__quiet', 'v__quiet'].map(name => factsOf(mcp.tool(name))),
  )
  assert.doesNotMatch(JSON.stringify([own, address, named]), /canary/)
  const shown = [process.execPath, CHILD, 'changing', '$MY_SECRET', '--api-key=…', '--token', '…', '--deep']
  assert.deepEqual(own?.server?.command, shown)
  assert.ok(own?.env?.includes('OWN'))
  assert.notEqual(own?.server?.sha256, other?.server?.sha256)
  assert.equal(named?.server?.url, '$MY_URL')
  assert.deepEqual([address?.server?.url, address?.env], [`${url}?key=…&flat=…`, undefined])
})

test('names and descriptions of a hostile server are made harmless, and what cannot be is left out and said once', async t => {
  const mcp = await open(t, { s: child('hostile') })
  const { tool, said } = mcp
  assert.deepEqual(namesOf(mcp), ['s____proto__', 's__a_b', 's__na_ve__2J', 's__odd', 's__untyped'])
  for (const name of namesOf(mcp)) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  assert.equal(tool('s__a_b').spec.description, 'the true one')
  assert.equal(tool('s__na_ve__2J').spec.description, 'ok[31m, really')
  assert.equal(tool('s____proto__').spec.description, `${'y'.repeat(1999)}…`)
  assert.equal(tool('s__odd').spec.description, 'Titled')
  assert.deepEqual(tool('s__untyped').spec.parameters, { type: 'object', properties: {} })
  assert.equal(said.length, 9)
  assert.deepEqual(said, mcp.troubles())
  assert.ok(said.includes('the MCP server "s": its tool "a.b" is left out: it would have the same name as "a_b"'))
  assert.ok(said.includes('the MCP server "s": its tool "a_b" is left out: it is there twice'))
  // The name the server gave is what it is called by, whatever the model calls it.
  const { content = '' } = await mcp.run('s__na_ve__2J')
  assert.equal(JSON.parse(content).name, 'naïve\u001b[2J')
})

test('pages are followed, up to 200 tools of a server', async t => {
  const some = await open(t, { s: child('many', '130') })
  assert.equal(some.tools().length, 130)
  assert.deepEqual(some.said, [])
  const many = await open(t, { s: child('many', '250'), other: child('many', '3') })
  assert.equal(many.tools().length, 203)
  assert.deepEqual(namesOf(many).slice(0, 4), ['other__tool-0', 'other__tool-1', 'other__tool-2', 's__tool-0'])
  assert.deepEqual(many.said, ['the MCP server "s": it has more tools than are used; the first 200 are'])
  const endless = await open(t, { s: child('endless') })
  assert.deepEqual(endless.tools(), [])
  assert.equal(endless.said.length, 1)
})

test('servers of the older protocol that take offence at the newer are still reached', async t => {
  const mcp = await open(t, { touchy: child('touchy'), taciturn: child('taciturn') })
  assert.deepEqual(namesOf(mcp), ['taciturn__nod', 'touchy__touch'])
  assert.deepEqual(mcp.said, [])
})

test('a process that dies in a call is said once, and said once to be back', async t => {
  const mcp = await open(t, { s: child('both') })
  const kept = mcp.tool('s__echo')
  const gone = { ok: false, outcome: 'the server "s" went away; whether it did anything is unknown' }
  const [died, other] = await Promise.all([mcp.run('s__die'), mcp.run('s__slow')])
  assert.deepEqual([died, other], [gone, gone])
  await t.waitFor(() => assert.equal(mcp.said.length, 2), { timeout: 20_000 })
  assert.deepEqual(mcp.said, [
    'the MCP server "s" is down: it ended with code 3; it is tried again',
    'the MCP server "s" is back',
  ])
  assert.deepEqual(mcp.troubles(), [])
  const prepared = await kept.prepare({ say: 'again' })
  assert.ok(isReady(prepared))
  assert.equal((await prepared.run(new AbortController().signal)).content, 'again', 'a tool taken before works after')
})

for (const [kind, door] of [
  ['older', olderDoor],
  ['newer', newerDoor],
] as const)
  test(`an address of the ${kind} protocol that hangs up in a call, and then is gone, and then is back`, async t => {
    const first = await listen(t, door)
    const mcp = await open(t, { s: { url: first.url } })
    const slow = mcp.run('s__slow')
    await mcp.run('s__begun')
    const kept = await mcp.tool('s__echo').prepare({ say: 'x' })
    await first.stop()
    assert.deepEqual(await slow, { ok: false, outcome: 'the server "s" went away; whether it did anything is unknown' })
    await t.waitFor(isDown(mcp), { timeout: 10_000 })
    assert.deepEqual(mcp.troubles(), mcp.said)
    assert.match(
      mcp.said.join(),
      /^the MCP server "s" is down: no server listens at its address \(ECONNREFUSED\); it is tried again$/,
    )
    assert.ok(isReady(kept))
    const missed = await kept.run(new AbortController().signal)
    assert.deepEqual(missed, { ok: false, outcome: 'the server "s" is down; nothing was run' })
    await listen(t, door, first.port)
    await t.waitFor(isUp(mcp), { timeout: 10_000 })
    assert.deepEqual(mcp.said.slice(1), ['the MCP server "s" is back'])
    assert.equal((await mcp.run('s__echo', { say: 'x' })).content, 'x')
  })

test('an address that has lost the session is asked for a new one', async t => {
  let door: Door | undefined
  const server = await listen(t, state => {
    door = olderDoor(state)
    return request => (door as Door)(request)
  })
  const mcp = await open(t, { s: { url: server.url } })
  door = olderDoor(server.state)
  const refused = await mcp.run('s__echo', { say: 'x' })
  assert.deepEqual(refused, { ok: false, outcome: 'the server "s" took no call: it answers with HTTP 404; nothing was run' })
  await t.waitFor(() => assert.equal(mcp.said.length, 2), { timeout: 10_000 })
  assert.equal((await mcp.run('s__echo', { say: 'x' })).content, 'x')
})

test('a server that is not there costs nothing, and joins when it comes up', async t => {
  const place = await listen(t, newerDoor)
  await place.stop()
  const mcp = await open(t, { late: { url: place.url }, s: child('many', '1'), none: { command: 'no-such-command-anywhere' } })
  assert.deepEqual(namesOf(mcp), ['s__tool-0'])
  assert.deepEqual([...mcp.said].sort(), [
    'the MCP server "late" is down: no server listens at its address (ECONNREFUSED); it is tried again',
    'the MCP server "none" is down: its command was not found (ENOENT); it is tried again',
  ])
  await listen(t, newerDoor, place.port)
  await t.waitFor(() => assert.ok(namesOf(mcp).includes('late__echo')), { timeout: 10_000 })
  assert.deepEqual(mcp.said.slice(2), ['the MCP server "late" is back'])
})

test('a process that never answers delays nobody longer than five seconds, and others not at all', async t => {
  const began = performance.now()
  const mcp = await open(t, { mute: child('silent'), s: child('many', '1') }, { readyMs: 5000, connectMs: 60_000 })
  const tookMs = performance.now() - began
  assert.ok(tookMs > 4900 && tookMs < 15_000, `${tookMs} ms`)
  await t.waitFor(() => assert.deepEqual(namesOf(mcp), ['s__tool-0']), { timeout: 20_000 })
  assert.deepEqual(mcp.troubles(), ['the MCP server "mute" has not answered yet'])
  assert.deepEqual(mcp.said, [])
})

test('a process that ends at once is down, with how it ended', async t => {
  const mcp = await open(t, { s: child('broken') }, { backoff: { firstMs: 60_000, mostMs: 60_000 } })
  assert.deepEqual(mcp.said, ['the MCP server "s" is down: it ended with code 4; it is tried again'])
  assert.deepEqual(mcp.troubles(), mcp.said)
})

test('a process that never answers is given up and tried again', async t => {
  const mcp = await open(t, { mute: child('silent') }, { connectMs: 100 })
  assert.deepEqual(mcp.said, ['the MCP server "mute" is down: it does not answer; it is tried again'])
})

test('a process that complains without end is not held up by it', async t => {
  const { run } = await open(t, { s: child('noisy') })
  assert.equal((await run('s__echo', { say: 'x' })).content, 'x')
})

const MISBEHAVING: Readonly<Record<string, readonly [Door, RegExp]>> = {
  'is broken': [async () => new Response('sk-secret', { status: 500 }), /down: it answers with HTTP 500;/],
  'wants to know who we are': [async () => new Response('who?', { status: 401 }), /down: it answers with HTTP 401;/],
  'is a page': [async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), /down: /],
  'compresses unasked': [
    async () => new Response(gzipSync('{}'), { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
    /down: it answers in an encoding that was not asked for \(gzip\);/,
  ],
  'sends too much': [
    async () => new Response(`"${'x'.repeat(9 * 1024 * 1024)}"`, { headers: { 'content-type': 'application/json' } }),
    /down: its answer is too large;/,
  ],
  'sends one endless event': [
    async () =>
      new Response(
        new ReadableStream({ pull: stream => stream.enqueue(new TextEncoder().encode(`data: ${'x'.repeat(60_000)}\n`)) }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    /down: /,
  ],
}
for (const [what, [door, words]] of Object.entries(MISBEHAVING))
  test(`an address that ${what} is down, and said to be`, async t => {
    const { url } = await listen(t, () => door)
    const mcp = await open(t, { s: { url } }, { backoff: { firstMs: 60_000, mostMs: 60_000 } })
    assert.equal(mcp.said.length, 1, mcp.troubles().join())
    assert.match(mcp.said.join(), words)
    assert.doesNotMatch(mcp.said.join(), /secret/)
  })

test('headers go to their own server; a redirect to another is not followed', async t => {
  const headers = { authorization: 'Bearer canary', 'x-team': 'blue' }
  const other = await listen(t, newerDoor)
  const straying = await listen(t, () => async () => Response.redirect(other.url, 307))
  const mcp = await open(t, { s: { url: straying.url, headers } })
  assert.match(mcp.said.join(), /^the MCP server "s" is down: /)
  assert.ok(straying.seen.every(request => request.headers.get('authorization') === 'Bearer canary'))
  assert.deepEqual(other.seen, [])
  assert.doesNotMatch(mcp.said.join(), /canary/)

  const home: HttpServer = await listen(t, state => {
    const door = newerDoor(state)
    return request =>
      new URL(request.url).pathname === '/mcp' ? Promise.resolve(Response.redirect(`${home.url}/here`, 307)) : door(request)
  })
  const within = await open(t, { s: { url: home.url, headers } })
  assert.equal((await within.run('s__echo', { say: 'x' })).content, 'x')
  assert.ok(home.seen.every(request => request.headers.get('x-team') === 'blue'))
})

test('what the settings may not ask for is refused and said', async t => {
  const refused: readonly (readonly [string, McpServer, string])[] = [
    ['Files', child('both'), 'its name must be up to 32 lowercase letters, digits and hyphens'],
    ['a__b', child('both'), 'its name must be up to 32 lowercase letters, digits and hyphens'],
    ['empty', { command: '' }, 'its command is empty'],
    ['loader', { ...child('both'), env: { NODE_OPTIONS: '--import ./x.ts' } }, 'NODE_OPTIONS is never given to a server'],
    ['nowhere', { url: 'not a url' }, 'its url is not one'],
    ['file', { url: 'file:///etc/passwd' }, 'its address must begin with https:// or http://, not file:'],
    ['meta', { url: 'http://169.254.169.254/mcp' }, "the address 169.254.169.254 is of this machine's own network alone"],
    ['mapped', { url: 'http://[::ffff:a9fe:a9fe]/mcp' }, "the address [::ffff:a9fe:a9fe] is of this machine's own network alone"],
    ['open', { url: 'http://example.org/mcp', headers: { a: 'b' } }, 'its headers would travel unencrypted; use https'],
    ['garbled', { url: 'https://example.org/mcp', headers: { a: 'b\nc' } }, 'its headers have characters that cannot be sent'],
  ]
  for (const [name, server, why] of refused) {
    const mcp = await open(t, { [name]: server })
    assert.deepEqual(mcp.said, [`the MCP server "${name}" is not used: ${why}`])
    assert.deepEqual([mcp.tools(), mcp.troubles()], [[], mcp.said])
  }
})

test('a name that turns out to be a forbidden address is not spoken to', async t => {
  const lookup: typeof ADDRESSES.lookup = (_, __, found) =>
    found(Object.assign(new Error('no'), { code: 'a forbidden address' }), '', 4)
  const mcp = await open(t, { s: { url: 'http://metadata.test/mcp' } }, { addresses: { ...ADDRESSES, lookup } })
  assert.match(mcp.said.join(), /^the MCP server "s" is down: /)
})

type Seen = { readonly pid: number; readonly helper: number; readonly env: Readonly<Record<string, string>> }
/** A process that has ended may be listed until somebody asks how. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a process sees a few harmless names and its own, and goes with its helpers, even if it does not want to', async t => {
  const environment = { ...process.env, LANG: 'C', TZ: 'UTC', ANTHROPIC_API_KEY: 'canary', SHELL: '/bin/sh', NODE_OPTIONS: '' }
  const mcp = await open(t, { s: { ...child('stubborn'), env: { OWN: 'yes' } } }, { environment })
  const { content = '' } = await mcp.run('s__self')
  const seen: Seen = JSON.parse(content)
  const { PATH, HOME, ...rest } = seen.env
  assert.deepEqual([PATH, HOME], [process.env.PATH, process.env.HOME])
  assert.deepEqual(rest, { LANG: 'C', TZ: 'UTC', OWN: 'yes' })
  assert.ok(isAlive(seen.pid) && isAlive(seen.helper))
  await mcp.close()
  assert.equal(isAlive(seen.pid), false)
  await t.waitFor(() => assert.equal(isAlive(seen.helper), false), { timeout: 5000 })
  assert.deepEqual(mcp.tools(), [])
})

async function visit(servers: Readonly<Record<string, McpServer>>, calls: readonly string[], ...more: string[]) {
  const visitor = spawn(process.execPath, [VISITOR, JSON.stringify(servers), JSON.stringify(calls), ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [heard, [code]] = await Promise.all([readAll(visitor.stdout), once(visitor, 'exit')])
  return { heard: JSON.parse(heard) as string[], code: code as number }
}

test('after close nothing is left that would keep a program from ending', async t => {
  const older = await listen(t, olderDoor)
  const newer = await listen(t, newerDoor)
  const servers = {
    both: child('both'),
    stubborn: child('stubborn'),
    silent: child('silent'),
    older: { url: older.url },
    newer: { url: newer.url },
    gone: { url: 'http://127.0.0.1:9/mcp' },
  }
  const { heard, code } = await visit(servers, ['both__echo', 'older__echo', 'newer__echo', 'stubborn__self'])
  assert.equal(code, 0)
  assert.deepEqual(heard.slice(0, 3), ['hello', 'hello', 'hello'])
  const { pid, helper }: Seen = JSON.parse(heard[3] ?? '')
  await t.waitFor(() => assert.deepEqual([pid, helper].filter(isAlive), []), { timeout: 20_000 })
  await t.waitFor(async () => assert.deepEqual([await older.openSockets(), await newer.openSockets()], [0, 0]), {
    timeout: 20_000,
  })
  assert.equal(older.seen.at(-1)?.method, 'DELETE', 'the session is given back')
})

test('a server that has just hung up keeps nobody from ending', async t => {
  const fickle = await listen(t, state => {
    const door = olderDoor(state)
    const ended = (): Response => new Response('', { headers: { 'content-type': 'text/event-stream' } })
    return request => (request.method === 'GET' ? Promise.resolve(ended()) : door(request))
  })
  assert.deepEqual(await visit({ s: { url: fickle.url } }, ['s__echo', 's__echo']), { heard: ['hello', 'hello'], code: 0 })
})

test('processes go with a program that ends without a word', async t => {
  const { heard } = await visit({ stubborn: child('stubborn') }, ['stubborn__self'], 'abandoned')
  const { pid, helper }: Seen = JSON.parse(heard[0] ?? '')
  await t.waitFor(() => assert.deepEqual([pid, helper].filter(isAlive), []), { timeout: 20_000 })
})

test('a program that a signal ends unheard takes its servers along', async t => {
  const servers = JSON.stringify({ stubborn: child('stubborn') })
  const visitor = spawn(process.execPath, [VISITOR, servers, '["stubborn__self"]', 'stays'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [heard] = await once(visitor.stdout, 'data')
  const { pid, helper }: Seen = JSON.parse(JSON.parse(String(heard))[0])
  visitor.kill('SIGINT')
  assert.deepEqual(await once(visitor, 'exit'), [null, 'SIGINT'])
  await t.waitFor(() => assert.deepEqual([pid, helper].filter(isAlive), []), { timeout: 20_000 })
})

test('the stream of a cancelled call is not left open', async t => {
  const server = await listen(t, olderDoor)
  const { run } = await open(t, { s: { url: server.url } })
  // That on which the server tells of changes.
  const isOne = async (): Promise<void> => assert.equal(await server.openSockets(), 1)
  await t.waitFor(isOne, { timeout: 10_000 })
  const halt = new AbortController()
  const slow = run('s__slow', {}, halt.signal)
  await run('s__begun')
  halt.abort()
  await slow
  await run('s__halted')
  await t.waitFor(isOne, { timeout: 10_000 })
})

test('without servers the library is not loaded', async t => {
  const loaded: string[] = []
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      loaded.push(specifier)
      return next(specifier, context)
    },
  })
  t.after(() => hooks.deregister())
  const mcp = await open(t, {})
  assert.deepEqual([mcp.tools(), mcp.troubles(), mcp.said], [[], [], []])
  assert.deepEqual(loaded, [])
})
