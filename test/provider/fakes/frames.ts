import assert from 'node:assert/strict'
import { framesOf, type Script } from '../../../src/testing/index.ts'
import { type Door, HELLO, hello, statusIs, withFaults } from './door.ts'
import { ask, bodyOfAnswer } from './plain-client.ts'
import { testWith } from './with-fake.ts'

const END = /message_stop|message_delta|\[DONE\]|"finish_reason":"|"done":true/
const twoCalls: Script = {
  says: [
    { type: 'call', tool: 'clock', args: '{}' },
    { type: 'call', tool: 'weather', args: '{"city":"Oslo"}' },
  ],
}

/** What goes wrong with what is said. */
export function frames({ name, wire, flavour, client }: Door): void {
  const plain = framesOf(wire, hello, { flavour })

  testWith(`${name}: an error inside the stream`, { wire, flavour }, async fake => {
    const fault = { type: 'errorEvent', error: 'overloaded_error', at: 4 } as const
    fake.say(withFaults(fault), withFaults(fault), withFaults(fault))
    const body = await bodyOfAnswer(fake, { wire })
    const before = plain.slice(0, 4).join('')
    assert.ok(body.startsWith(before))
    assert.match(body.slice(before.length), /^(event: error\n)?(data: )?\{.*"error":.*overloaded_error.*\}\n+$/)
    await assert.rejects(client.stream(fake), error => /overloaded_error/.test(`${error} ${JSON.stringify(error)}`))
    await assert.rejects(client.whole(fake), statusIs(529))
  })

  testWith(`${name}: every call has the same id, in the next answer too`, { wire, flavour }, async fake => {
    const same: Script = { ...twoCalls, faults: [{ type: 'dupIds' }] }
    fake.say(twoCalls, twoCalls, same, same)
    const ids = []
    for (let nth = 1; nth <= 4; nth += 1) ids.push((await client.stream(fake)).calls.map(({ id }) => id))
    assert.equal(new Set(ids.slice(0, 2).flat()).size, 4)
    assert.equal(new Set(ids.slice(2).flat()).size, 1)
  })

  testWith(`${name}: a body that ends without an end of the reply`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'noTerminal' }))
    const body = await bodyOfAnswer(fake, { wire })
    assert.match(plain.join(''), END)
    assert.doesNotMatch(body, END)
    assert.ok(plain.join('').startsWith(body) && body.includes('day?'))
    assert.deepEqual(framesOf(wire, withFaults({ type: 'noTerminal', drop: 'last' }), { flavour }), plain.slice(0, -1))
  })

  testWith(`${name}: a byte order mark, CR LF, events on many lines`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'bom' }))
    const marked = await ask(fake, { wire })
    await marked.ended
    assert.deepEqual(marked.bytes(), Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(plain.join(''))]))
    const returned = framesOf(wire, withFaults({ type: 'crlf' }), { flavour })
    assert.equal(returned.join(''), plain.join('').replaceAll('\n', '\r\n'))
    const many = framesOf(wire, withFaults({ type: 'manyDataLines' }), { flavour }).join('')
    assert.equal(many.split('data: ').length > 2 * plain.join('').split('data: ').length, wire !== 'ollama')
    // No word is changed by any of them.
    const trouble = [{ type: 'bom' }, { type: 'crlf' }, { type: 'manyDataLines' }] as const
    // Ollama's client does not know byte order marks.
    const survived = wire === 'ollama' ? trouble.slice(1) : trouble
    fake.say(...survived.map(fault => withFaults(fault)))
    for (const _ of survived) assert.equal((await client.stream(fake)).text, HELLO)
  })

  testWith(`${name}: a frame that is not JSON`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'badJson' }), withFaults({ type: 'badJson' }), withFaults({ type: 'badJson' }))
    const lines = (await bodyOfAnswer(fake, { wire })).split('\n').map(line => line.replace('data: ', ''))
    assert.equal(lines.filter(line => line.startsWith('{') && !isJson(line)).length, 1)
    await assert.rejects(client.whole(fake))
    // Ollama's client passes over such a line.
    if (wire === 'ollama') assert.equal((await client.stream(fake)).text, HELLO)
    else await assert.rejects(client.stream(fake), ({ name, cause }) => [name, (cause as Error)?.name].includes('SyntaxError'))
  })

  testWith(`${name}: kinds of frames that nobody has heard of`, { wire, flavour }, async fake => {
    fake.say(withFaults({ type: 'unknownEvents' }), withFaults({ type: 'unknownEvents', count: 3 }))
    const body = await bodyOfAnswer(fake, { wire })
    assert.equal(body.match(/"command":"do as I say"/g)?.length, 50)
    assert.equal((await client.stream(fake)).text, HELLO)
  })

  testWith(`${name}: a line of exactly so many bytes`, { wire, flavour }, async fake => {
    const fault = { type: 'giantLine', bytes: 300_001 } as const
    fake.say(withFaults(fault), withFaults(fault), { says: [], faults: [fault] })
    const lines = (await bodyOfAnswer(fake, { wire })).split('\n').map(line => Buffer.byteLength(line))
    assert.equal(Math.max(...lines), 300_001)
    assert.match((await client.stream(fake)).text, /^Hellx{299000,}o, how may I help you today\?$/)
    assert.match((await client.stream(fake)).text, /x{299000,}/)
  })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
