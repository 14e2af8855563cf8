// Every fault on every wire: its name, what was said until then, how often it was asked, and nothing left behind.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { FaultKind } from '../../src/model/fault.ts'
import type { ProviderSetting } from '../../src/model/provider.ts'
import { type FakeFault, type Script, startFake } from '../../src/testing/index.ts'
import { DOORS } from './fakes/door.ts'
import { clientFor, collected, descriptorOf, type Reply, replyOf, requestTo, spokenBy } from './speaking.ts'

const TEXT = 'Once upon a time there was a river, and it carried small boats down to the sea.'
const spoken = (...faults: readonly FakeFault[]): Script => ({ says: [{ type: 'text', text: TEXT }], faults })
const sound: Script = spoken()
const flood: Script = { says: [{ type: 'text', text: TEXT.repeat(1000) }], every: 100_000, faults: [{ type: 'endless' }] }

type Expectation = {
  readonly what: string
  readonly script: Script
  /** Nothing: the reply is whole. */
  readonly fault?: FaultKind
  /** How often it is asked; what fails once and is asked again succeeds. */
  readonly requests: number
  /** Whether some of the text was heard. */
  readonly partial?: boolean
  readonly message?: RegExp
  readonly timeouts?: ProviderSetting['timeouts']
}

/** Late enough for some text on every wire, early enough for none to be whole. */
const MIDDLE = 1500
const status = (code: number, headers: Readonly<Record<string, string>> = {}, body?: string): Script =>
  spoken({ type: 'status', code, headers, ...(body === undefined ? {} : { body }) })
const NOW = { 'retry-after-ms': '1' }

const EXPECTATIONS: readonly Expectation[] = [
  { what: 'nothing wrong', script: sound, requests: 1 },
  { what: '400', script: status(400), fault: 'rejected', requests: 1 },
  {
    what: '400 for length',
    script: status(400, {}, '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}'),
    fault: 'too-long',
    requests: 1,
  },
  { what: '401', script: status(401), fault: 'unauthorized', requests: 1, message: /set providers\.\w+\.apiKey/ },
  { what: '403', script: status(403), fault: 'unauthorized', requests: 1 },
  { what: '404', script: status(404), fault: 'not-found', requests: 1 },
  { what: '408', script: status(408, NOW), fault: 'timeout', requests: 3 },
  { what: '409', script: status(409, NOW), fault: 'overloaded', requests: 3 },
  { what: '413', script: status(413), fault: 'too-long', requests: 1 },
  {
    what: '413 as a page',
    script: spoken({ type: 'status', code: 413, html: '<h1>too large</h1>' }),
    fault: 'too-long',
    requests: 1,
  },
  { what: '429', script: status(429, NOW), fault: 'throttled', requests: 3 },
  { what: '429, spent', script: status(429, NOW, '{"error":{"code":"insufficient_quota"}}'), fault: 'throttled', requests: 1 },
  { what: '429, for longer than anybody waits', script: status(429, { 'retry-after': '61' }), fault: 'throttled', requests: 1 },
  { what: '500', script: status(500, NOW), fault: 'overloaded', requests: 3 },
  {
    what: '502 as a page',
    script: spoken({ type: 'status', code: 502, html: '<html>bad gateway</html>' }),
    fault: 'overloaded',
    requests: 3,
  },
  { what: '503', script: status(503, NOW), fault: 'overloaded', requests: 3 },
  { what: '529', script: status(529, NOW), fault: 'overloaded', requests: 3 },
  {
    what: 'a redirect',
    script: spoken({ type: 'redirect', to: 'http://127.0.0.1:9/' }),
    fault: 'rejected',
    requests: 1,
    message: /redirect/,
  },
  {
    what: 'reset before the first word',
    script: spoken({ type: 'cutAt', byte: 20, how: 'rst' }),
    fault: 'unreachable',
    requests: 3,
  },
  {
    what: 'closed before the first word',
    script: spoken({ type: 'cutAt', byte: 20, how: 'fin' }),
    fault: 'garbled',
    requests: 3,
  },
  { what: 'ended before the first word', script: spoken({ type: 'cutAt', byte: 20, how: 'end' }), fault: 'garbled', requests: 3 },
  { what: 'reset on accept', script: spoken({ type: 'refuseConnections' }), fault: 'unreachable', requests: 3 },
  {
    what: 'reset in the middle',
    script: spoken({ type: 'cutAt', byte: MIDDLE, how: 'rst' }),
    fault: 'unreachable',
    requests: 1,
    partial: true,
  },
  {
    what: 'closed in the middle',
    script: spoken({ type: 'cutAt', byte: MIDDLE, how: 'fin' }),
    fault: 'garbled',
    requests: 1,
    partial: true,
  },
  {
    what: 'ended in the middle',
    script: spoken({ type: 'cutAt', byte: MIDDLE, how: 'end' }),
    fault: 'garbled',
    requests: 1,
    partial: true,
  },
  { what: 'no end', script: spoken({ type: 'noTerminal' }), fault: 'garbled', requests: 1, partial: true },
  { what: 'bad JSON', script: spoken({ type: 'badJson', at: 8 }), fault: 'garbled', requests: 1, partial: true },
  {
    what: 'an error event in the middle',
    script: spoken({ type: 'errorEvent', error: 'overloaded_error', at: 8 }),
    fault: 'overloaded',
    requests: 1,
    partial: true,
  },
  {
    what: 'an error event at once',
    script: spoken({ type: 'errorEvent', error: 'overloaded_error', at: 0 }),
    fault: 'overloaded',
    requests: 3,
  },
  {
    what: 'a stall before the first byte',
    script: spoken({ type: 'stallAt', byte: 0 }),
    fault: 'timeout',
    requests: 1,
    timeouts: { firstByteMs: 60 },
    message: /sent nothing within/,
  },
  {
    what: 'a stall before the head',
    script: spoken({ type: 'delayHeaders', ms: 3_600_000 }),
    fault: 'timeout',
    requests: 1,
    timeouts: { firstByteMs: 60 },
  },
  {
    what: 'a stall in the middle',
    script: spoken({ type: 'stallAt', byte: MIDDLE }),
    fault: 'timeout',
    requests: 1,
    partial: true,
    timeouts: { idleMs: 60 },
    message: /sent nothing more within/,
  },
  {
    what: 'slow, with signs of life',
    script: spoken({ type: 'chunks', sizes: [400], gapMs: 40 }, { type: 'pingEvery', ms: 15 }),
    requests: 1,
    timeouts: { idleMs: 2000 },
  },
  { what: 'a giant line', script: spoken({ type: 'giantLine', bytes: 2 ** 21 }), fault: 'too-large', requests: 1, partial: true },
  { what: 'no end of text', script: flood, fault: 'too-large', requests: 1, partial: true },
  { what: 'a gzip bomb', script: spoken({ type: 'gzipBomb' }), fault: 'garbled', requests: 1, message: /encoding/ },
  { what: 'a socket left open after the end', script: spoken({ type: 'afterDoneHang' }), requests: 1 },
  { what: 'a byte order mark and CR LF', script: spoken({ type: 'bom' }, { type: 'crlf' }), requests: 1 },
  { what: 'events nobody knows', script: spoken({ type: 'unknownEvents' }), requests: 1 },
  { what: 'cut anywhere', script: spoken({ type: 'chunks', sizes: [1, 2, 3, 5, 7, 11] }), requests: 1 },
]

