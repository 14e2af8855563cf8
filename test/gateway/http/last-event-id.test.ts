// Fault 40: whatever somebody says they have seen last is refused in words, or answered without a gap and without a repetition.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { startGateway } from '../../support/gateway.ts'
import { tries } from '../../support/tries.ts'
import { type Client, checkedProblem, clientOf } from './client.ts'
import { type Frame, readFrames } from './frames.ts'
import { dial, head, parseAnswer } from './raw.ts'

const TEXTS = ['One', 'Two', 'Three']

type Place = {
  readonly port: number
  readonly url: string
  readonly client: Client
  readonly session: string
  readonly last: number
}

/** A session in which something was said. */
async function place(t: TestContext): Promise<Place> {
  const { url, port } = await startGateway(t)
  const client = clientOf(url)
  const session = await client.open()
  await client.talk(session, ...TEXTS)
  return { port, url, client, session, last: (await client.events(session)).length }
}

/** What a cursor means: the seqs that follow it, after a reset where it is beyond the end; nothing where it is none. */
function meaning(cursor: string, last: number): { readonly reset: boolean; readonly from: number } | undefined {
  if (!/^[0-9]{1,15}$/.test(cursor)) return undefined
  return Number(cursor) > last ? { reset: true, from: 1 } : { reset: false, from: Number(cursor) + 1 }
}

/** Reads what follows until one more message has been answered, so that it is seen to go on, too. */
async function answered({ client, session, url }: Place, asked: Asked, isAtEnd: boolean): Promise<readonly Frame[] | string> {
  const { lastSeen, after } = asked
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const headers = { accept: 'text/event-stream', ...(lastSeen === undefined ? {} : { 'last-event-id': lastSeen }) }
  const response = await fetch(`${url}${session}/events${query}`, { headers })
  if (response.status !== 200) {
    const problem = checkedProblem(response.headers.get('content-type') ?? '', await response.text(), {
      status: 400,
      fault: 'invalid',
    })
    assert.equal(response.status, 400)
    return problem.detail
  }
  const reader = readFrames(response)
  // The cursor is looked at before the log grows.
  const first = isAtEnd ? undefined : await reader.next()
  const { seq } = await client.json(202, 'POST', `${session}/messages`, { body: { text: 'More' } })
  const frames = await reader.until(({ event, id = 0 }) => event === 'turn.ended' && id > seq)
  await reader.hangUp()
  return first === undefined ? frames : [first, ...frames]
}
type Asked = { readonly lastSeen?: string; readonly after?: string }

async function check(where: Place, asked: Asked): Promise<void> {
  const { client, session } = where
  const before = (await client.events(session)).length
  const what = JSON.stringify(asked)
  // A header says more than an address, which may be an old one; but what cannot be read is refused in either.
  const { lastSeen = '0', after = '0' } = asked
  const isSound = [lastSeen, after].every(cursor => meaning(cursor, before) !== undefined)
  const follows = meaning(asked.lastSeen ?? after, before)
  const heard = await answered(where, asked, follows?.from === before + 1)
  const stored = await client.events(session)
  if (typeof heard === 'string') {
    assert.ok(!isSound, `${what} was refused: ${heard}`)
    assert.match(heard, /^(?:Last-Event-ID|after): /)
    return
  }
  assert.ok(isSound, `${what} was taken`)
  const { reset, from } = follows ?? assert.fail()
  assert.equal(heard[0]?.event === 'reset', reset, what)
  const events = heard.filter(({ id }) => id !== undefined)
  assert.deepEqual(
    events.map(({ event, data }) => ({ type: event, ...data })),
    stored.slice(from - 1),
    what,
  )
}

test('cursors of every kind are refused, or followed without a gap', async t => {
  const where = await place(t)
  const { last } = where
  const valid = ['0', '1', String(last - 1), String(last), '00', '007']
  const beyond = [String(last + 1), '99999', '999999999999999']
  const bad = ['-1', '-0', '+1', '1.5', '1.', '.5', '1e3', '1E0', '0x1', '0b1', '1_0', '1,2', '1;2', '1 2', 'NaN', 'Infinity']
  const worse = [
    '9'.repeat(16),
    '9'.repeat(400),
    'null',
    'undefined',
    '[1]',
    '{}',
    '"1"',
    "1'",
    '1%00',
    '../1',
    '\u00b2',
    '\u00bd',
  ]
  const unicode = ['١', '１', '४', '𝟙', '1️⃣', '\u200b1', '１２']
  for (const cursor of [...valid, ...beyond, ...bad, ...worse]) {
    await check(where, { lastSeen: cursor })
    await check(where, { after: cursor })
  }
  // A header cannot carry these; an address can.
  for (const cursor of [...unicode, '', ' ', '1 ', ' 1', '1\n', '\t1', '1\u0000']) {
    const heard = await answered(where, { after: cursor }, true)
    assert.match(typeof heard === 'string' ? heard : 'taken', /^after: /, JSON.stringify(cursor))
  }
})

