// A fresh workspace on a small model: a full window must not mean amnesia.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFake } from '../../../src/testing/index.ts'
import { clientOf, type Json } from '../../gateway/http/client.ts'
import type { Scope } from '../../support/gateway.ts'
import { startWorkspace } from '../../support/workspace.ts'

const MODEL = { name: 'small:latest', context: 8192, capabilities: ['completion', 'tools'] }
const TURNS = 40

type Message = { readonly role: string; readonly content: string; readonly tool_calls?: unknown }
type Body = { readonly messages: readonly Message[] }

/** A new workspace as `turnwise` makes it, with the skills that come with it, on an Ollama of our own. */
async function smallModel(t: Scope, wish: object) {
  const ollama = await startFake({ wire: 'ollama', models: [MODEL] })
  t.after(() => ollama.close())
  const variables = { OLLAMA_HOST: ollama.url, TURNWISE_MODEL: 'ollama/small:latest', PATH: process.env.PATH ?? '' }
  const { url, write } = await startWorkspace(t, 'as Turnwise makes it', variables)
  const client = clientOf(url)
  // A title of its own: nothing else is asked of the model.
  const session = await client.open({ title: 'A long talk', ...wish })
  const bodies = (): readonly Body[] => ollama.requests.filter(({ path }) => path === '/api/chat').map(({ json }) => json as Body)
  const receipts = async (): Promise<readonly Json[]> =>
    (await client.events(session)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))
  return { ollama, client, session, bodies, receipts, write }
}

const question = (turn: number): string =>
  `Question ${turn}: which ship was it that left the harbor on day ${turn}, and what did it carry? I need it for the ledger.`
const answer = (turn: number): string =>
  `Answer ${turn}: ${`the ship of day ${turn} carried crates of tea, bales of wool and barrels of tar; `.repeat(9)}so says the ledger.`

/** What is said in a request, without the line that parts two messages of one side. */
const said = ({ messages }: Body): readonly string[] =>
  messages.filter(({ role }) => role !== 'system').map(({ content }) => content.replace(/^=== NEXT MESSAGE ===\n\n/, ''))

/** How many messages the request says are missing. */
const missingIn = (body: Body): number => {
  const notes = said(body).flatMap(text => /^\[(\d+) earlier messages? (?:is|are) not shown\.\]/.exec(text)?.[1] ?? [])
  assert.ok(notes.length <= 1)
  return Number(notes[0] ?? 0)
}

/** How many of the conversation's messages a request has. */
const shownIn = (body: Body): number => said(body).filter(text => /^(Question|Answer) \d+:/.test(text)).length

for (const [policy, story] of [
  [undefined, 'C2: forty ordinary turns under the default, and the previous answer is in every next request'],
  ['full', 'C1: forty ordinary turns under `full`, and no request falls to the new message alone'],
] as const)
  test(story, async t => {
    const { ollama, client, session, bodies, receipts } = await smallModel(t, policy === undefined ? {} : { policy })
    for (let turn = 1; turn <= TURNS; turn += 1) {
      ollama.say({ says: [{ type: 'text', text: answer(turn) }], every: 500 })
      await client.talk(session, question(turn))
    }
    const sent = bodies()
    assert.equal(sent.length, TURNS)
    const accounts = await receipts()
    for (const [index, body] of sent.entries()) {
      const texts = said(body)
      assert.equal(texts.at(-1), question(index + 1))
      if (index > 0) assert.deepEqual(texts.slice(-3, -1), [question(index), answer(index)], `turn ${index + 1}`)
      const folded = accounts[index]?.seen.folded ?? 0
      assert.equal(shownIn(body) + missingIn(body) + folded, 2 * index + 1, `turn ${index + 1}: what is not shown is counted`)
    }
    assert.ok(accounts.every(({ tokens }) => tokens.estimated <= tokens.limit && tokens.limit === 8192 - 2048))
    assert.deepEqual(
      accounts.map(({ seen }) => [seen.messages, seen.of]),
      sent.map((body, index) => [shownIn(body), 2 * index + 1]),
    )
    // The window was full more than once, and between two drops it only grew.
    const begins = (index: number): number | undefined => accounts[index]?.window.begins
    const drops = sent.flatMap((_, index) => (index === 0 || begins(index) === begins(index - 1) ? [] : [index]))
    assert.ok(drops.length >= 2, `drops: ${drops}`)
    for (const [index, body] of sent.entries()) {
      const before = said(sent[index - 1] ?? { messages: [] })
      if (!drops.includes(index)) assert.deepEqual(said(body).slice(0, before.length), before, `turn ${index + 1}`)
    }
    if (policy === 'full')
      for (const { tokens } of accounts.slice(drops[0])) assert.ok(tokens.estimated >= tokens.limit / 2, `${tokens.estimated}`)
  })

test('C4: a note of 20 KB is read and answered, and the next turn still has the exchange', async t => {
  const { ollama, client, session, bodies, receipts, write } = await smallModel(t, {})
  const lines = Array.from({ length: 420 }, (_, index) => `${index + 1}. On this day the ledger has twelve crates of tea.\n`)
  lines[250] = '251. On this day the ledger has one lost barrel.\n'
  assert.ok(lines.join('').length > 20_000)
  write('notes/Ledger.md', lines.join(''))
  const call = (args: object) => ({ says: [{ type: 'call', tool: 'notes_read', args: JSON.stringify(args) }] }) as const
  ollama.say(
    call({ name: 'Ledger' }),
    call({ name: 'Ledger', from: 240, lines: 20 }),
    { says: [{ type: 'text', text: 'On day 251 a barrel was lost.' }] },
    { says: [{ type: 'text', text: 'As I said: on day 251.' }] },
  )
  await client.talk(session, 'Read the ledger. What was lost?')
  await client.talk(session, 'What did you just answer?')

  const ended = (await client.events(session)).filter(({ type }) => type === 'turn.ended')
  assert.deepEqual(
    ended.map(({ reason }) => reason),
    ['done', 'done'],
  )
  const [, second, third, next] = bodies()
  assert.ok(second !== undefined && third !== undefined && next !== undefined)
  // The model sees both ends of the note, how much is missing, how long it is, and how to read on.
  const result = said(second).at(-1) ?? ''
  assert.match(
    result,
    /1\. On this day.*\n\[… \d+ lines, about [\d,]+ tokens, not shown: to read on, [^\]]+ …\]\n.*\n420\. On this day/s,
  )
  assert.match(result, /\n… the whole note: 420 lines, 23 KB; "from" and "lines" give a part of it\n?$/)
  assert.ok(!result.includes('lost barrel'))
  assert.match(
    said(third).at(-1) ?? '',
    /240\. On.*251\. .* one lost barrel\.\n.*259\. On.*lines 240 to 259 of 420 lines, 23 KB; read on from line 260/s,
  )
  const texts = said(next)
  assert.ok(texts.includes('Read the ledger. What was lost?'))
  assert.deepEqual(texts.slice(-2), ['On day 251 a barrel was lost.', 'What did you just answer?'])
  assert.equal(
    said(next).find(text => text.includes('[… ')),
    result,
    'what was decided stays',
  )
  for (const { tokens } of await receipts()) assert.ok(tokens.estimated <= tokens.limit)
  const settled = (await client.events(session)).find(({ type }) => type === 'tool.settled')
  assert.ok(settled?.content.startsWith(lines.join('')), 'the log keeps all of it')
})
