// Files out of the gateway and into it: whole or not at all, whatever comes through the door.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { ImportReport } from '../../../../src/engine.ts'
import type { Fault } from '../../../../src/model/fault.ts'
import type { Result } from '../../../../src/model/result.ts'
import { startGateway } from '../../../support/gateway.ts'
import { clientOf, type Json } from '../client.ts'
import { dial } from '../raw.ts'

const ANY = { 'content-type': 'application/zip' }
const PORT42 = JSON.stringify({
  ...{ id: 'session-1', agent: '@ai-engineer', created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:09Z' },
  messages: [
    { role: 'user', content: 'Hello', timestamp: '2026-01-02T03:04:05Z' },
    { role: 'assistant', content: 'Good day.', timestamp: '2026-01-02T03:04:09Z' },
  ],
})

test('a conversation leaves in every form, and comes back through the other door', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open({ title: 'Boats & stones' })
  await client.talk(session, 'How do boats float?', 'say 20 words')
  const id = session.split('/').at(-1)

  const asked = { json: 'application/json', markdown: 'text/markdown', port42: 'application/json', html: 'text/html' }
  for (const [format, type] of Object.entries(asked)) {
    const answer = await client.ask('GET', `${session}/export?format=${format}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`)
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      new RegExp(`^attachment; filename="turnwise-boats-stones-${id}\\.[a-z0-9.]+"$`),
    )
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    assert.match(answer.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
    assert.match(await answer.text(), /How do boats float\?/)
  }
  const archive = await (await client.ask('GET', `${session}/export`)).text()
  assert.equal(await (await client.ask('GET', '/api/export')).text(), archive)
  const head = await client.ask('HEAD', `${session}/export`)
  assert.deepEqual([head.status, await head.text()], [200, ''])

  assert.equal((await client.ask('DELETE', session)).status, 204)
  const report = await client.json(200, 'POST', '/api/import', { body: archive, headers: ANY })
  assert.deepEqual(report, { sessions: 1, messages: 4, format: 'turnwise', skipped: 0, remarks: [], ids: [id] })
  assert.equal(await (await client.ask('GET', `${session}/export`)).text(), archive)

  const streamed = await client.ask('POST', '/api/import?format=port42', {
    body: PORT42,
    headers: { ...ANY, accept: 'text/event-stream' },
  })
  const frames = (await streamed.text()).split('\n\n')
  assert.match(frames[0] ?? '', /^event: progress\ndata: \{"sessions":1,"messages":2,"bytes":\d+\}$/)
  const done = JSON.parse(/^event: done\ndata: (.*)$/m.exec(frames.join('\n\n'))?.[1] ?? '')
  assert.deepEqual([done.sessions, done.messages, done.format], [1, 2, 'port42'])
  assert.match(done.remarks.join(), /no agent "@ai-engineer" here; "assistant" answers from now on/)
  const shown: Json = await client.json(200, 'GET', `/api/sessions/${done.ids[0]}`)
  assert.deepEqual([shown.origin, shown.agent, shown.updatedAt], ['port42', 'assistant', '2026-01-02T03:04:09.000Z'])
})

test('what is no such file, or too much of one, is refused with its place, and nothing of it stays', async t => {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const bad = `${PORT42}\n{"id":"two","messages":[{"role":"user","content":7}]}`
  const told = await client.problem(400, 'invalid', 'POST', '/api/import', { body: bad, headers: ANY })
  assert.match(told.detail, /line 2|conversation 2/)
  const streamed = await client.ask('POST', '/api/import', { body: bad, headers: { ...ANY, accept: 'text/event-stream' } })
  assert.match(await streamed.text(), /^event: fault\ndata: \{"kind":"invalid"/m)
  const form = { 'content-type': 'multipart/form-data; boundary=x' }
  const sent = await client.problem(400, 'invalid', 'POST', '/api/import', { body: '--x\r\n\r\n{}\r\n--x--', headers: form })
  assert.match(sent.detail, /the body is a form/)
  for (const path of ['/api/import?format=docx', `${session}/export?format=docx`]) {
    const unknown = await client.problem(400, 'invalid', path.startsWith('/api/import') ? 'POST' : 'GET', path)
    assert.match(unknown.detail, /^format: must be one of /)
  }
  await client.problem(404, 'not-found', 'GET', '/api/sessions/ses_none/export')

  const { socket, closed } = dial(port)
  socket.write(`POST /api/import HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: ${2 ** 30 + 1}\r\n\r\n`)
  const refused = await closed
  assert.match(refused, /^HTTP\/1\.1 413 /)
  assert.match(refused, /"fault":"too-large"/)

  const { items } = await client.json(200, 'GET', '/api/sessions')
  assert.equal(items.length, 1)
})

test('a file may be of any type, and only from where anything may come', async t => {
  const { url, engine } = await startGateway(t, { settings: { token: 'secret-token-of-a-test' } })
  const client = clientOf(url, 'secret-token-of-a-test')
  const form = { 'content-type': 'text/plain' }
  await client.problem(403, 'unauthorized', 'POST', '/api/import', {
    body: PORT42,
    headers: { ...form, origin: 'https://elsewhere.invalid' },
  })
  await client.problem(403, 'unauthorized', 'POST', '/api/import', {
    body: PORT42,
    headers: { ...form, 'sec-fetch-site': 'cross-site' },
  })
  await clientOf(url).problem(401, 'unauthorized', 'POST', '/api/import', { body: PORT42, headers: form })
  await client.problem(415, 'invalid', 'POST', '/api/sessions', { body: '{}', headers: form })
  await client.problem(415, 'invalid', 'POST', '/api/%69mport', { body: PORT42, headers: form })
  const listed = await engine.sessions({ limit: 5 })
  assert.ok(listed.ok && listed.value.items.length === 0)
  await client.json(200, 'POST', '/api/import', { body: PORT42, headers: form })
})

test('whoever hangs up takes back what was sent', async t => {
  const ended = Promise.withResolvers<Result<ImportReport, Fault>>()
  const { port, engine } = await startGateway(t, {
    instead: whole => ({
      ...whole,
      import: async (bytes, options) => {
        const brought = await whole.import(bytes, options)
        ended.resolve(brought)
        return brought
      },
    }),
  })
  const sending = request({ port, path: '/api/import', method: 'POST', headers: { ...ANY, accept: 'text/event-stream' } })
  sending.on('error', () => {})
  const told = new Promise<void>(resolve => {
    sending.on('response', answer => {
      answer.on('error', () => {})
      answer.on('data', () => resolve())
    })
  })
  // So many that some are on their way into the log before all have come.
  sending.write(Array.from({ length: 4000 }, (_, index) => PORT42.replace('session-1', `session-${index}`)).join('\n'))
  await told
  sending.destroy()
  const brought = await ended.promise
  assert.ok(!brought.ok && brought.fault.kind === 'cancelled')
  const listed = await engine.sessions({ limit: 5 })
  assert.ok(listed.ok && listed.value.items.length === 0)
})

test('a body that drips is not waited for, but a file is', async t => {
  const { port } = await startGateway(t, { requestMs: 300 })
  const send = (path: string, body: string): ReturnType<typeof dial> => {
    const line = dial(port)
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    line.socket.write(`${head}${body.slice(0, 5)}`)
    return line
  }
  const file = send('/api/import', PORT42)
  assert.match(await send('/api/sessions', '{"title":"Boats"}').closed, /^HTTP\/1\.1 408 /)
  file.socket.write(PORT42.slice(5))
  assert.match(await file.until(/"ids":\["ses_/), /^HTTP\/1\.1 200 /)
  file.socket.destroy()
})
