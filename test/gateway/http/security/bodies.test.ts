// Safety row 32: bodies and headers that are too big, too deep or broken cost nothing and are told why.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startGateway } from '../../../support/gateway.ts'
import { checkedProblem, clientOf } from '../client.ts'
import { DOORS } from '../doors.ts'
import { dial, exchange, head, parseAnswer } from '../raw.ts'

const MIB = 1 << 20
const POST = ['Host: localhost', 'Content-Type: application/json']
const CHUNKED = head('POST /api/sessions', ...POST, 'Transfer-Encoding: chunked')

const nested = (depth: number): string => `{"title":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

test('every door says what is wrong with a body', async t => {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const broken: readonly (readonly [string, RegExp])[] = [
    ['{', /^the body is not JSON: .+/],
    ['{"title":"a",}', /^the body is not JSON: .+/],
    ["{'title':'a'}", /^the body is not JSON: .+/],
    ['{"title":NaN}', /^the body is not JSON: .+/],
    ['{} {}', /^the body is not JSON: .+/],
    ['[]', /^body: .*expected object, received array/],
    ['"text"', /^body: .*expected object, received string/],
    ['null', /^body: .*expected object, received null/],
    ['{"nonsense":1}', /Unrecognized key: "nonsense"/],
    [nested(65), /^the JSON nests deeper than 64$/],
    ['['.repeat(MIB), /^the JSON nests deeper than 64$/],
    [nested(64), /expected string, received array|Unrecognized key: "title"/],
  ]
  for (const { method, path, good, status } of DOORS) {
    await client.json(status, method, path(session), { body: good })
    for (const [body, detail] of broken) {
      const problem = await client.problem(400, 'invalid', method, path(session), { body })
      assert.match(problem.detail, detail, `${method} ${path(session)} ${body.slice(0, 40)}`)
    }
    const bytes = Buffer.from('{"title":"\xff\xfe"}', 'latin1')
    const request = head(`${method} ${path(session)}`, ...POST, 'Connection: close', `Content-Length: ${bytes.length}`)
    const answer = await exchange(port, Buffer.concat([Buffer.from(request), bytes]))
    const problem = checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 400, fault: 'invalid' })
    assert.equal(problem.detail, 'the body is not UTF-8')
  }
})

test('brackets inside a string are not depth', async t => {
  const client = clientOf((await startGateway(t)).url)
  const title = `${'[{'.repeat(40)} \\ " ${'}]'.repeat(40)}`
  assert.equal((await client.json(201, 'POST', '/api/sessions', { body: { title } })).title, title)
})

test('a field that is too long or empty is named', async t => {
  const client = clientOf((await startGateway(t)).url)
  const session = await client.open()
  const wrong: readonly (readonly [string, string, unknown, RegExp])[] = [
    ['POST', '/api/sessions', { title: 'x'.repeat(201) }, /^title: /],
    ['POST', '/api/sessions', { title: '   ' }, /^title: /],
    ['POST', '/api/sessions', { title: null }, /^title: /],
    ['POST', '/api/sessions', { agent: 'nobody' }, /^agent: there is no "nobody"; known: assistant$/],
    ['POST', '/api/sessions', { policy: 'none', agent: 5 }, /^agent: .*expected string, received number/],
    ['PATCH', session, {}, /^body: say what to change/],
    ['PATCH', session, { policy: 'stedy' }, /^policy: there is no "stedy"; known: .*recent/],
    ['PATCH', session, { archived: 'yes' }, /^archived: /],
    ['POST', `${session}/messages`, {}, /^text: /],
    ['POST', `${session}/messages`, { text: ' \n\t ' }, /^text: must not be empty$/],
    ['POST', `${session}/messages`, { text: 5 }, /^text: /],
    ['POST', `${session}/context`, {}, /^text: the session is empty/],
    ['POST', `${session}/context`, { text: 'a', at: 0 }, /^at: /],
    ['POST', `${session}/context`, { text: 'a', at: 1.5 }, /^at: /],
    ['POST', `${session}/context`, { text: 'a', policy: 'stedy' }, /^policy: there is no "stedy"/],
  ]
  for (const [method, path, body, detail] of wrong)
    assert.match((await client.problem(400, 'invalid', method, path, { body })).detail, detail)
  assert.deepEqual(await client.events(session), [])
})