for (const { name, wire, flavour } of DOORS) {
  for (const { what, script, fault, requests, partial = false, message, timeouts } of EXPECTATIONS) {
    test(`${name}: ${what}`, { timeout: 20_000 }, async () => {
      await using fake = await startFake({ wire, flavour, script })
      const before = activeTimers()
      const provider = clientFor(name, fake.url, timeouts === undefined ? {} : { timeouts })
      const reply = await spokenBy(provider, requestTo(name))
      provider.close?.()
      assert.equal(reply.fault?.kind, fault, reply.fault?.message ?? '')
      if (fault === undefined) assert.equal(reply.text, TEXT)
      else if (what !== 'no end of text') assert.ok(TEXT.startsWith(reply.text), reply.text)
      if (fault !== undefined) assert.equal(reply.text !== '', partial, reply.text)
      if (message !== undefined) assert.match(reply.fault?.message ?? '', message)
      assert.equal(fake.requests.length, requests)
      assert.equal(reply.retries, requests - 1)
      await fake.quiet()
      assert.equal(activeTimers(), before, 'no timer is left')
    })
  }

  test(`${name}: what fails once is asked again, and only then`, async () => {
    await using fake = await startFake({ wire, flavour, script: sound })
    fake.say(status(503, NOW), spoken({ type: 'cutAt', byte: 10, how: 'rst' }))
    const provider = clientFor(name, fake.url)
    const reply = await spokenBy(provider, requestTo(name))
    provider.close?.()
    assert.deepEqual([reply.text, reply.retries, fake.requests.length, reply.fault], [TEXT, 2, 3, undefined])
    const bodies = new Set(fake.requests.map(({ body }) => body))
    assert.deepEqual([...bodies], [requestTo(name).body])
  })

  test(`${name}: a cancel reaches the socket, whatever it waits for`, async () => {
    const waits: readonly FakeFault[][] = [
      [{ type: 'delayHeaders', ms: 3_600_000 }],
      [{ type: 'stallAt', byte: MIDDLE }],
      [{ type: 'endless' }],
      [{ type: 'status', code: 503, headers: { 'retry-after': '30' } }],
    ]
    for (const faults of waits) {
      await using fake = await startFake({ wire, flavour, script: spoken(...faults) })
      const provider = clientFor(name, fake.url)
      const controller = new AbortController()
      const deltas = collected(provider.speak(requestTo(name), controller.signal))
      await fake.nextRequest()
      controller.abort()
      const reply = replyOf(await deltas)
      assert.equal(reply.end, undefined)
      await fake.quiet()
      assert.equal(fake.requests.length, 1)
      provider.close?.()
    }
  })

  test(`${name}: whoever stops listening lets go of the connection`, async () => {
    await using fake = await startFake({ wire, flavour, script: spoken({ type: 'endless' }) })
    const provider = clientFor(name, fake.url)
    for await (const delta of provider.speak(requestTo(name), new AbortController().signal)) if (delta.type === 'text') break
    await fake.quiet()
    provider.close?.()
  })

  test(`${name}: a key that is quoted back is not shown`, async () => {
    await using fake = await startFake({ wire, flavour, script: spoken({ type: 'echoKey' }) })
    const provider = clientFor(name, fake.url, { apiKey: 'sk-canary-0123456789' })
    const { fault } = await spokenBy(provider, requestTo(name))
    provider.close?.()
    assert.equal(fault?.kind, 'unauthorized')
    assert.doesNotMatch(fault?.message ?? '', /canary/)
    assert.match(fault?.message ?? '', /\[redacted\]/)
  })
}

