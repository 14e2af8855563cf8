import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { askedOf, generated, messagesIn, spokenOf, TALK } from '../../bench/conversations.ts'
import { codingTrace } from '../../bench/traces/coding.ts'
import { identifiersIn, identifiersUsed } from '../../bench/traces/identifiers.ts'
import { measureTrace } from '../../bench/traces/measure-trace.ts'
import { brokenMusts, percent } from '../../bench/traces/report.ts'
import { requestsOf } from '../../bench/traces/requests.ts'
import { rememberingMeasure, rowsOfSet } from '../../bench/traces/run.ts'
import { chatOf, codingSet, type TraceSet } from '../../bench/traces/sources.ts'
import { type Wanted, type WireName, whyInvalid } from '../../bench/traces/validate.ts'
import { ourWindows, tokenWindow } from '../../bench/traces/windows.ts'
import { count } from '../../src/context/text/tokens.ts'

const measure = rememberingMeasure()
/**
 * Half as long again as its largest limit. A cut is written anew at once and pays off over the requests after it, so a
 * conversation that ends right after its first cut costs more than the full history: 12,000 tokens at 16,000 do.
 */
const talk: TraceSet = {
  name: 'talk',
  conversations: [generated({ shape: TALK, seed: 3, until: { tokens: 24_000 } })],
  limits: [1000, 4000, 16_000],
}

test('in a small window every feasible request is sent, is valid for every provider, and has the last exchange; full is never dearer than the full history with caching', async () => {
  const rows = [...(await rowsOfSet(codingSet(true), ourWindows, measure)), ...(await rowsOfSet(talk, ourWindows, measure))]
  const ours = rows.filter(({ kind }) => kind === 'ours')
  assert.equal(ours.length, 2 * 3 * ourWindows.length)
  for (const { feasible } of ours) assert.ok(feasible > 40)
  assert.deepEqual(brokenMusts(rows), [])
})

test('where everything fits, every policy sends everything that the validator asks for', async () => {
  const [coding] = codingSet(true).conversations
  assert.ok(coding)
  for (const conversation of [coding, ...talk.conversations]) {
    const requests = requestsOf(conversation, measure.count)
    for (const window of ourWindows) {
      const { feasible, sent, valid, exchanges, exchangesKept, whys } = await measureTrace(
        ...([window, conversation, requests, 1_500_000, measure] as const),
      )
      assert.deepEqual([sent, valid, [...whys]], [feasible, feasible, []], window.name)
      assert.equal(feasible, askedOf(conversation).length)
      assert.equal(exchangesKept, exchanges, window.name)
    }
  }
})

const text = (words: string): object => ({ type: 'text', text: words })
const call = (id: string): object => ({ type: 'tool_use', id, name: 'look', input: {} })
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: [text('found')] })
const user = (...content: readonly object[]): object => ({ role: 'user', content })
const assistant = (...content: readonly object[]): object => ({ role: 'assistant', content })
const wanted: Wanted = { cause: 'Where is it?', mostCauses: 1, newest: [], isTranscript: false }
const why = (wire: WireName, messages: readonly object[], of: Partial<Wanted> = {}): readonly string[] =>
  whyInvalid(wire, JSON.stringify({ messages }), { ...wanted, ...of })

test('the validator takes a sound request of each wire', () => {
  const newest = [{ id: 'c1', tool: 'look' }]
  const asked = text('Where is it?')
  assert.deepEqual(why('anthropic', [user(asked), assistant(call('c1')), user(result('c1'))], { newest }), [])
  const named = { function: { name: 'look', arguments: '{}' } }
  assert.deepEqual(
    why(
      'openai',
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [asked] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', ...named }] },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
      ],
      { newest },
    ),
    [],
  )
  assert.deepEqual(
    why(
      'ollama',
      [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', ...named }] },
        { role: 'tool', tool_call_id: 'c1', tool_name: 'look', content: 'found' },
      ],
      { newest },
    ),
    [],
  )
})

test('the validator says what is wrong with a broken one', () => {
  const asked = user(text('Where is it?'))
  const answered = assistant(text('Here.'))
  const broken: readonly (readonly [readonly object[], string, Partial<Wanted>?])[] = [
    [[], 'no messages'],
    [[answered, asked], 'begins with assistant'],
    [[asked, answered], 'ends with the assistant'],
    [[user(text('Hello')), asked], 'roles do not alternate'],
    [[user(text('Hello')), answered, user(text('Bye'))], 'the new message is missing'],
    [[asked, answered, asked], 'the new message is there more than once'],
    [[user(text('Hello')), assistant(call('c1')), asked], 'a call without its result'],
    [[asked, assistant(call('c1'))], 'a call without its result'],
    [[asked, assistant(call('c1'), call('c2')), user(result('c1'))], 'a call without its result'],
    [[asked, answered, user(result('c9'))], 'a result without its call'],
    [[user(result('c1'), text('Where is it?'))], 'a result without its call'],
    [[asked, assistant(call('c1')), user(text('so'), result('c1'))], 'the role user with results after texts'],
    [[asked, assistant(call('c1')), user(result('c1')), assistant(call('c1')), user(result('c1'))], 'a call id twice'],
    [[user(text('Where is it?'), text(' '))], 'a blank text'],
    [[user(text('Where is it? \ud83d'))], 'half a character'],
    [[user(text('Hello')), assistant(), asked], 'a message without content'],
    [[asked, assistant(call('c1')), user(result('c1'))], 'the newest step is missing', { newest: [{ id: 'c2', tool: 'look' }] }],
    [[asked], 'the newest step is missing', { newest: [{ id: 'c2', tool: 'look' }], isTranscript: true }],
  ]
  for (const [messages, reason, of] of broken) {
    const found = why('anthropic', messages, of)
    assert.ok(found.includes(reason), `${reason}: ${found}`)
  }
})

