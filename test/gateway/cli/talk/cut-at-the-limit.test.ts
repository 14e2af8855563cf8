// What the command line says of an answer that reached its limit, and of one without a word.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Script, startFake } from '../../../../src/testing/index.ts'
import { newestSession, tempHome, turnwise } from '../turnwise.ts'

/** A workspace whose model says these things, one after the other. */
async function homeWith(t: TestContext, ...scripts: readonly Script[]): Promise<string> {
  const fake = await startFake({ wire: 'openai' })
  t.after(fake.close)
  fake.say(...scripts)
  const home = tempHome(t)
  mkdirSync(home)
  writeFileSync(
    join(home, 'turnwise.json'),
    JSON.stringify({ model: 'compatible/near/any', providers: { near: { baseURL: fake.url } } }),
  )
  return home
}

test('a cut answer is one, with a line on stderr that says how to go on; resume continues the text', async t => {
  const home = await homeWith(
    t,
    { says: [{ type: 'text', text: 'One, two,' }], stop: 'length' },
    { says: [{ type: 'text', text: ' three.' }] },
  )
  const asked = await turnwise(['ask', 'Count.'], { home })
  assert.deepEqual([asked.code, asked.stdout], [0, 'One, two,\n'])
  const id = newestSession({ home })
  assert.equal(
    asked.stderr,
    `turnwise: the answer was cut off at its limit of 16,384 tokens; "turnwise resume ${id}" continues it\n`,
  )
  assert.match(
    (await turnwise(['show', id], { home })).stdout,
    /One, two,\n■ cut off at the reply limit; "turnwise resume" continues it\n$/,
  )
  const resumed = await turnwise(['resume', id], { home })
  assert.deepEqual([resumed.code, resumed.stdout.trim(), resumed.stderr], [0, 'three.', ''])
  assert.match((await turnwise(['show', id], { home })).stdout, /One, two, three\.\n$/)
  assert.equal((await turnwise(['verify', id], { home })).code, 0)
})

test('an empty answer is not a success, and can be asked for again', async t => {
  const home = await homeWith(t, { says: [], stop: 'length' }, { says: [{ type: 'text', text: 'Here.' }] })
  const asked = await turnwise(['ask', 'Are you there?'], { home })
  assert.deepEqual([asked.code, asked.stdout], [1, ''])
  const id = newestSession({ home })
  assert.match(
    asked.stderr,
    new RegExp(
      `^turnwise: not answered: the model gave an empty answer within its limit of 16,384 tokens; .*"turnwise resume ${id}" tries again\\n$`,
    ),
  )
  const again = await turnwise(['resume', id], { home })
  assert.deepEqual([again.code, again.stdout], [0, 'Here.\n'])
})
