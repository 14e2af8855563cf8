// From a message's arrival to the first delta of its answer, with a provider that answers at once: what the house itself adds.
import { createServer, request as httpRequest, Agent as KeepAlive } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createMetrics } from '../src/gateway/http/metrics.ts'
import { loadPage } from '../src/gateway/http/page.ts'
import { openGateway } from '../src/gateway/http/server.ts'
import { signalFrame } from '../src/gateway/http/sse.ts'
import { createEngine, type Engine, sqliteLog, weigh } from '../src/index.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Delta } from '../src/model/message/delta.ts'
import type { Provider } from '../src/model/provider.ts'
import { settingsSchema } from '../src/model/settings/config.ts'
import { demoWire } from '../src/provider/demo/wire.ts'
import { copyOf, fixture, type Sized } from './fixture.ts'
import { type Case, measure, report, type Scale, scaleOf, sure } from './measure.ts'

const DELTAS = 20
const TURNS_PER_SECOND = 100
const SESSIONS = 50
const TEXT = 'Tell me something about small boats on a wide river, please.'

const scale = scaleOf(process.argv)
using database = copyOf(fixture(scale.small, scale.large))
const log = sure(await sqliteLog({ file: database.file, clock: Date.now, weigh }))

let askedAt = 0
const provider: Provider = {
  wire: demoWire,
  async *speak(): AsyncGenerator<Delta> {
    askedAt = performance.now()
    for (let word = 0; word < DELTAS; word += 1) yield { type: 'text', text: ' word' }
    yield { type: 'done' }
  },
}
const bug = (cause: unknown): never => {
  throw cause
}
const engine = createEngine({ log, provider, policy: 'recent', observe: seen => seen.type === 'bug' && bug(seen.cause) })
const settings = settingsSchema.parse({ gateway: { port: 0 } }).gateway
const gateway = await openGateway({ engine, settings, metrics: createMetrics(), page: loadPage(''), onBug: bug })

const direct: Case = { messages: 0, once: async () => ({ 'provider alone': await firstOf(provider) }) }

/** One reader follows the session all the time, as a page does. */
async function throughEngine({ session, messages }: Sized): Promise<Case> {
  const reader = await readerOf(engine, session)
  return {
    messages,
    counts: 'say: turn has ended',
    once: async () => {
      const heard = reader.next()
      const started = performance.now()
      sure(await engine.say({ session, text: TEXT, from: 'person' }))
      const safe = performance.now() - started
      const { firstAt, endedAt } = await heard
      return {
        'say: message is safe': safe,
        'say: provider is asked': askedAt - started,
        'say: first delta is heard': firstAt - started,
        'say: turn has ended': endedAt - started,
      }
    },
  }
}

const overHttp = (url: string, { session, messages }: Sized, what: string): Case => ({
  messages,
  once: async () => ({ [what]: await firstFrame(`${url}/api/sessions/${session}/messages`) }),
})

/** What `node:http` takes by itself: the same deltas in the same frames, with nothing behind them. */
const bare = createServer(async (request, response) => {
  for await (const _ of request);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  let offset = 0
  for await (const delta of provider.speak({ url: 'demo:', body: '{}' }, AbortSignal.timeout(1000))) {
    if (delta.type !== 'text') continue
    const heard = { turn: 'trn_bare' as TurnId, step: 1, kind: 'text', part: 0, offset, text: delta.text } as const
    response.write(signalFrame(database.small.session, { type: 'delta', delta: heard }))
    offset += delta.text.length
  }
  response.end()
})
await new Promise<void>(resolve => bare.listen(0, '127.0.0.1', resolve))
const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`
const connections = new KeepAlive({ keepAlive: true })

await report('first-delta', scale, async () => [
  ...(await measure(
    [
      direct,
      await throughEngine(database.small),
      await throughEngine(database.large),
      overHttp(bareUrl, { ...database.small, messages: 0 }, 'HTTP: provider alone'),
      overHttp(gateway.url, database.small, 'HTTP: first delta is heard'),
      overHttp(gateway.url, database.large, 'HTTP: first delta is heard'),
    ],
    scale,
  )),
  ...(await measure(await openLoop(scale), scale)),
])
connections.destroy()
bare.close()
await engine.close()
await gateway.close()

/** A message every ten milliseconds, whether or not the last one is answered; waiting is counted from when it should have come. */
async function openLoop({ goes }: Scale): Promise<readonly Case[]> {
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, async () => sure(await engine.open({})).id))
  const readers = await Promise.all(sessions.map(session => readerOf(engine, session)))
  let arrived = 0
  let from = 0
  const scheduled = async (): Promise<number> => {
    if (arrived % goes === 0) from = performance.now() + 10
    const at = from + ((arrived % goes) * 1000) / TURNS_PER_SECOND
    arrived += 1
    await pause(Math.ceil(at - performance.now()))
    return at
  }
  return [
    {
      messages: 0,
      atOnce: goes,
      goes,
      once: async () => {
        const at = await scheduled()
        await firstOf(provider)
        return { [`${TURNS_PER_SECOND}/s: provider alone`]: performance.now() - at }
      },
    },
    {
      messages: 0,
      atOnce: goes,
      goes,
      once: async () => {
        const index = arrived % SESSIONS
        const at = await scheduled()
        const session = sessions[index]
        const heard = readers[index]?.next()
        if (session === undefined || heard === undefined) throw new Error('as many readers as sessions')
        sure(await engine.say({ session, text: TEXT, from: 'person' }))
        return { [`${TURNS_PER_SECOND}/s: first delta is heard`]: (await heard).firstAt - at }
      },
    },
  ]
}

async function firstOf({ speak }: Provider): Promise<number> {
  const started = performance.now()
  for await (const _ of speak({ url: 'demo:', body: '{}' }, AbortSignal.timeout(1000))) break
  return performance.now() - started
}

type Reader = { readonly next: () => Promise<{ readonly firstAt: number; readonly endedAt: number }> }

/** Follows a session and says when the next turn was first heard, once it is over. */
async function readerOf({ follow }: Engine, session: SessionId): Promise<Reader> {
  const { head } = sure(await log.standing(session))
  const waiting: ((times: { firstAt: number; endedAt: number }) => void)[] = []
  let firstAt = 0
  const read = async (): Promise<void> => {
    for await (const signal of follow(session, head, new AbortController().signal)) {
      if (signal.type === 'delta' && firstAt === 0) firstAt = performance.now()
      if (signal.type !== 'event' || signal.event.type !== 'turn.ended') continue
      if (signal.event.reason !== 'done') bug(new Error(`the turn ended: ${signal.event.fault?.message}`))
      waiting.shift()?.({ firstAt, endedAt: performance.now() })
      firstAt = 0
    }
  }
  read().catch(bug)
  return { next: () => new Promise(resolve => waiting.push(resolve)) }
}

/** Sends a message over a connection that is already open; the time to its first delta, once the whole answer is there. */
function firstFrame(url: string): Promise<number> {
  const started = performance.now()
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', agent: connections, headers }, response => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
      let firstMs: number | undefined
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (chunk.includes('event: delta')) firstMs ??= performance.now() - started
      })
      response.on('end', () => (firstMs === undefined ? reject(new Error('no delta came')) : resolve(firstMs)))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ text: TEXT }))
  })
}
