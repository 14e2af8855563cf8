/** Gateways that share a store: what people edit on one is there on the others, keys are never plain, and each node keeps what is its own. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { serve } from '../../src/gateway/serve.ts'
import { sharedWorkspaceOn } from '../../src/gateway/workspace/enter-workspace.ts'
import { openWorkspace, type Workspace } from '../../src/gateway/workspace/workspace.ts'
import { memoryLog, weigh } from '../../src/index.ts'
import { openSharedStore, type SharedStore } from '../../src/log/open-store.ts'
import type { Fault } from '../../src/model/fault.ts'
import type { Result } from '../../src/model/result.ts'
import { postgresUrl, whyNoPostgres } from '../support/postgres.ts'

const SECRET = 'correct horse battery staple'
const SETTINGS = '{\n  // ours\n  "model": "demo"\n}\n'

/** The same tests run on a store in memory and on a real PostgreSQL. */
const STORES: Readonly<Record<string, () => Promise<SharedStore>>> = {
  memory: async () => memoryStore(),
  PostgreSQL: async () => must(await openSharedStore(await postgresUrl())),
}

function memoryStore(): SharedStore {
  const { nodes } = memoryLog({ clock: Date.now, weigh, isShared: true })
  assert.ok(nodes !== undefined)
  return { documents: nodes.documents, leases: nodes.leases, close: async () => {} }
}

const must = <Value>(result: Result<Value, Fault>): Value => {
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}

async function entered(
  t: TestContext,
  store: SharedStore,
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly home: string; readonly environment: Record<string, string>; readonly opened: Result<Workspace, Fault> }> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-node-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({ 'turnwise.json': SETTINGS, ...files })) {
    mkdirSync(join(home, path, '..'), { recursive: true })
    writeFileSync(join(home, path), text, { mode: 0o600 })
  }
  const environment = { TURNWISE_HOME: home, TURNWISE_PORT: '0', OLLAMA_HOST: '127.0.0.1:9', ...variables }
  const shared = must(await sharedWorkspaceOn(store, environment))
  t.after(shared.texts.stop)
  return { home, environment, opened: openWorkspace(environment, { create: false, shared }) }
}

type Answer = { readonly status: number; readonly body: Record<string, unknown> }