test('a body of one MiB is read, one byte more is 413', async t => {
  const client = clientOf((await startGateway(t)).url)
  const padded = (size: number): string => `{}${' '.repeat(size - 2)}`
  await client.json(201, 'POST', '/api/sessions', { body: padded(MIB) })
  await client.problem(413, 'too-large', 'POST', '/api/sessions', { body: padded(MIB + 1) })
})

test('a length that is too large is 413 before anything of the body was sent', async t => {
  const { port } = await startGateway(t)
  for (const length of [MIB + 1, 10 * 2 ** 30, Number.MAX_SAFE_INTEGER]) {
    const answer = await exchange(port, head('POST /api/sessions', ...POST, `Content-Length: ${length}`))
    assert.equal(answer.headers.get('connection'), 'close')
    checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 413, fault: 'too-large' })
  }
  const patient = dial(port)
  patient.socket.write(head('POST /api/sessions', ...POST, 'Connection: close', `Content-Length: ${MIB}`))
  patient.socket.write(`{}${' '.repeat(MIB - 2)}`)
  assert.equal(parseAnswer(await patient.closed).status, 201)
})

test('a body without a length is 413 as soon as it is too large, however it would have gone on', async t => {
  const { port } = await startGateway(t)
  const line = dial(port)
  line.socket.write(CHUNKED)
  line.socket.write(`${MIB.toString(16)}\r\n${' '.repeat(MIB)}\r\n`)
  line.socket.write('1\r\n \r\n')
  const answer = parseAnswer(await line.closed)
  checkedProblem(answer.headers.get('content-type') ?? '', answer.body, { status: 413, fault: 'too-large' })

  const whole = dial(port)
  whole.socket.write(head('POST /api/sessions', ...POST, 'Connection: close', 'Transfer-Encoding: chunked'))
  whole.socket.write(`${MIB.toString(16)}\r\n{}${' '.repeat(MIB - 2)}\r\n0\r\n\r\n`)
  assert.equal(parseAnswer(await whole.closed).status, 201)
})

test('a body that was refused keeps no gateway from ending', { timeout: 15_000 }, async t => {
  const { port } = await startGateway(t)
  const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const refused = await exchange(port, head('POST /api/sessions', ...POST, `Content-Length: ${MIB + 1}`))
  assert.equal(refused.status, 413)
  // The timer of a connection goes with it, some moments later.
  while (timers() > before) await new Promise(setImmediate)
})

test('a body without an end is cut off, and memory stays flat', async t => {
  const { port, url } = await startGateway(t)
  const piece = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`)
  const line = dial(port)
  const start = used()
  let peak = 0
  let sent = 0
  line.socket.write(CHUNKED)
  while (!line.socket.destroyed) {
    sent += piece.length
    peak = Math.max(peak, used() - start)
    if (!line.socket.write(piece)) await Promise.race([once(line.socket, 'drain').catch(() => undefined), line.closed])
    if (sent % (64 * piece.length) === 0) await new Promise(setImmediate)
  }
  assert.ok(sent < 128 * MIB, `${sent} bytes were taken`)
  assert.ok(peak < 32 * MIB, `${peak} bytes more were used`)
  assert.equal((await clientOf(url).ask('GET', '/healthz')).status, 200)
})

const used = (): number => {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

test('headers beyond 16 KiB are refused, a little less is not', async t => {
  const { port } = await startGateway(t)
  const status = async (size: number): Promise<number> => {
    const answer = await exchange(
      port,
      head('GET /healthz', 'Host: localhost', 'Connection: close', `X-Long: ${'x'.repeat(size)}`),
    )
    return answer.status
  }
  assert.equal(await status(15 * 1024), 200)
  assert.equal(await status(16 * 1024), 431)
  assert.equal((await exchange(port, head(`GET /${'x'.repeat(17 * 1024)}`, 'Host: localhost'))).status, 431)
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: 1`)
  assert.equal((await exchange(port, head('GET /healthz', 'Host: localhost', ...many))).status, 431)
})

test('a client that leaves in the middle of its body changes nothing', async t => {
  const { port, url } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  const line = dial(port)
  line.socket.write(head(`POST ${session}/messages`, ...POST, 'Content-Length: 100'))
  line.socket.write('{"text":"half of')
  line.socket.end()
  await line.closed
  assert.deepEqual(await client.events(session), [])
})
