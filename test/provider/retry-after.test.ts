// How long a provider asks us to wait, in every form there is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusTrouble, waitOf } from '../../src/provider/transport/trouble.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

test('seconds, parts of a second, milliseconds, a date; what makes no sense is as if nothing had been said', () => {
  const waits: readonly (readonly [Readonly<Record<string, string>>, number | null])[] = [
    [{}, null],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': '1e9' }, null],
    [{ 'retry-after': '1000000000' }, 1e12],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': 'Sun, 15 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
  ]
  for (const [headers, wait] of waits) assert.equal(waitOf(headers, NOW), wait, JSON.stringify(headers))
})

test('a wait of up to a minute is waited, a longer one is told', () => {
  const after = (seconds: string): ReturnType<typeof statusTrouble> =>
    statusTrouble({ provider: 'it', status: 429, headers: { 'retry-after': seconds }, body: '', keyName: 'K', now: NOW })
  assert.deepEqual([after('60').again, after('60').fault.retryAfterMs], [true, 60_000])
  assert.deepEqual([after('61').again, after('61').fault.retryAfterMs], [false, 61_000])
})

test('errors in any shape become one line', () => {
  const said = (body: string, status = 400): string =>
    statusTrouble({ provider: 'it', status, headers: {}, body, keyName: 'K', now: NOW }).fault.message
  assert.equal(said('{"error":{"message":"no"}}'), 'it did not accept the request (400): no')
  assert.equal(said('{"error":"no"}'), 'it did not accept the request (400): no')
  assert.equal(said('{"detail":"no"}'), 'it did not accept the request (400): no')
  assert.equal(said('no\n  really'), 'it did not accept the request (400): no really')
  assert.equal(said('<html>no</html>'), 'it did not accept the request (400)')
  assert.equal(said(''), 'it did not accept the request (400)')
  assert.ok(said('x'.repeat(10_000)).length < 600)
  const wrapped = JSON.stringify({
    error: JSON.stringify({ error: { code: 400, message: 'request (9 tokens) exceeds the available context size (8 tokens)' } }),
  })
  const trouble = statusTrouble({ provider: 'it', status: 400, headers: {}, body: wrapped, keyName: 'K', now: NOW })
  assert.equal(trouble.fault.kind, 'too-long')
  assert.match(trouble.fault.message, /: request \(9 tokens\) exceeds/)
  assert.equal(
    said('{"error":{"message":"bad key"}}', 401),
    'it refused the key (401): bad key; set K to one that is valid, or run "turnwise connect it"',
  )
})
