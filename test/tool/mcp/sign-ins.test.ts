// People sign in to servers that want to know who asks; from then on tokens come and go without them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as library from '@modelcontextprotocol/client'
import { fault } from '../../../src/model/fault.ts'
import { err, ok } from '../../../src/model/result.ts'
import { placeOf } from '../../../src/tool/mcp/place.ts'
import { type Mcp, type McpServer, type McpStatus, openMcp } from '../../../src/tool/mcp/servers.ts'
import { type RemoteServer, whyNotThere } from '../../../src/tool/mcp/sign-in-fetch.ts'
import type { SignInStore } from '../../../src/tool/mcp/sign-in-store.ts'
import { createSignIns, type SignIns } from '../../../src/tool/mcp/sign-ins.ts'
import { isReady } from '../../../src/tool/toolbox.ts'
import { ADDRESSES } from '../mcp-addresses.ts'
import { type OAuthServer, signInAt, startOAuthServer } from './oauth-server.ts'

const REDIRECT = 'http://127.0.0.1:4242/oauth/mcp/callback'
const SURROUNDINGS = { environment: {}, directory: import.meta.dirname, addresses: ADDRESSES }

type Kept = SignInStore & {
  readonly kept: Map<string, unknown>
  trouble: (() => ReturnType<typeof fault> | undefined) | undefined
}

function createStore(): Kept {
  const kept = new Map<string, unknown>()
  const store: Kept = {
    kept,
    trouble: undefined,
    read: name => kept.get(name),
    change: async (name, change) => {
      const trouble = store.trouble?.()
      if (trouble !== undefined) return err(trouble)
      const changed = change(kept.get(name))
      if (changed === undefined) kept.delete(name)
      else kept.set(name, changed)
      return ok(null)
    },
  }
  return store
}

type Scene = { readonly mcp: Mcp; readonly store: Kept; readonly said: string[]; readonly signIns: SignIns }

async function open(
  t: TestContext,
  servers: Readonly<Record<string, McpServer>>,
  { store = createStore(), ...options }: Partial<Parameters<typeof createSignIns>[0]> & { readonly store?: Kept } = {},
): Promise<Scene> {
  const said: string[] = []
  const onTrouble = (text: string): number => said.push(text)
  const signIns = createSignIns({ store, onTrouble, ...options })
  const mcp = openMcp(servers, {
    ...SURROUNDINGS,
    signIns,
    onTrouble,
    backoff: { firstMs: 10, mostMs: 30_000 },
    readyMs: 30_000,
  })
  t.after(mcp.close)
  await mcp.ready
  return { mcp, store, said, signIns }
}

function statusOf(mcp: Mcp, name = 'docs'): McpStatus {
  const found = mcp.list().find(each => each.name === name)
  assert.ok(found)
  return found
}
const stateOf = (mcp: Mcp, name = 'docs'): readonly unknown[] => {
  const { state, message, signedIn, tools } = statusOf(mcp, name)
  return [state, message, signedIn, tools.length > 0]
}
const UNKNOWN = ['sign-in', 'it wants a person to sign in', false, false]
const READY = ['ready', null, true, true]

async function begin(mcp: Mcp, name = 'docs'): Promise<string> {
  const begun = await mcp.signIn(name, REDIRECT)
  assert.ok(begun.ok, begun.ok ? '' : begun.fault.message)
  return begun.value.url
}
const whyNot = async (mcp: Mcp, answer: URLSearchParams): Promise<readonly string[]> => {
  const done = await mcp.finishSignIn(answer)
  assert.ok(!done.ok)
  return [done.fault.kind, done.fault.message]
}
async function signIn(mcp: Mcp, name = 'docs'): Promise<void> {
  const back = await signInAt(await begin(mcp, name))
  assert.equal(`${back.origin}${back.pathname}`, REDIRECT)
  assert.deepEqual(await mcp.finishSignIn(back.searchParams), ok(name))
  await mcp.ready
}

async function call(mcp: Mcp, say: string): Promise<string | undefined> {
  const prepared = await mcp
    .tools()
    .find(({ spec }) => spec.name === 'docs__echo')
    ?.prepare({ say })
  assert.ok(prepared !== undefined && isReady(prepared))
  const { content, outcome } = await prepared.run(new AbortController().signal)
  return content ?? outcome
}

