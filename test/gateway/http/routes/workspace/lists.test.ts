// What the gateway says about itself: its health, its figures, its routes, what is configured.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { fault } from '../../../../../src/model/fault.ts'
import { err } from '../../../../../src/model/result.ts'
import { startGateway } from '../../../../support/gateway.ts'
import { clientOf, type Json } from '../../client.ts'
import { LARGE_SCRIPT, pageFolder } from '../../page-folder.ts'

test('agents, policies and models are listed by what one may ask for', async t => {
  const agents = [
    {
      key: 'engineer',
      name: 'Engineer',
      prompt: 'You build things. This text is nobody’s business.',
      description: 'Builds',
      color: '#0a7',
      model: 'demo',
      policy: 'recent',
      thinking: true,
      maxTokens: 1000,
    },
    { key: 'poet', name: 'Poet', prompt: 'You rhyme.' },
  ]
  const client = clientOf((await startGateway(t, { agents: () => agents })).url)
  assert.deepEqual(await client.json(200, 'GET', '/api/agents'), {
    items: [
      {
        key: 'engineer',
        name: 'Engineer',
        description: 'Builds',
        color: '#0a7',
        model: 'demo',
        policy: 'recent',
        thinking: true,
        maxTokens: 1000,
      },
      { key: 'poet', name: 'Poet' },
    ],
  })
  const policies = (await client.json(200, 'GET', '/api/policies')).items
  for (const { name } of policies)
    assert.equal((await client.json(201, 'POST', '/api/sessions', { body: { policy: name } })).policy, name)
  assert.ok(policies.some(({ name }: Json) => name === 'recent'))
  const models = (await client.json(200, 'GET', '/api/models')).items
  assert.ok(models.some(({ name, window }: Json) => name === 'demo' && window === 32_000))
  assert.equal((await client.json(201, 'POST', '/api/sessions')).agent, 'engineer')
  assert.equal((await client.json(201, 'POST', '/api/sessions', { body: { agent: 'poet' } })).agent, 'poet')
})

test('healthy and ready are two things', async t => {
  let isAway = false
  const { url } = await startGateway(t, {
    instead: engine => ({
      ...engine,
      sessions: async query => (isAway ? err(fault('store', 'the database does not answer')) : engine.sessions(query)),
    }),
  })
  const client = clientOf(url)
  assert.deepEqual(await client.json(200, 'GET', '/healthz'), { status: 'ok' })
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
  isAway = true
  assert.deepEqual(await client.json(200, 'GET', '/healthz'), { status: 'ok' })
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'degraded', reasons: ['the database does not answer'] })
  await client.problem(503, 'store', 'GET', '/api/sessions')
})

test('a mistake of ours is a problem without its details, and is reported', async t => {
  const { url, bugs } = await startGateway(t, {
    instead: engine => ({
      ...engine,
      session: async () => {
        throw new Error('a secret detail')
      },
    }),
  })
  const problem = await clientOf(url).problem(500, 'bug', 'GET', '/api/sessions/ses_1')
  assert.ok(!JSON.stringify(problem).includes('secret'))
  assert.equal(bugs.splice(0).length, 1)
})

test('the page says so when it is not built, and is served whole when it is', async t => {
  const bare = await fetch((await startGateway(t)).url)
  assert.equal(bare.status, 503)
  assert.match(await bare.text(), /Run "npm start"/)
  const { url } = await startGateway(t, { page: pageFolder(t) })
  const page = await fetch(url)
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(page.headers.get('cache-control'), 'no-cache')
  const policy = page.headers.get('content-security-policy') ?? ''
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "img-src 'self' data: blob:",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.includes(rule), rule)
  const script = await fetch(`${url}/assets/app-1a2b.js`)
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  const headOnly = await fetch(`${url}/assets/app-1a2b.js`, { method: 'HEAD' })
  assert.deepEqual([headOnly.status, headOnly.headers.get('content-length'), await headOnly.text()], [200, '6', ''])
  for (const path of ['/assets/', '/assets/nothing.js', '/index.htm', '/assets%2fapp-1a2b.js', '/..%2fpackage.json'])
    assert.equal((await fetch(url + path)).status, 404, path)
})

