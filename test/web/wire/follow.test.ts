import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createApiConnection } from '../../../web/src/wire/ask.ts'
import { createApiClient } from '../../../web/src/wire/client.ts'
import type { ConnectionState } from '../../../web/src/wire/follow.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import '../world.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const message = (seq: number): string =>
  `id: ${seq}\nevent: message.received\ndata: {"seq":${seq},"text":"m${seq}","from":"person"}\n\n`

const sends =
  (text: string, { cut }: { readonly cut: boolean }): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text, () => cut && response.destroy())
  }

/** Follows a server that gives one answer after the other, until `enough`. */
async function followThrough(
  answers: readonly Answer[],
  enough: (signals: readonly PageSignal[], link: ConnectionState) => boolean,
) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    assert.equal(request.headers.authorization, 'Bearer secret')
    assert.equal(request.url, '/api/sessions/ses_1/events')
    answers[asked.length - 1]?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const client = createApiClient(
    createApiConnection(
      () => 'secret',
      (path, init) => fetch(new URL(path, base), init),
    ),
  )
  const signals: PageSignal[] = []
  const links: ConnectionState[] = []
  try {
    await new Promise<void>(resolve => {
      const following = client.follow({
        session: 'ses_1',
        after: 0,
        onSignals: more => {
          signals.push(...more)
          check({ state: 'live' })
        },
        onLink: link => {
          links.push(link)
          check(link)
        },
      })
      const check = (link: ConnectionState): void => {
        if (!enough(signals, link)) return
        following.stop()
        resolve()
      }
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return { asked, links: links.map(({ state }) => state), signals }
}

test('after a cut it goes on behind the last event it has heard', async () => {
  const { asked, signals } = await followThrough(
    [sends(message(1) + message(2), { cut: true }), sends(message(3), { cut: false })],
    heard => heard.length === 3,
  )
  assert.deepEqual(asked, ['0', '2'])
  assert.deepEqual(
    signals.map(signal => signal.type === 'event' && signal.event.seq),
    [1, 2, 3],
  )
})

test('a reset begins again from nothing', async () => {
  const { asked } = await followThrough(
    [sends(`${message(7)}event: reset\ndata: {}\n\n`, { cut: true }), sends(message(1), { cut: false })],
    heard => heard.length === 3,
  )
  assert.deepEqual(asked, ['0', '0'])
})

const refuse =
  (status: number): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ title: `no ${status}`, detail: 'why' }))
  }

for (const status of [408, 429, 500, 503])
  test(`${status} passes and is tried again, a refusal is not`, async t => {
    pausesOf(t)
    const { asked, links } = await followThrough([refuse(status), refuse(404)], (_, link) => link.state === 'refused')
    assert.equal(asked.length, 2)
    assert.equal(links.at(-1), 'refused')
    assert.ok(links.includes('lost'))
  })

/** How long it would wait between two tries; nothing is waited for. */
function pausesOf(t: TestContext): readonly number[] {
  const pauses: number[] = []
  const original = globalThis.setTimeout
  t.mock.method(globalThis, 'setTimeout', ((act: () => void, ms = 0, ...rest: readonly unknown[]) => {
    // The longest one is how long a silent line is believed in; `fetch` sets some of its own, and hands them something.
    if (ms > 15_000 || rest.length > 0) return original(act, ms, ...(rest as []))
    pauses.push(ms)
    return original(act, 0)
  }) as typeof setTimeout)
  return pauses
}

test('pauses between tries grow, and begin anew when something was heard', async t => {
  const pauses = pausesOf(t)
  await followThrough(
    [refuse(503), refuse(503), refuse(503), sends(message(1), { cut: true }), sends(message(2), { cut: false })],
    heard => heard.length === 2,
  )
  const usual = [400, 800, 1600, 400]
  assert.equal(pauses.length, usual.length)
  for (const [index, ms] of pauses.entries()) {
    const about = usual[index] ?? 0
    assert.ok(ms >= about * 0.75 && ms <= about * 1.25, `pause ${index + 1} is ${ms} ms`)
  }
})
