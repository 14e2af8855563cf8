// Signing in to MCP servers over HTTP, with the page on which a person is back.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../../src/gateway/serve.ts'
import { openWorkspace } from '../../../../src/gateway/workspace/workspace.ts'
import { type OAuthServer, signInAt, startOAuthServer } from '../../../tool/mcp/oauth-server.ts'
import { type Client, clientOf, type Json } from '../client.ts'
import { exchange, head } from '../raw.ts'

const CALLBACK = '/oauth/mcp/callback'

function homeWith(t: TestContext, settings: object): string {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-sign-in-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'turnwise.json'), JSON.stringify(settings))
  chmodSync(join(home, 'turnwise.json'), 0o600)
  return home
}

type Started = { readonly url: string; readonly port: number; readonly said: string[]; readonly stop: () => Promise<void> }

async function start(t: TestContext, home: string): Promise<Started> {
  const environment = { OLLAMA_HOST: '127.0.0.1:9', TURNWISE_HOME: home, TURNWISE_PORT: '0' }
  const workspace = openWorkspace(environment, { create: false })
  assert.ok(workspace.ok, workspace.ok ? '' : workspace.fault.message)
  const said: string[] = []
  const onTrouble = (text: string): number => said.push(text)
  const serving = await serve({
    workspace: workspace.value,
    environment: {},
    onBug: assert.ifError,
    onTrouble,
    onDetail: onTrouble,
  })
  assert.ok(serving.ok)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= serving.value.stop()
    return stopped
  }
  t.after(stop)
  const { url } = serving.value
  return { url, port: Number(new URL(url).port), said, stop }
}

const serverIn = async (client: Client, name = 'docs'): Promise<Json> =>
  (await client.json(200, 'GET', '/api/mcp')).items.find((each: Json) => each.name === name)
const until = (t: TestContext, client: Client, state: string): Promise<void> =>
  t.waitFor(async () => assert.equal((await serverIn(client)).state, state), { timeout: 20_000 })
const begin = async (client: Client, headers = {}): Promise<string> =>
  (await client.json(200, 'POST', '/api/mcp/docs/sign-in', { body: {}, headers })).url

/** The last answer of every kind that could tell a secret. */
async function everything(client: Client): Promise<string> {
  const paths = ['/api/mcp', '/api/mcp/docs/log', '/api/settings', '/api/tools', '/readyz', '/metrics', '/api/providers']
  const answers = await Promise.all(paths.map(async path => (await client.ask('GET', path)).text()))
  return answers.join('\n')
}
const isSilent = (oauth: OAuthServer, text: string): void =>
  assert.deepEqual(
    oauth.secrets.filter(secret => text.includes(secret)),
    [],
  )

test('a person signs in, a restart keeps it, a renewal needs no person, and a sign-out forgets it', async t => {
  const warned = t.mock.method(console, 'warn')
  const oauth = await startOAuthServer(t)
  const home = homeWith(t, { mcp: { docs: { url: oauth.url } } })
  const first = await start(t, home)
  const client = clientOf(first.url)
  await until(t, client, 'sign-in')
  const url = await begin(client)
  const back = await signInAt(url)
  assert.equal(`${back.origin}${back.pathname}`, `${first.url}${CALLBACK}`)
  const page = await fetch(back)
  const html = await page.text()
  assert.equal(page.status, 200)
  assert.match(html, /<h1>Signed in to docs\.<\/h1><p>You can close this tab\.<\/p>/)
  const headers = Object.fromEntries(page.headers)
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-[^ ]+'; base-uri 'none'/)
  assert.deepEqual(
    ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options'].map(name => headers[name]),
    ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'nosniff'],
  )
  await until(t, client, 'ready')
  const { signedIn, tools } = await serverIn(client)
  assert.deepEqual([signedIn, tools.length > 0], [true, true])
  // The same way back again.
  assert.equal((await fetch(back)).status, 400)
  const file = join(home, 'secrets.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /"access-/)
  isSilent(
    oauth,
    `${await everything(client)}${first.said.join('\n')}${html}${readFileSync(join(home, 'turnwise.json'), 'utf8')}`,
  )

  oauth.expire()
  await first.stop()
  const second = await start(t, home)
  const again = clientOf(second.url)
  await until(t, again, 'ready')
  assert.equal((await serverIn(again)).signedIn, true)
  isSilent(oauth, `${await everything(again)}${second.said.join('\n')}`)

  const gone = await again.ask('DELETE', '/api/mcp/docs/sign-in')
  assert.deepEqual([gone.status, await gone.text()], [204, ''])
  await until(t, again, 'sign-in')
  assert.equal((await serverIn(again)).signedIn, false)
  assert.doesNotMatch(readFileSync(file, 'utf8'), /access-|refresh-/)
  await again.problem(404, 'not-found', 'DELETE', '/api/mcp/elsewhere/sign-in')
  await again.problem(404, 'not-found', 'POST', '/api/mcp/elsewhere/sign-in')
  isSilent(oauth, JSON.stringify(warned.mock.calls.map(each => each.arguments)))
})