test('the page is packed for whoever takes it packed, and for nobody else', async t => {
  const { port } = await startGateway(t, { page: pageFolder(t) })
  const ask = async (path: string, accept: string): Promise<Response> => {
    const headers = accept === '' ? {} : { 'accept-encoding': accept }
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    request({ port, host: '127.0.0.1', path, headers }, answer => {
      buffer(answer).then(body => resolve(new Response(body, { headers: answer.headers as Record<string, string> })), reject)
    })
      .on('error', reject)
      .end()
    return promise
  }
  for (const accept of ['gzip', 'gzip, deflate, br', 'br;q=1, gzip;q=0.5', 'deflate;q=0, GZIP']) {
    const packed = await ask('/assets/large-3c4d.js', accept)
    assert.equal(packed.headers.get('content-encoding'), 'gzip', accept)
    assert.equal(packed.headers.get('vary'), 'accept-encoding')
    const bytes = Buffer.from(await packed.arrayBuffer())
    assert.equal(packed.headers.get('content-length'), String(bytes.length))
    assert.equal(gunzipSync(bytes).toString(), LARGE_SCRIPT)
  }
  for (const accept of ['', 'br', 'identity', 'gzip;q=0', 'gzip; q=0.0, br', 'GZIP ; Q=0', 'my-gzip-like']) {
    const plain = await ask('/assets/large-3c4d.js', accept)
    assert.equal(plain.headers.get('content-encoding'), null, accept)
    assert.equal(await plain.text(), LARGE_SCRIPT)
  }
  assert.equal((await ask('/assets/app-1a2b.js', 'gzip')).headers.get('content-encoding'), null, 'too small to be worth it')
})

test('the figures are Prometheus text, and count what happened', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const empty = await figures(client)
  assert.equal(empty.get('turnwise_streams'), 0)
  await client.talk(session, 'One', 'Two')
  const reader = await client.follow(session)
  const counted = await figures(client)
  assert.equal(counted.get('turnwise_turns_total{reason="done"}'), 2)
  assert.equal(counted.get('turnwise_streams'), 1)
  for (const name of ['context_read_seconds', 'context_assemble_seconds', 'context_tokens', 'first_delta_seconds'])
    assert.equal(counted.get(`turnwise_${name}_count`), 2, name)
  assert.equal(counted.get('turnwise_context_messages_sum'), 1 + 3)
  await reader.hangUp()
})

/** Every sample by its name and labels; whatever Prometheus would not read is an error. */
async function figures(client: ReturnType<typeof clientOf>): Promise<Map<string, number>> {
  const response = await client.ask('GET', '/metrics')
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  assert.ok(text.endsWith('\n'))
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  for (const line of text.slice(0, -1).split('\n')) {
    const [, family, type] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (family !== undefined && type !== undefined) {
      assert.ok(!types.has(family), `${family} is declared once`)
      types.set(family, type)
      continue
    }
    if (/^# HELP [a-z_]+ \S.*$/.test(line)) continue
    const [, key = '', name = '', value] =
      /^(([a-zA-Z_:][\w:]*)(?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})?) (\S+)$/.exec(line) ?? []
    assert.ok(Number.isFinite(Number(value)), `not a sample: ${line}`)
    assert.ok(types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram', `${name} has no type`)
    assert.ok(!samples.has(key), `${key} comes once`)
    samples.set(key, Number(value))
  }
  for (const [family] of [...types].filter(([, type]) => type === 'histogram')) {
    const buckets = [...samples].filter(([key]) => key.startsWith(`${family}_bucket{`)).map(([, count]) => count)
    assert.deepEqual(
      buckets,
      buckets.toSorted((a, b) => a - b),
      'buckets are cumulative',
    )
    assert.equal(buckets.at(-1), samples.get(`${family}_count`))
    assert.ok(samples.has(`${family}_sum`) && samples.has(`${family}_bucket{le="+Inf"}`))
  }
  return samples
}