async function startNode(
  t: TestContext,
  store: SharedStore,
  files: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, string>> = {},
) {
  const { home, environment, opened } = await entered(t, store, files, variables)
  const serving = must(
    await serve({
      workspace: must(opened),
      environment: { ...environment, PATH: '' },
      onBug: assert.ifError,
      onTrouble: () => {},
    }),
  )
  t.after(serving.stop)
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = {
      'content-type': 'application/json',
      ...(variables.TURNWISE_TOKEN ? { authorization: `Bearer ${variables.TURNWISE_TOKEN}` } : {}),
    }
    const answer = await fetch(`${serving.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, unknown> }
  }
  return { home, call }
}

/** Asks until an answer is as wanted, and says how long that took. */
async function until(ask: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await ask())) await new Promise(resolve => setTimeout(resolve, 20))
  return performance.now() - began
}

const agents = async ({ call }: { readonly call: (method: string, path: string) => Promise<Answer> }): Promise<string[]> =>
  ((await call('GET', '/api/agents')).body.items as { key: string }[]).map(({ key }) => key)

const COUNCIL = { name: 'Board', advisors: [{ name: 'Ada', description: 'plans' }] }

const whyNot = await whyNoPostgres()

for (const [kind, open] of Object.entries(STORES)) {
  const openStore = async (t: TestContext): Promise<SharedStore> => {
    const store = await open()
    t.after(store.close)
    // A node that stops must not close what the others still use.
    return { ...store, close: async () => {} }
  }
  const skip = kind === 'PostgreSQL' && whyNot !== undefined ? whyNot : false

  test(`${kind}: agents, councils, projects and settings that are edited on one node are there on the other within a second`, {
    skip,
  }, async t => {
    const store = await openStore(t)
    const [one, other] = [await startNode(t, store), await startNode(t, store)]
    const before = readdirSync(one.home)
    assert.equal((await one.call('PUT', '/api/agents/poet', { name: 'Poet', prompt: 'Rhyme.' })).status, 200)
    const took = await until(async () => (await agents(other)).includes('poet'))
    // A busy machine gets more than the second that is promised.
    assert.ok(took < 5000, `${took} ms`)
    assert.equal((await one.call('PUT', '/api/councils/board', COUNCIL)).status, 200)
    assert.equal((await one.call('PUT', '/api/projects/garden', { context: 'Roses.' })).status, 200)
    assert.equal((await one.call('PATCH', '/api/projects/garden', { recall: true })).status, 200)
    assert.equal((await one.call('PATCH', '/api/settings', { limits: { steps: 7 } })).status, 200)
    const steps = async (): Promise<unknown> =>
      ((await other.call('GET', '/api/settings')).body as { limits?: { steps?: { value?: unknown } } }).limits?.steps?.value
    await until(async () => (await steps()) === 7)
    const councils = (await other.call('GET', '/api/councils')).body.items as { key: string }[]
    assert.ok(councils.some(({ key }) => key === 'board'))
    const { body: garden } = await other.call('GET', '/api/projects/garden')
    assert.deepEqual([garden.context, garden.recall], ['Roses.', true])
    const { body: listed } = await other.call('GET', '/api/projects')
    assert.deepEqual(
      (listed.items as { name: string }[]).map(({ name }) => name),
      ['garden'],
    )
    // What was kept stays away from the files, apart from what a gateway writes for itself.
    assert.deepEqual(readdirSync(one.home).sort(), [...before].sort())
    assert.equal(readFileSync(join(one.home, 'turnwise.json'), 'utf8'), SETTINGS)
    const kept = must(await store.documents.changed(0)).find(({ name }) => name === 'turnwise.json')
    assert.match(kept?.text ?? '', /\/\/ ours/)
  })

  test(`${kind}: edits of many clients on two nodes at once are all there in the end`, { skip }, async t => {
    const store = await openStore(t)
    const nodes = [await startNode(t, store), await startNode(t, store)]
    const puts = nodes.flatMap(({ call }, node) =>
      Array.from({ length: 3 }, (_, n) => call('PUT', `/api/agents/a${node}${n}`, { name: `A${node}${n}`, prompt: 'x' })),
    )
    assert.deepEqual(
      (await Promise.all(puts)).map(({ status }) => status),
      Array.from({ length: 6 }, () => 200),
    )
    for (const node of nodes) await until(async () => (await agents(node)).length === 7)
  })

  test(`${kind}: who can reach a node, its store and its channels are its own`, { skip }, async t => {
    const store = await openStore(t)
    const mine = '{ "gateway": { "token": "a-token-of-this-node-alone" }, "store": "sqlite:mine.db", "channels": {} }'
    const one = await startNode(t, store, { 'turnwise.json': mine }, { TURNWISE_TOKEN: 'a-token-of-this-node-alone' })
    const other = await startNode(t, store)
    assert.equal((await one.call('PATCH', '/api/settings', { limits: { steps: 9 } })).status, 200)
    const kept = must(await store.documents.changed(0)).find(({ name }) => name === 'turnwise.json')
    assert.doesNotMatch(kept?.text ?? '', /token|mine\.db|channels/)
    await until(async () => JSON.stringify((await other.call('GET', '/api/settings')).body).includes('"value":9'))
    const tree = (await one.call('GET', '/api/settings')).body as Record<string, { value?: unknown; source?: string }>
    assert.deepEqual([tree.store?.value, tree.store?.source], ['sqlite:mine.db', 'file'])
    const plain = (await other.call('GET', '/api/settings')).body as Record<string, { value?: unknown }>
    assert.equal(plain.store?.value, 'sqlite:turnwise.db')
  })

  test(`${kind}: without TURNWISE_SECRET keys are refused, with what to do instead, and none gets into the store`, {
    skip,
  }, async t => {
    const store = await openStore(t)
    const one = await startNode(t, store)
    const { status, body } = await one.call('PUT', '/api/providers/anthropic', { apiKey: 'sk-test-123456789012345' })
    assert.equal(status, 409)
    assert.match(String(body.detail), /set them on each node, or set TURNWISE_SECRET/)
    assert.deepEqual(must(await store.documents.changed(0)), [])
    const file = {
      'turnwise.json': '{ "providers": { "lan": { "baseURL": "http://127.0.0.1:9/v1", "apiKey": "sk-plain-1234567890" } } }',
    }
    const other = await startNode(t, store, file)
    const refused = await other.call('PATCH', '/api/settings', { limits: { steps: 9 } })
    assert.equal(refused.status, 409)
    assert.match(String(refused.body.detail), /providers\.lan may contain a secret/)
    assert.doesNotMatch(String(refused.body.detail), /sk-plain/)
    assert.deepEqual(must(await store.documents.changed(0)), [])
  })

  test(`${kind}: with TURNWISE_SECRET a key is entered once, encrypted, and counts on every node; a key of one node counts there`, {
    skip,
  }, async t => {
    const store = await openStore(t)
    const variables = { TURNWISE_SECRET: SECRET }
    const local = '{ "providers": { "local": { "baseURL": "http://127.0.0.1:9/v1", "apiKey": "sk-local-1234567890" } } }'
    const one = await startNode(t, store, { 'secrets.json': local }, variables)
    const other = await startNode(t, store, {}, variables)
    const wanted = { apiKey: 'sk-shared-1234567890', baseURL: 'http://127.0.0.1:9/v1' }
    assert.equal((await one.call('PUT', '/api/providers/lan', wanted)).status, 200)
    const has = async ({ call }: typeof one, wantedName: string): Promise<boolean> =>
      ((await call('GET', '/api/providers')).body.items as { name: string; hasKey: boolean }[]).some(
        ({ name, hasKey }) => name === wantedName && hasKey,
      )
    await until(() => has(other, 'lan'))
    assert.deepEqual([await has(one, 'local'), await has(other, 'local')], [true, false])
    const documents = must(await store.documents.changed(0))
    assert.doesNotMatch(JSON.stringify(documents), /sk-shared|sk-local/)
    assert.equal(readFileSync(join(one.home, 'secrets.json'), 'utf8'), local)
    const stays = await one.call('DELETE', '/api/providers/local')
    assert.equal(stays.status, 409)
    assert.match(String(stays.body.detail), /providers\.local is in .*secrets\.json on this node; take it out there/)
    assert.equal((await other.call('DELETE', '/api/providers/lan')).status, 204)
    await until(async () => !(await has(one, 'lan')))
    // Without keys nothing is encrypted, so that the nodes can start with another secret.
    const renamed = await startNode(t, store, {}, { TURNWISE_SECRET: 'another secret of sixteen' })
    assert.equal((await renamed.call('PUT', '/api/providers/lan', wanted)).status, 200)
  })

  test(`${kind}: another TURNWISE_SECRET is refused at the start, and without one a node works with its own keys`, {
    skip,
  }, async t => {
    const store = await openStore(t)
    const right = await startNode(t, store, {}, { TURNWISE_SECRET: SECRET })
    const wanted = { apiKey: 'sk-shared-1234567890', baseURL: 'http://127.0.0.1:9/v1' }
    assert.equal((await right.call('PUT', '/api/providers/lan', wanted)).status, 200)
    const before = must(await store.documents.changed(0))
    const wrong = await entered(t, store, {}, { TURNWISE_SECRET: 'another secret of sixteen' })
    assert.ok(!wrong.opened.ok)
    assert.match(wrong.opened.fault.message, /^secrets\.json: TURNWISE_SECRET is not the one that it was encrypted with/)
    const none = await startNode(t, store)
    const { body } = await none.call('GET', '/readyz')
    assert.match(JSON.stringify(body.reasons), /secrets\.json is encrypted; set TURNWISE_SECRET as on the other nodes/)
    assert.equal((await none.call('PUT', '/api/providers/lan', wanted)).status, 409)
    assert.deepEqual(must(await store.documents.changed(0)), before)
  })
}