const isSilent = (oauth: OAuthServer, texts: readonly unknown[]): void => {
  const all = JSON.stringify(texts)
  assert.deepEqual(
    oauth.secrets.filter(secret => all.includes(secret)),
    [],
  )
}

test('a person signs in, tokens are renewed without the person, and after a revocation the person is asked again', async t => {
  const warned = t.mock.method(console, 'warn')
  const oauth = await startOAuthServer(t)
  const { mcp, store, said } = await open(t, { docs: { url: oauth.url, headers: { 'x-team': 'blue' } } })
  assert.deepEqual(stateOf(mcp), UNKNOWN)
  assert.deepEqual(mcp.troubles(), ['the MCP server "docs": it wants a person to sign in'])
  const url = new URL(await begin(mcp))
  assert.deepEqual(
    ['scope', 'resource', 'redirect_uri', 'code_challenge_method'].map(name => url.searchParams.get(name)),
    ['tools', oauth.url, REDIRECT, 'S256'],
  )
  assert.equal(url.searchParams.get('state')?.length, 43)
  await signIn(mcp)
  assert.deepEqual(stateOf(mcp), READY)
  assert.equal(await call(mcp, 'hello'), 'hello')
  // A second click needs no second client.
  assert.equal(oauth.count('/register'), 1)

  oauth.expire()
  const before = oauth.count('/token')
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map(say => call(mcp, say))), ['a', 'b', 'c', 'd'])
  // A refresh token works once: four renewals at once would have revoked all of them.
  assert.ok(oauth.count('/token') > before)
  assert.deepEqual(stateOf(mcp), READY)
  assert.equal(statusOf(mcp).restarts, 1)
  oauth.expire()
  assert.equal(await call(mcp, 'once more'), 'once more')

  oauth.revoke()
  assert.equal(await call(mcp, 'too late'), 'the server "docs" wants a person to sign in first; nothing was run')
  const over = 'its sign-in is over or was revoked; sign in again'
  await t.waitFor(() => assert.deepEqual(stateOf(mcp), ['sign-in', over, false, false]), { timeout: 20_000 })
  assert.deepEqual(mcp.troubles(), [`the MCP server "docs": ${over}`])
  assert.deepEqual([...store.kept], [])
  await signIn(mcp)
  assert.deepEqual(stateOf(mcp), READY)
  const log = mcp.log('docs')
  assert.ok(log.ok)
  // It was never simply down.
  assert.deepEqual(
    log.value.map(({ text }) => text).filter(text => text.startsWith('down')),
    [],
  )
  isSilent(oauth, [mcp.list(), log.value, said, warned.mock.calls.map(each => each.arguments)])
  // Headers of the settings are for the MCP server alone.
  assert.ok(oauth.seen.every(({ path, authorization }) => path === '/mcp' || authorization === null))
})

test('an authorization server in trouble costs nobody their sign-in', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  oauth.expire()
  let tries = 0
  oauth.tokens = () => {
    tries += 1
    return new Response(`no: ${oauth.secrets.join(' ')}`, { status: 500 })
  }
  await mcp.restart('docs')
  const why = 'its sign-in could not be renewed: the authorization server refused it (server_error)'
  assert.deepEqual(stateOf(mcp), ['down', why, true, false])
  await t.waitFor(() => assert.ok(tries > 2), { timeout: 20_000 })
  oauth.tokens = undefined
  await t.waitFor(() => assert.deepEqual(stateOf(mcp), READY), { timeout: 20_000 })
})

test('a server that repeats its token in an error does not get it into any text', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp, said } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  oauth.instead = token =>
    Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: `bad token ${token}` } }, { status: 400 })
  await mcp.restart('docs')
  oauth.instead = token => new Response(`data: ${token}\n\n`, { headers: { 'content-type': `text/${token}` } })
  await mcp.restart('docs')
  assert.equal(statusOf(mcp).state, 'down')
  isSilent(oauth, [mcp.list(), mcp.log('docs'), mcp.troubles(), said])
})

