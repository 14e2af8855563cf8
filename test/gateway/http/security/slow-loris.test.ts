// Safety row 33: connections that drip cost their owner, not the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf } from '../client.ts'
import { isEvent } from '../frames.ts'
import { dial, type Line } from '../raw.ts'

const DRIPPING = 300
/** 10 s for the headers, and a look at every connection once a second; the rest is for a busy machine. */
const CLOSED_WITHIN_MS = 20_000

test('sockets that send a byte a second are closed while everyone else is served', async t => {
  const { port, url } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const follower = await client.follow(session)
  const started = performance.now()

  const lines: Line[] = Array.from({ length: DRIPPING }, () => dial(port))
  const endings = lines.map(async ({ closed }) => {
    const text = await closed
    return { text, afterMs: performance.now() - started }
  })
  for (const [index, { socket }] of lines.entries()) {
    // A third says nothing at all, a third sends its request line in drips, a third its headers.
    if (index % 3 === 1) socket.write('GET /')
    if (index % 3 === 2) socket.write('POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nX-')
  }
  const drip = setInterval(() => {
    for (const [index, { socket }] of lines.entries()) if (index % 3 !== 0 && socket.writable) socket.write('x')
  }, 1000)
  t.after(() => clearInterval(drip))

  let over = false
  const all = Promise.all(endings).finally(() => {
    over = true
  })
  const waits: number[] = []
  while (!over) {
    const asked = performance.now()
    assert.equal((await client.ask('GET', '/healthz')).status, 200)
    waits.push(performance.now() - asked)
    await pause(25)
  }
  for (const { text, afterMs } of await all) {
    assert.ok(afterMs < CLOSED_WITHIN_MS, `closed after ${afterMs} ms`)
    assert.match(text, /^(HTTP\/1\.1 4\d\d |$)/)
  }
  waits.sort((a, b) => a - b)
  // Not the slowest of them: a busy machine stands still now and then, whoever drips.
  const p90 = waits[Math.floor(waits.length * 0.9)] ?? Number.POSITIVE_INFINITY
  assert.ok(p90 < 250, `a normal request took ${p90} ms (p90 of ${waits.length})`)

  // Whoever was there before, and only listened, still hears everything.
  await client.json(202, 'POST', `${session}/messages`, { body: { text: 'Still there?' } })
  await follower.until(isEvent('turn.ended'))
  await follower.hangUp()
})