test('a server that nobody runs, a name that nobody has, an address that is nobody else’s', async () => {
  const asked = (baseURL: string): Promise<Reply> => spokenBy(clientFor('openai', baseURL), requestTo('openai'))
  await using gone = await startFake({ wire: 'openai', refuseConnections: true })
  const refused = await asked(gone.url)
  assert.deepEqual([refused.fault?.kind, refused.retries], ['unreachable', 2])
  assert.match(refused.fault?.message ?? '', /is it running\?/)
  assert.equal((await asked('http://nobody.invalid/v1')).fault?.kind, 'unreachable')
  for (const host of ['169.254.169.254', '[::ffff:a9fe:a9fe]', '[fe80::1]', '2852039166', '0xa9fea9fe'])
    assert.match((await asked(`http://${host}/v1`)).fault?.message ?? '', /own network alone/, host)
})

test('a certificate that nobody vouches for', async () => {
  const pem = readFileSync('test/provider/fixtures/nobody-trusts-this.pem')
  const server = createServer({ key: pem, cert: pem }, (_, response) => response.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const provider = clientFor('openai', `https://127.0.0.1:${port}/v1`)
  const { fault, retries } = await spokenBy(provider, requestTo('openai'))
  provider.close?.()
  server.close()
  assert.deepEqual([fault?.kind, retries], ['unreachable', 2])
  assert.match(fault?.message ?? '', /certificate that cannot be trusted/)
})

test('no more requests at once than the provider was given, in the order in which they came', async () => {
  await using fake = await startFake({ wire: 'openai', script: spoken({ type: 'stallAt', byte: MIDDLE }) })
  const provider = clientFor('openai', fake.url, { concurrency: 2 })
  const controllers = Array.from({ length: 5 }, () => new AbortController())
  const replies = controllers.map(({ signal }, index) => spokenBy(provider, requestTo('openai', { ordinal: index }), signal))
  const ordinal = async (): Promise<unknown> => JSON.parse((await fake.nextRequest()).body).ordinal
  assert.deepEqual([await ordinal(), await ordinal()].sort(), [0, 1])
  // One that gives up while it waits leaves its place to the next.
  controllers[2]?.abort()
  assert.equal((await replies[2])?.text, '')
  controllers[0]?.abort()
  assert.equal(await ordinal(), 3)
  controllers[1]?.abort()
  assert.equal(await ordinal(), 4)
  for (const controller of controllers) controller.abort()
  await Promise.all(replies)
  await fake.quiet()
  assert.equal(fake.requests.length, 4)
  provider.close?.()
})

test('a missing key is said in one line, before anything is sent', async () => {
  const { createClient } = await import('../../src/provider/transport/client.ts')
  await using fake = await startFake({ wire: 'openai' })
  const provider = createClient({
    name: 'openai',
    descriptor: descriptorOf('openai'),
    needsKey: true,
    setting: { baseURL: fake.url, keyName: 'OPENAI_API_KEY' },
  })
  const { fault } = await spokenBy(provider, requestTo('openai'))
  assert.deepEqual(
    [fault?.kind, fault?.message],
    ['unauthorized', 'openai needs a key; set OPENAI_API_KEY, or run "turnwise connect openai"'],
  )
  assert.equal(fake.requests.length, 0)
})

const activeTimers = (): number => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