test('a state works once, for ten minutes, for its own server, and cannot be guessed', async t => {
  const [oauth, other] = [await startOAuthServer(t), await startOAuthServer(t)]
  let now = Date.now()
  const { mcp } = await open(t, { docs: { url: oauth.url }, other: { url: other.url } }, { clock: () => now })
  const unknown = ['invalid', 'this sign-in link is no longer valid: it was used, has expired, or was started elsewhere']
  assert.deepEqual(await whyNot(mcp, new URLSearchParams({ code: 'x' })), unknown)
  assert.deepEqual(await whyNot(mcp, new URLSearchParams({ code: 'x', state: 'guessed' })), unknown)

  const late = await signInAt(await begin(mcp))
  now += 10 * 60_000 + 1
  assert.deepEqual(await whyNot(mcp, late.searchParams), unknown)

  const [mine, theirs] = [await signInAt(await begin(mcp)), await signInAt(await begin(mcp, 'other'))]
  const mixed = new URLSearchParams(theirs.searchParams)
  mixed.set('state', mine.searchParams.get('state') ?? '')
  const why = 'signing in to the MCP server "docs" failed: the answer is from another authorization server than expected'
  assert.deepEqual(await whyNot(mcp, mixed), ['rejected', why])
  mixed.set('state', theirs.searchParams.get('state') ?? '')
  mixed.set('code', mine.searchParams.get('code') ?? '')
  assert.match((await whyNot(mcp, mixed))[1] ?? '', /"other" failed: the authorization server refused it \(invalid_grant\)/)
  assert.deepEqual([stateOf(mcp), stateOf(mcp, 'other')], [UNKNOWN, UNKNOWN])
  // Both are used up.
  assert.deepEqual(await whyNot(mcp, mine.searchParams), unknown)
  assert.deepEqual(await whyNot(mcp, theirs.searchParams), unknown)

  const first = await signInAt(await begin(mcp))
  for (let each = 0; each < 20; each += 1) await begin(mcp, 'other')
  assert.deepEqual(await whyNot(mcp, first.searchParams), unknown)
})

test('a person who declines, and an exchange that fails, are said in our own words', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp, store } = await open(t, { docs: { url: oauth.url } })
  oauth.declines = true
  const declined = await signInAt(await begin(mcp))
  assert.deepEqual(await whyNot(mcp, declined.searchParams), ['denied', 'the sign-in to the MCP server "docs" was declined'])
  const forged = await signInAt(await begin(mcp))
  forged.searchParams.set('iss', 'https://evil.test')
  assert.match((await whyNot(mcp, forged.searchParams))[1] ?? '', /another authorization server than expected$/)
  oauth.declines = false
  const failures: [() => Response, string][] = [
    [() => Response.json({ error: 'invalid_grant' }, { status: 400 }), 'the authorization server refused it (invalid_grant)'],
    [() => Response.json({ error: '<b>', error_description: 'x' }, { status: 400 }), 'the authorization server refused it'],
    [() => new Response('<h1>oops', { status: 200 }), 'the authorization server answered with something that cannot be used'],
    [
      () => Response.json({ access_token: 'two\nlines', token_type: 'Bearer' }),
      'the authorization server answered with something that cannot be used',
    ],
    [
      () => Response.json({ access_token: 'x', token_type: 'DPoP' }),
      'the authorization server answered with something that cannot be used',
    ],
    [() => new Response('x'.repeat(300_000)), 'its answer is too large'],
  ]
  for (const [answer, why] of failures) {
    oauth.tokens = answer
    const back = await signInAt(await begin(mcp))
    assert.deepEqual(await whyNot(mcp, back.searchParams), ['rejected', `signing in to the MCP server "docs" failed: ${why}`])
  }
  assert.deepEqual([stateOf(mcp), store.kept.size], [UNKNOWN, 0])
})

test('an authorization server that does not answer ends a sign-in, and later a renewal', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp } = await open(t, { docs: { url: oauth.url } }, { stepMs: 400 })
  await signIn(mcp)
  oauth.tokens = () => new Promise(() => undefined)
  const back = await signInAt(await begin(mcp))
  assert.match((await whyNot(mcp, back.searchParams))[1] ?? '', /it took too long$/)
  oauth.expire()
  assert.equal(
    await call(mcp, 'a'),
    'the server "docs" took no call: its sign-in could not be renewed: it took too long; nothing was run',
  )
  oauth.tokens = undefined
  await t.waitFor(() => assert.deepEqual(stateOf(mcp), READY), { timeout: 20_000 })
})

