import assert from 'node:assert/strict'
import { bytesOf, framesOf } from '../../../src/testing/index.ts'
import { type Door, HELLO, hello } from './door.ts'
import { expected } from './heard.ts'
import { ask, bodyOfAnswer } from './plain-client.ts'
import { SCRIPTS } from './scripts.ts'
import { testWith } from './with-fake.ts'

/** What a fake says when nothing goes wrong. */
export function speech({ name, wire, flavour, client }: Door): void {
  for (const [title, script] of Object.entries(SCRIPTS)) {
    testWith(`${name}'s own client hears ${title}, streamed and whole`, { wire, flavour, script }, async fake => {
      const { pieces, ...streamed } = await client.stream(fake)
      assert.deepEqual(streamed, expected(name, script))
      assert.deepEqual(await client.whole(fake), expected(name, script))
      const lengths = (script.says ?? []).map(said => (said.type === 'text' ? [...said.text].length : 0))
      const deltas = lengths.map(length => Math.ceil(length / (script.every ?? 4)))
      assert.equal(
        pieces,
        deltas.reduce((sum, count) => sum + count, 0),
      )
    })
  }

  testWith(`${name}: the bytes on the socket are those of the pure function`, { wire, flavour }, async fake => {
    fake.say(...Object.values(SCRIPTS))
    for (const [index, script] of Object.values(SCRIPTS).entries()) {
      const asked = { flavour, ordinal: index + 1 }
      const body = await bodyOfAnswer(fake, { wire })
      assert.equal(body, Buffer.from(bytesOf(wire, script, asked)).toString())
      assert.equal(body, framesOf(wire, script, asked).join(''))
    }
  })

  testWith(`${name}: scripts answer one request each, then the usual one does`, { wire, flavour, script: hello }, async fake => {
    fake.say({ says: [{ type: 'text', text: 'first' }] }, { says: [{ type: 'text', text: 'second' }] })
    const texts = []
    for (let nth = 1; nth <= 4; nth += 1) texts.push((await client.stream(fake)).text)
    assert.deepEqual(texts, ['first', 'second', HELLO, HELLO])
  })

  testWith(`${name}: without a script a fake repeats what it heard`, { wire, flavour }, async fake => {
    assert.equal((await client.stream(fake)).text, 'You said: Weather in Oslo?')
    assert.equal((await client.whole(fake)).text, 'You said: Weather in Oslo?')
  })

  testWith(`${name}: an answer closes its connection`, { wire, flavour }, async fake => {
    const answer = await ask(fake, { wire, headers: { connection: 'keep-alive' } })
    assert.equal(await answer.ended, 'end')
    assert.equal(answer.headers.connection, 'close')
  })

  testWith(`${name}: unless connections are to be kept`, { wire, flavour, keepAlive: true }, async fake => {
    const answer = await ask(fake, { wire, headers: { connection: 'keep-alive' } })
    assert.equal(await answer.ended, 'end')
    assert.deepEqual([answer.headers.connection, fake.openSockets()], ['keep-alive', 1])
    answer.hangUp()
  })
}