test('Ollama matches results by their place, OpenAI by their id', () => {
  const calls = ['c1', 'c2'].map(id => ({ id, function: { name: id, arguments: {} } }))
  const results = ['c2', 'c1'].map(id => ({ role: 'tool', tool_call_id: id, tool_name: id, content: 'found' }))
  const sent = (content: string | null): readonly object[] => [
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content, tool_calls: calls },
    ...results,
  ]
  assert.deepEqual(why('ollama', sent('')), ['a result out of order'])
  assert.deepEqual(why('openai', sent(null)), [])
})

test('a coding session is the same for the same seed, with as many steps as asked for, and with results of every size', () => {
  const trace = codingTrace(4, 120)
  assert.deepEqual(trace, codingTrace(4, 120))
  assert.notDeepEqual(trace.events, codingTrace(5, 120).events)
  assert.equal(askedOf(trace).length, 120)
  const spoken = spokenOf(trace)
  const results = trace.events.flatMap(event => (event.type === 'tool.settled' ? [event.tokens] : []))
  assert.ok(results.some(tokens => tokens < 400) && results.some(tokens => tokens > 10_000))
  assert.ok(Math.max(...results) < 30_000)
  assert.ok(spoken.some(message => message.role === 'assistant' && message.calls.length > 2))
  const used = [...identifiersUsed(trace).values()]
  assert.ok(used.filter(ids => ids.length > 0).length > 90, 'most steps use something that was seen before')
})

test('a request is feasible by its cause, its newest step, and results of at most 200 tokens each', () => {
  const trace = codingTrace(4, 20)
  const [first, second] = requestsOf({ ...trace, system: '', tools: [] }, count)
  assert.ok(first && second?.newest)
  assert.equal(first.least.messages, first.cause.tokens + 4)
  const { reply, results } = second.newest
  const short = results.reduce((sum, { tokens }) => sum + Math.min(200, tokens), 0)
  assert.equal(second.least.messages, second.cause.tokens + 4 + reply.tokens + 8 + short)
  const [, , third] = requestsOf(trace, count)
  assert.ok(third && third.least.messages > 600, 'what stands before the conversation counts, too')
})

test('an identifier has a digit, a sign or a capital inside, and no punctuation at its ends', () => {
  const found = identifiersIn('See "src/a.ts", (runTests) at 12:30; order #W123, I said: well-known Hello there. US42 a_b')
  assert.deepEqual(found, ['src/a.ts', 'runTests', '12:30', 'W123', 'well-known', 'US42'])
})

test('a chat begins with a person, and messages of one side that follow each other are one', () => {
  const say = (role: 'user' | 'assistant', words: string): { role: 'user' | 'assistant'; text: string } => ({ role, text: words })
  const chat = chatOf('chat', [
    ...[say('assistant', 'Anyone?'), say('user', 'Hi.'), say('user', 'Still there?'), say('assistant', 'Yes.')],
    ...[say('assistant', 'Sorry.'), say('user', 'Good.'), say('assistant', 'So?'), say('user', 'no answer')],
  ])
  assert.equal(messagesIn(chat), 4)
  assert.deepEqual(
    spokenOf(chat).map(({ role, text: words }) => [role, words]),
    [
      ['user', 'Hi.\nStill there?'],
      ['assistant', 'Yes.\nSorry.'],
      ['user', 'Good.'],
      ['assistant', 'So?'],
    ],
  )
})

test('a plain token window keeps the newest message of a person, and calls with their results', async () => {
  const spoken = spokenOf(codingTrace(1, 12))
  const { choose } = tokenWindow(({ text: words }) => (words.length > 0 ? 10 : 5))
  const roles = (await choose(spoken.slice(0, 6), 30)).map(({ role }) => role)
  assert.equal(roles[0], 'user')
  assert.equal(roles[1], 'assistant')
  assert.ok(roles.length >= 3 && roles.length < 6)
})

test('a share that is not quite all does not look like all', () => {
  assert.equal(percent(0.9999), '99.9 %')
  assert.equal(percent(1), '100.0 %')
})

test('the benchmark of traces prints its tables and its JSON; with --must it fails if a must is broken', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/traces.ts', '--quick', '--must'], { encoding: 'utf8' })
  const json = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>
  const { bench, command, missing, broken, rows } = json
  assert.deepEqual([bench, command], ['traces', 'node bench/traces.ts --quick --must'], stderr)
  assert.ok(Array.isArray(missing) && Array.isArray(broken) && Array.isArray(rows))
  assert.equal(status, broken.length === 0 ? 0 : 1)
  for (const line of [...missing, ...broken]) assert.ok(stdout.includes(line), line)
  for (const name of ['full history with caching', ...ourWindows.map(window => window.name), 'token window'])
    assert.equal(rows.filter(({ window }) => window === name).length, 3, name)
  for (const row of rows) if (row.window === 'full history with caching') assert.equal(row.ofFull, 1)
})