test('the way back needs no token, but the rest of the guard and a state', async t => {
  const oauth = await startOAuthServer(t)
  const settings = {
    mcp: { docs: { url: oauth.url } },
    gateway: { token: 'a-long-token-for-this-test', hosts: ['turnwise.test'] },
  }
  const { url, port } = await start(t, homeWith(t, settings))
  const client = clientOf(url, 'a-long-token-for-this-test')
  await until(t, client, 'sign-in')
  await clientOf(url).problem(401, 'unauthorized', 'POST', '/api/mcp/docs/sign-in', { body: {} })
  await clientOf(url).problem(401, 'unauthorized', 'GET', `${CALLBACK}/`)

  const ask = async (method: string, path: string, ...headers: readonly string[]): Promise<readonly [number, string]> => {
    const { status, body } = await exchange(port, head(`${method} ${path}`, 'Connection: close', ...headers))
    return [status, body]
  }
  const CROSS = 'Sec-Fetch-Site: cross-site'
  const [host, navigates] = ['Host: turnwise.test', 'Sec-Fetch-Mode: navigate']
  assert.equal((await ask('GET', CALLBACK, 'Host: evil.test'))[0], 421)
  assert.equal((await ask('GET', CALLBACK, host, CROSS, 'Sec-Fetch-Mode: no-cors'))[0], 403)
  assert.equal((await ask('GET', CALLBACK, host, 'Origin: https://evil.test'))[0], 403)
  assert.equal((await ask('POST', CALLBACK, host, 'Content-Length: 0'))[0], 404)
  const hostile = `${CALLBACK}?state=${encodeURIComponent('<script>alert(1)</script>')}&error=${encodeURIComponent('<img src=x>')}`
  const [status, html] = await ask('GET', hostile, host, CROSS, navigates)
  assert.equal(status, 400)
  assert.match(html, /<h1>Not signed in\.<\/h1>/)
  assert.doesNotMatch(html, /script>|<img|alert/)

  // Behind a proxy with a name and a certificate of its own.
  const sent = await exchange(
    port,
    head(
      'POST /api/mcp/docs/sign-in',
      host,
      'Connection: close',
      'Origin: https://turnwise.test',
      'Authorization: Bearer a-long-token-for-this-test',
    ),
  )
  assert.equal(sent.status, 200)
  const back = await signInAt(JSON.parse(sent.body).url)
  assert.equal(`${back.origin}${back.pathname}`, `https://turnwise.test${CALLBACK}`)
  const path = `${back.pathname}${back.search}`
  assert.equal((await ask('HEAD', path, host))[0], 405)
  assert.equal((await ask('GET', path, host, CROSS, navigates))[0], 200)
  await until(t, client, 'ready')
})

test('what goes wrong is said on the page, in our own words', async t => {
  const oauth = await startOAuthServer(t)
  const { url } = await start(t, homeWith(t, { mcp: { docs: { url: oauth.url }, own: { command: 'true' } } }))
  const client = clientOf(url)
  await until(t, client, 'sign-in')
  const said = async (): Promise<readonly unknown[]> => {
    const page = await fetch(await signInAt(await begin(client)))
    const html = await page.text()
    isSilent(oauth, html)
    return [page.status, /<p>(.*?) Close this tab/.exec(html)?.[1]]
  }
  oauth.declines = true
  assert.deepEqual(await said(), [403, 'The sign-in to the MCP server &quot;docs&quot; was declined.'])
  oauth.declines = false
  const secrets = (): string => oauth.secrets.join(' ')
  oauth.tokens = () => Response.json({ error: 'invalid_grant', error_description: `<b>${secrets()}` }, { status: 400 })
  assert.deepEqual(await said(), [
    502,
    'Signing in to the MCP server &quot;docs&quot; failed: the authorization server refused it (invalid_grant).',
  ])
  oauth.lies.resource = { authorization_servers: ['http://169.254.169.254'] }
  const problem = await client.problem(502, 'unreachable', 'POST', '/api/mcp/docs/sign-in', { body: {} })
  assert.match(problem.detail, /169\.254\.169\.254/)
  await client.problem(400, 'invalid', 'POST', '/api/mcp/own/sign-in', { body: {} })
  assert.equal((await serverIn(client)).state, 'sign-in')
})

test('another address in the settings gets no token', async t => {
  const [oauth, other] = [await startOAuthServer(t), await startOAuthServer(t)]
  const { url } = await start(t, homeWith(t, { mcp: { docs: { url: oauth.url } } }))
  const client = clientOf(url)
  await until(t, client, 'sign-in')
  await fetch(await signInAt(await begin(client)))
  await until(t, client, 'ready')
  await client.json(200, 'PATCH', '/api/settings', { body: { mcp: { docs: { url: other.url } } } })
  await until(t, client, 'sign-in')
  assert.equal((await serverIn(client)).signedIn, false)
  assert.deepEqual([...new Set(other.seen.map(({ authorization }) => authorization))], [null])
})
