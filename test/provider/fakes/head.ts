import assert from 'node:assert/strict'
import { type Door, HELLO, hello, statusIs, withFaults } from './door.ts'
import { ask, bodyOfAnswer } from './plain-client.ts'
import { testWith } from './with-fake.ts'

/** A 429 in each service's own words. */
const THROTTLED: Readonly<Record<string, unknown>> = {
  anthropic: {
    type: 'error',
    error: { type: 'rate_limit_error', message: 'a fake 429', details: null },
    request_id: 'req_fake_1',
  },
  openai: { error: { message: 'a fake 429', type: 'requests', param: null, code: 'rate_limit_exceeded' } },
  openrouter: { error: { message: 'a fake 429', code: 429 } },
  ollama: { error: 'a fake 429' },
}

/** What goes wrong before there is a body. */
export function head({ name, wire, flavour, client }: Door): void {
  testWith(`${name}: a status with headers, and a body as the service words it`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'status', code: 429, headers: { 'retry-after': '7' } }))
    const answer = await ask(fake, { wire })
    assert.equal(await answer.ended, 'end')
    assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '7'])
    assert.equal(answer.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(answer.bytes().toString()), THROTTLED[name])
    for (const code of [400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 529]) {
      fake.say(withFaults({ type: 'status', code }))
      await assert.rejects(client.stream(fake), statusIs(code))
    }
  })

  testWith(`${name}: a status with any body`, { wire, flavour }, async fake => {
    fake.say(
      withFaults({ type: 'status', code: 413, html: '<h1>Too Large</h1>' }),
      withFaults({ type: 'status', code: 400, body: 'no' }),
    )
    const html = await ask(fake, { wire })
    await html.ended
    assert.deepEqual([html.status, html.headers['content-type'], String(html.bytes())], [413, 'text/html', '<h1>Too Large</h1>'])
    assert.equal(await bodyOfAnswer(fake, { wire }), 'no')
  })

  testWith(`${name}: a key is required`, { wire, flavour, requireKey: 'sk-right' }, async fake => {
    assert.equal((await client.stream(fake, { key: 'sk-right' })).text, 'You said: Weather in Oslo?')
    await assert.rejects(client.stream(fake, { key: 'sk-wrong' }), statusIs(401))
    await assert.rejects(client.whole(fake, { key: 'sk-wrong' }), statusIs(401))
    const without = await ask(fake, { wire })
    await without.ended
    assert.equal(without.status, 401)
    const inOwnHeader = await ask(fake, { wire, headers: { 'x-api-key': 'sk-right' } })
    await inOwnHeader.ended
    assert.equal(inOwnHeader.status, wire === 'anthropic' ? 200 : 401)
  })

  testWith(
    `${name}: a 401 that quotes the key it was sent`,
    { wire, flavour, script: withFaults({ type: 'echoKey' }) },
    async fake => {
      const answer = await ask(fake, { wire, headers: { authorization: 'Bearer sk-canary' } })
      await answer.ended
      assert.equal(answer.status, 401)
      assert.match(answer.bytes().toString(), /sk-canary/)
    },
  )

  testWith(`${name}: a redirect`, { wire, flavour }, async fake => {
    fake.say(
      withFaults({ type: 'redirect', to: 'http://169.254.169.254/' }),
      withFaults({ type: 'redirect', to: '/x', code: 307 }),
    )
    const answers = [await ask(fake, { wire }), await ask(fake, { wire })]
    for (const { ended } of answers) await ended
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.location]),
      [
        [302, 'http://169.254.169.254/'],
        [307, '/x'],
      ],
    )
  })

  testWith(
    `${name}: the head comes late`,
    { wire, flavour, script: withFaults({ type: 'delayHeaders', ms: 40 }) },
    async fake => {
      const began = performance.now()
      const answer = await ask(fake, { wire })
      // A timer may be a millisecond early.
      assert.ok(performance.now() - began >= 39)
      assert.equal(await answer.ended, 'end')
    },
  )

  testWith(`${name}: one connection is reset as it is accepted, the next is not`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'refuseConnections' }), hello)
    await assert.rejects(ask(fake, { wire }), { code: 'ECONNRESET' })
    assert.equal(fake.requests.length, 0)
    assert.equal((await client.stream(fake)).text, HELLO)
  })

  testWith(`${name}: nobody listens`, { wire, flavour, refuseConnections: true }, async fake => {
    await assert.rejects(ask(fake, { wire }), { code: 'ECONNREFUSED' })
  })
}