test('a header wins over an address', async t => {
  const where = await place(t)
  for (const lastSeen of ['0', '3', '9999']) for (const after of ['0', '1', '7', '9999']) await check(where, { lastSeen, after })
  await check(where, { lastSeen: 'x', after: '1' })
  await check(where, { lastSeen: '1', after: 'x' })
})

test('any cursor at all, in any place', async t => {
  const where = await place(t)
  const number = fc.oneof(fc.nat({ max: 40 }).map(String), fc.maxSafeInteger().map(String), fc.double().map(String))
  const garbage = fc.string({ unit: fc.constantFrom(...'0123456789abcxyz+-.,:;_ %/\\"\'[]{}()=&?#\u00e9\u00ff'), maxLength: 20 })
  // What a header carries loses the white space around it on the way.
  const cursor = fc.oneof(number, garbage).filter(each => each === each.trim() && each !== '')
  await fc.assert(
    fc.asyncProperty(fc.option(cursor, { nil: undefined }), fc.option(cursor, { nil: undefined }), async (lastSeen, after) => {
      await check(where, { ...(lastSeen === undefined ? {} : { lastSeen }), ...(after === undefined ? {} : { after }) })
    }),
    { ...tries(150), endOnFailure: true },
  )
})

/** The status line of an answer to header lines that no client would send. */
async function statusOf({ port, session }: Place, ...lines: readonly string[]): Promise<{ status: number; text: string }> {
  const line = dial(port)
  line.socket.write(
    Buffer.from(head(`GET ${session}/events`, 'Host: localhost', 'Accept: text/event-stream', ...lines), 'latin1'),
  )
  const text = await line.until(/\r\n\r\n.*(?:\}|\n\n)/s)
  line.socket.destroy()
  return { status: parseAnswer(text).status, text }
}

test('a header that comes twice, comes empty or comes in other bytes is refused or read, and never an error of ours', async t => {
  const where = await place(t)
  for (const lines of [
    ['Last-Event-ID: 1', 'Last-Event-ID: 2'],
    ['Last-Event-ID: 1', 'last-event-id: 1'],
    ['Last-Event-ID: '],
    ['Last-Event-ID:'],
    ['Last-Event-ID: \u00b9'],
    ['Last-Event-ID: \u00d9\u00a1'],
    ['Last-Event-ID: 1\t2'],
  ]) {
    const { status, text } = await statusOf(where, ...lines)
    assert.equal(status, 400, `${lines}: ${text}`)
  }
  for (const lines of [['Last-Event-ID:   3   '], ['LAST-EVENT-ID:3'], ['last-event-id:\t3\t']]) {
    const { status, text } = await statusOf(where, ...lines)
    assert.equal(status, 200, `${lines}: ${text}`)
    assert.match(text, /\nid: 4\n/)
    assert.doesNotMatch(text, /\nid: 3\n/)
  }
})

test('a cursor of another session means nothing here, and a session that is gone is not found', async t => {
  const where = await place(t)
  const { client } = where
  const other = await client.open()
  const reader = await client.follow(other, { 'last-event-id': String(where.last) })
  await client.talk(other, 'Here')
  const frames = await reader.until(({ event }) => event === 'turn.ended')
  await reader.hangUp()
  assert.equal(frames[0]?.event, 'reset', 'it is beyond the end of this one')
  assert.ok(frames.every(({ data }) => other.endsWith(data.session)))
  assert.equal((await client.ask('DELETE', other)).status, 204)
  for (const headers of [{}, { 'last-event-id': '1' }, { 'last-event-id': '99' }])
    await client.problem(404, 'not-found', 'GET', `${other}/events`, { headers: { accept: 'text/event-stream', ...headers } })
})

test('a list takes the same cursors as a stream', async t => {
  const { client, session, last } = await place(t)
  const stored = await client.events(session)
  for (const cursor of ['0', '3', String(last)]) {
    const { items } = await client.json(200, 'GET', `${session}/events`, { headers: { 'last-event-id': cursor } })
    assert.deepEqual(items, stored.slice(Number(cursor)))
  }
  for (const cursor of ['x', '1.5', '-1'])
    await client.problem(400, 'invalid', 'GET', `${session}/events`, { headers: { 'last-event-id': cursor } })
})