test('metadata leads nowhere that is forbidden', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp } = await open(t, { docs: { url: oauth.url } })
  const SECRETIVE = 'http://169.254.169.254'
  const lies: [OAuthServer['lies'], RegExp][] = [
    [{ challenge: `${SECRETIVE}/latest` }, /169\.254\.169\.254 is of this machine's own network/],
    [{ resource: { authorization_servers: [SECRETIVE] } }, /169\.254\.169\.254 is of this machine's own network/],
    [{ resource: { authorization_servers: ['http://example.com'] } }, /example\.com must begin with https/],
    [{ resource: { resource: 'https://example.com/mcp' } }, /does not match/],
    [{ authorization: { issuer: 'https://example.com' } }, /another authorization server/],
    [{ authorization: { registration_endpoint: `${SECRETIVE}/register` } }, /169\.254\.169\.254/],
    [{ authorization: { registration_endpoint: undefined } }, /does not support dynamic client registration/],
    [{ authorization: { authorization_endpoint: 'http://example.com/authorize' } }, /must begin with https/],
    [{ authorization: { authorization_endpoint: 'file:///etc/passwd' } }, /must begin with https:\/\/ or http:\/\//],
    [{ authorization: { authorization_endpoint: 'javascript:alert(1)' } }, /cannot be used/],
  ]
  for (const [lie, why] of lies) {
    Object.assign(oauth.lies, { challenge: undefined, resource: undefined, authorization: undefined }, lie)
    await mcp.restart('docs')
    const begun = await mcp.signIn('docs', REDIRECT)
    assert.ok(!begun.ok, JSON.stringify(lie))
    assert.equal(begun.fault.kind, 'unreachable')
    assert.match(begun.fault.message, why)
  }
  Object.assign(oauth.lies, { resource: undefined, authorization: { token_endpoint: `${SECRETIVE}/token` } })
  const back = await signInAt(await begin(mcp))
  assert.match((await whyNot(mcp, back.searchParams))[1] ?? '', /gives tokens without encryption|169\.254/)
})

test('a server elsewhere leads neither to this machine nor to unencrypted places', async () => {
  const remote = (url: string): RemoteServer => {
    const place = placeOf('docs', { url }, SURROUNDINGS)
    assert.ok(place.ok && place.value.kind === 'http')
    return place.value
  }
  const why = (url: string, server: string): string | undefined => whyNotThere(new URL(url), remote(server))
  assert.equal(why('https://auth.example.com/token', 'https://example.com/mcp'), undefined)
  assert.equal(why('http://127.0.0.1:1/token', 'http://localhost:2/mcp'), undefined)
  assert.match(why('http://127.0.0.1:1/token', 'https://example.com/mcp') ?? '', /on this machine/)
  assert.match(why('https://localhost/token', 'https://example.com/mcp') ?? '', /on this machine/)
  assert.match(why('http://auth.example.com/token', 'https://example.com/mcp') ?? '', /https/)
  assert.match(why('https://[fe80::1]/token', 'https://example.com/mcp') ?? '', /own network/)
  assert.match(why('ftp://example.com/', 'https://example.com/mcp') ?? '', /https/)

  const signIns = createSignIns({ store: createStore() })
  for (const [server, reason] of [
    [{ url: 'http://example.com/mcp' }, /must begin with https/],
    [{ url: 'https://example.com/mcp', headers: { Authorization: 'Bearer abc' } }, /have a key/],
    [{ command: 'true' }, /a program/],
  ] as const) {
    const place = placeOf('docs', server, SURROUNDINGS)
    assert.ok(place.ok)
    const begun = await signIns.begin(library, 'docs', place.value, REDIRECT)
    assert.ok(!begun.ok)
    assert.equal(begun.fault.kind, 'invalid')
    assert.match(begun.fault.message, reason)
  }
})

test('a token stays with the address it was given for', async t => {
  const [oauth, other] = [await startOAuthServer(t), await startOAuthServer(t)]
  const { mcp } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  const begun = await signInAt(await begin(mcp))
  mcp.apply({ servers: { docs: { url: other.url } } })
  await mcp.ready
  assert.deepEqual(stateOf(mcp), UNKNOWN)
  assert.deepEqual(await whyNot(mcp, begun.searchParams), [
    'conflict',
    'the settings of the MCP server "docs" have changed meanwhile',
  ])
  assert.ok(other.seen.length > 0)
  assert.deepEqual([...new Set(other.seen.map(({ authorization }) => authorization))], [null])
  mcp.apply({ servers: { docs: { url: oauth.url } } })
  await mcp.ready
  assert.deepEqual(stateOf(mcp), READY)
})

test('a sign-out forgets everything, also while a renewal is under way', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp, store } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  const begun = await signInAt(await begin(mcp))
  oauth.expire()
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  oauth.tokens = async () => {
    asked.resolve()
    await held.promise
    return Response.json({ access_token: 'late', token_type: 'Bearer', refresh_token: 'late' })
  }
  const called = call(mcp, 'hello')
  await asked.promise
  assert.deepEqual(await mcp.signOut('docs'), ok(null))
  assert.deepEqual([...store.kept], [])
  held.resolve()
  await called
  await mcp.ready
  await t.waitFor(() => assert.deepEqual(stateOf(mcp), UNKNOWN), { timeout: 20_000 })
  assert.deepEqual([...store.kept], [])
  // A sign-in that began before the sign-out ends with it.
  assert.equal((await whyNot(mcp, begun.searchParams))[0], 'invalid')
  assert.deepEqual(await mcp.signOut('docs'), ok(null))
  assert.equal((await mcp.signOut('elsewhere')).ok, false)
})

test('renewed tokens are written again after a conflict, and used even if they cannot be written', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp, store, said } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  const first = JSON.stringify(store.kept.get('docs'))
  let conflicts = 2
  store.trouble = () => (conflicts-- > 0 ? fault('conflict', 'just written') : undefined)
  oauth.expire()
  assert.equal(await call(mcp, 'a'), 'a')
  const second = JSON.stringify(store.kept.get('docs'))
  assert.notEqual(second, first)
  store.trouble = () => fault('store', 'the disk is full')
  for (const each of ['b', 'c']) {
    oauth.expire()
    assert.equal(await call(mcp, each), each)
  }
  assert.equal(JSON.stringify(store.kept.get('docs')), second)
  assert.ok(said.includes('the MCP server "docs": its renewed sign-in could not be saved (the disk is full)'))
  store.trouble = undefined
  oauth.expire()
  assert.equal(await call(mcp, 'd'), 'd')
  const again = await open(t, { docs: { url: oauth.url } }, { store })
  assert.deepEqual(stateOf(again.mcp), READY)
  isSilent(oauth, said)
})

test('tokens that another program renewed meanwhile are used', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp, store } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  const place = placeOf('docs', { url: oauth.url }, SURROUNDINGS)
  assert.ok(place.ok)
  const other = createSignIns({ store }).authProvider('docs', place.value)?.(library)
  assert.ok(other?.onUnauthorized !== undefined)
  const before = await other.token()
  oauth.expire()
  assert.equal(await call(mcp, 'a'), 'a')
  const renewed = oauth.count('/token')
  await other.onUnauthorized({ response: new Response(null, { status: 401 }), serverUrl: new URL(oauth.url), fetchFn: fetch })
  assert.notEqual(await other.token(), before)
  assert.equal(oauth.count('/token'), renewed)
})

test('a server that wants more rights is asked for them at the next sign-in', async t => {
  const oauth = await startOAuthServer(t)
  const { mcp } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
  oauth.instead = (_, request) =>
    request.headers.get('mcp-method') === 'tools/call' ? new Response(null, { status: 403, headers }) : undefined
  assert.equal(await call(mcp, 'a'), 'the server "docs" wants a person to sign in first; nothing was run')
  assert.equal(new URL(await begin(mcp)).searchParams.get('scope'), 'tools write')
  oauth.instead = () => new Response(null, { status: 403, headers })
  await mcp.restart('docs')
  assert.deepEqual(stateOf(mcp), ['sign-in', 'it wants more rights than the sign-in has; sign in again', true, false])
})

test('a client with a secret, for servers that insist on one', async t => {
  const oauth = await startOAuthServer(t)
  oauth.lies.authorization = { token_endpoint_auth_methods_supported: ['client_secret_basic'] }
  const { mcp } = await open(t, { docs: { url: oauth.url } })
  await signIn(mcp)
  oauth.expire()
  assert.equal(await call(mcp, 'a'), 'a')
  assert.ok(oauth.seen.filter(({ path }) => path === '/token').every(each => each.authorization?.startsWith('Basic ')))
})
