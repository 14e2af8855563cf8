import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOf } from '../../src/archive/input/detect.ts'
import type { ArchiveItem } from '../../src/archive/input/found.ts'
import { complaint, fileOf, inPieces, readAll, remarksIn } from './reading.ts'

const FILES = {
  port42: 'port42.json',
  space: 'space.json',
  chatgpt: 'chatgpt.json',
  claude: 'claude.json',
  openai: 'openai.jsonl',
  turnwise: 'turnwise.json',
} as const

for (const [format, name] of Object.entries(FILES)) {
  test(`${name} is found to be of ${format} and told whole`, async () => {
    const expected = fileOf(`${name}.found`).toString().trimEnd().split('\n')
    const found = await readAll(fileOf(name))
    assert.deepEqual(
      found.map(each => JSON.parse(JSON.stringify(each))),
      expected.map(line => JSON.parse(line)),
    )
    const sessions = found.flatMap(each => (each.type === 'session' ? [each.session.origin] : []))
    assert.deepEqual([...new Set(sessions)], [format])
  })

  test(`${name} is read the same however its bytes come`, async () => {
    const bytes = fileOf(name)
    const whole = JSON.stringify(await readAll(bytes))
    // Every place in a short file, and every so many in a longer one.
    for (let at = 1; at < bytes.length; at += Math.ceil(bytes.length / 250)) {
      const halves = async function* (): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, at)
        yield bytes.subarray(at)
      }
      assert.equal(JSON.stringify(await readAll(halves())), whole, `split at ${at}`)
    }
    assert.equal(JSON.stringify(await readAll(inPieces(bytes, 1))), whole)
  })
}

test('a format is told by what is in a file, not by its name', () => {
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    [{ agent: '@ai-muse', messages: [] }, 'port42'],
    [{ agent: '@ai-muse', messages: null }, 'port42'],
    [{ sessions: [] }, 'space'],
    [{ type: 'user', content: 'x' }, 'space'],
    [{ messages: [{ type: 'user' }] }, 'space'],
    [{ messages: [{ type: 'debate' }, { type: 'user' }] }, 'space'],
    [{ mapping: {} }, 'chatgpt'],
    [{ chat_messages: [] }, 'claude'],
    [{ messages: [{ role: 'user', content: 'x' }] }, 'openai'],
    [{ role: 'user', content: 'x' }, 'openai'],
    [{ hello: 'world' }, undefined],
    [JSON.parse('{"__proto__":{"messages":[]}}'), undefined],
  ]
  for (const [value, format] of cases) assert.equal(formatOf(value), format, JSON.stringify(value))
})

test('a file that is nobody’s is refused, naming those that are known', async () => {
  assert.match(
    await complaint('{"hello":"world"}'),
    /not understood; known are archives of Turnwise.*Port 42.*SPACE.*ChatGPT.*Claude.*OpenAI/,
  )
  assert.match(await complaint('<html></html>'), /^line 1: "<" is not expected here/)
  assert.match(await complaint(''), /the file is empty/)
  assert.match(await complaint(Buffer.from('\ufeff{"a":1}', 'utf16le')), /UTF-16/)
  assert.match(await complaint(Buffer.from('{"a":1}', 'utf16le')), /UTF-16/)
  assert.match(await complaint('{"role":"user"}', 'turnwise'), /^line 1: an archive of Turnwise begins otherwise/)
})

test('a mark before the text, and spaces, change nothing', async () => {
  const bytes = fileOf('claude.json')
  const marked = Buffer.concat([Buffer.from('\ufeff \n'), bytes])
  assert.deepEqual(await readAll(marked), await readAll(bytes))
})

test('what is wrong is said with its place', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['[{"mapping":{}},{"mapping":5}]', /^conversation 2: is not a conversation of ChatGPT: mapping/],
    ['[{"chat_messages":[{"sender":"human"},{"sender":7}]}]', /^conversation 1, message 2: is not a conversation of Claude/],
    [
      '[{"chat_messages":[{"sender":"human","text":"a"},{"sender":"robot"}]}]',
      /^conversation 1, message 2: "robot" is no sender/,
    ],
    [
      '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[{"role":"wizard","content":"a"}]}',
      /^line 2, message 1: "wizard" is no role/,
    ],
    ['{"role":"user","content":"a"}\n\n{"role":"user","content":}\n', /^line 3: is not valid JSON/],
    ['[{"agent":"a","messages":[]}\n,{"agent":"a",\n"messages":x}]', /^conversation 2: is not valid JSON; it begins on line 2/],
    ['[{"agent":"a","messages":[]}', /^line 1: the file ends before its list does/],
    ['[{"agent":"a","messages":[]},', /cut off/],
    ['[{"agent":"a","messages":[]},]', /^line 1: "]" is not expected here/],
    ['[{"agent":"a","messages":[]}] x', /^line 1: "x" is not expected here: the list has ended/],
    ['[{"agent":"a","mess', /^conversation 1: the file ends in the middle of it/],
    ['[1]', /^line 1: "1" is not expected here: the list should hold objects/],
    [`{"agent":"a","messages":${'['.repeat(300)}`, /^line 1: is nested more than 200 deep/],
    ['{"agent":"a","messages":[{"role":"user","content":"\u0001"}]}', /not valid JSON/],
  ]
  for (const [text, expected] of cases) assert.match(await complaint(text), expected, text.slice(0, 80))
  assert.match(
    await complaint(
      Buffer.from([
        0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
        0x20,
      ]),
    ),
    /^line 1: is not text in UTF-8/,
  )
})

test('messages one on each line are one session, which is told as it comes', async () => {
  const lines = ['user', 'assistant', 'user'].map((role, index) => JSON.stringify({ role, content: `said ${index}` }))
  const found = await readAll(lines.join('\n'))
  assert.deepEqual(
    found.map(each => (each.type === 'fact' ? each.fact.type : each.type)),
    ['session', 'message.received', 'turn.started', 'reply.finished', 'turn.ended', 'message.received'],
  )
})

test('bare messages of SPACE are one session', async () => {
  const found = await readAll('[{"type":"user","content":"hello"},{"type":"assistant","content":"good day"}]')
  assert.deepEqual(wordsIn(found), ['hello', 'good day'])
  assert.match(
    await complaint('[{"type":"user","content":"hello"},{"type":5}]'),
    /^conversation 1, message 2: is not a session of SPACE/,
  )
})

test('two advisors of one name stay two, and one who was renamed stays one', async () => {
  const answers = (responses: object): string =>
    JSON.stringify({ type: 'parallel_advisor_response', advisorResponses: responses })
  const found = await readAll(
    `[{"type":"user","content":"hello"},${answers({ a: { name: 'Ann', content: '1' }, b: { name: 'Ann', content: '2' } })},` +
      `{"type":"user","content":"again"},${answers({ a: { name: 'Anna', content: '3' }, 'A!': { name: 'Ann', content: '4' } })}]`,
  )
  const voices = found.flatMap(each => (each.type === 'fact' && each.fact.type === 'turn.started' ? [each.fact.voice] : []))
  assert.deepEqual(voices, ['a', 'b', 'a', 'a-2'])
})

test('keys that mean something to JavaScript mean nothing here', async () => {
  const hostile = [
    '[{"title":"x","mapping":{"__proto__":{"parent":null,"polluted":1},"constructor":{"message":{"author":{"role":"user"},"content":{"parts":["hi"]}}}},"current_node":"constructor","__proto__":{"polluted":1}}]',
    '{"messages":[{"role":"user","content":"hi","__proto__":{"polluted":1}},{"role":"assistant","tool_calls":[{"id":"__proto__","function":{"name":"__proto__","arguments":"{\\"__proto__\\":{\\"polluted\\":1}}"}}]}]}',
    '{"messages":[{"type":"user","content":"hi"},{"type":"parallel_advisor_response","advisorResponses":{"__proto__":{"name":"x","content":"y"},"constructor":{"name":"prototype","content":"z"}}}]}',
    '{"agent":"__proto__","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}',
  ]
  for (const text of hostile) {
    const found = await readAll(text)
    assert.ok(wordsIn(found).includes('hi'), text)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    const voices = found.flatMap(each => (each.type === 'fact' && each.fact.type === 'turn.started' ? [each.fact.voice] : []))
    for (const voice of voices) assert.match(voice, /^(?!constructor$|prototype$)[a-z0-9][a-z0-9_-]*$/)
  }
})

test('halves of characters and times that cannot be are made good', async () => {
  const lines = [
    { role: 'user', content: 'half \ud83d', timestamp: '2025-01-01T00:00:00Z' },
    { role: 'user', content: 'b', timestamp: '+275760-09-13T00:00:00Z' },
    { role: 'user', content: 'c', timestamp: -5 },
    { role: 'user', content: 'd', timestamp: 1e300 },
    { role: 'user', content: 'e', timestamp: 1735689600123 },
  ]
  const found = await readAll(JSON.stringify({ title: 'a\u0000\ud83d\n b', messages: lines }))
  assert.deepEqual(
    found.map(each =>
      each.type === 'session' ? [each.session.title, each.session.createdAt] : each.type === 'fact' ? each.at : '',
    ),
    [['a \ufffd b', '2025-01-01T00:00:00.000Z'], ...Array(4).fill('2025-01-01T00:00:00.000Z'), '2025-01-01T00:00:00.123Z'],
  )
  assert.equal(wordsIn(found)[0], 'half \ufffd')
})

test('results find the call that they belong to, in whichever order they come', async () => {
  const said = (role: string, name: string | null, recipient: string, text: string): object => ({
    author: { role, name },
    recipient,
    content: { content_type: 'text', parts: [text] },
  })
  const messages = [
    said('user', null, 'all', 'look and count'),
    said('assistant', null, 'web.run', '{"q":"tea"}'),
    said('assistant', null, 'python', '1 + 1'),
    said('tool', 'web.run', 'all', 'leaves'),
    said('tool', 'python', 'all', '2'),
    said('tool', 'web.run', 'all', 'and water'),
    said('tool', 'a8km', 'all', 'nobody asked'),
  ]
  const mapping = Object.fromEntries(
    messages.map((message, index) => [`n${index}`, { parent: index === 0 ? null : `n${index - 1}`, message }]),
  )
  const found = await readAll(JSON.stringify([{ mapping, current_node: 'n6' }]))
  const settled = found.flatMap(each =>
    each.type === 'fact' && each.fact.type === 'tool.settled' ? [[each.fact.tool, each.fact.outcome, each.fact.content]] : [],
  )
  assert.deepEqual(settled, [
    ['web_run', 'done', 'leaves\n\nand water'],
    ['python', '2', undefined],
  ])
  assert.deepEqual(wordsIn(found), ['look and count', '[a8km]\nnobody asked'])
})

test('a tree that leads in a circle, or nowhere, ends', async () => {
  const node = (parent: string, text: string): object => ({
    parent,
    message: { author: { role: 'user' }, content: { parts: [text] } },
  })
  const circle = await readAll(JSON.stringify([{ mapping: { a: node('b', '1'), b: node('a', '2') }, current_node: 'a' }]))
  assert.deepEqual(wordsIn(circle), ['2', '1'])
  const nowhere = await readAll(JSON.stringify([{ mapping: { a: node('gone', '1'), b: node('a', '2') }, current_node: 'gone' }]))
  assert.deepEqual(wordsIn(nowhere), ['1', '2'])
  const empty = await readAll('[{"mapping":{},"current_node":null}]')
  assert.deepEqual(remarksIn(empty), ['one conversation without messages was left out'])
})

const wordsIn = (found: readonly ArchiveItem[]): readonly string[] =>
  found.flatMap(each => {
    if (each.type !== 'fact') return []
    if (each.fact.type === 'message.received') return [each.fact.text]
    return each.fact.type === 'reply.finished' ? each.fact.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])) : []
  })

test('advisors of an older message are read as text, taken apart, or as the message has them', async () => {
  const advisors = [{ name: 'Stoic', response: 'Wait.' }]
  const older = [
    { content: JSON.stringify({ advisors }) },
    { parsedAdvisors: { advisors } },
    { advisors, synthesis: 'Wait, then.' },
  ]
  for (const held of older) {
    const messages = [
      { type: 'user', content: 'Shall I?' },
      { type: 'advisor_json', ...held },
    ]
    const found = await readAll(JSON.stringify({ messages }))
    const started = found.flatMap(each => (each.type === 'fact' && each.fact.type === 'turn.started' ? [each.fact.name] : []))
    assert.deepEqual(started, 'synthesis' in held ? ['Stoic', 'Synthesis'] : ['Stoic'])
  }
})

test('an advisor of whom a message or a list of seats has only the name is the one of that name', async () => {
  const file = {
    advisors: [{ name: 'Stoic' }, { name: 'Silent' }],
    messages: [
      { type: 'user', content: 'Shall I?' },
      { type: 'advisor_json', content: JSON.stringify({ advisors: [{ name: 'Stoic', response: 'Wait.' }] }) },
      { type: 'parallel_advisor_response', advisorResponses: { a1: { name: 'Stoic', content: 'Go.' }, a2: { name: 'Muse' } } },
    ],
  }
  const found = await readAll(JSON.stringify(file))
  const [first] = found
  assert.deepEqual(first?.type === 'session' ? first.session.advisors : first, [
    { id: 'a1', name: 'Stoic' },
    { id: 'a2', name: 'Muse' },
    { id: 'silent', name: 'Silent' },
  ])
  const voices = found.flatMap(each => (each.type === 'fact' && each.fact.type === 'turn.started' ? [each.fact.voice] : []))
  assert.deepEqual(voices, ['a1', 'a1'])
})

test('arguments of a call may be text or an object', async () => {
  const calls = [{ function: { name: 'a', arguments: { x: [1] } } }, { function: { name: 'b', arguments: '{"y":2}' } }, {}]
  const messages = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', tool_calls: calls },
  ]
  const asked = (await readAll(JSON.stringify({ messages }))).flatMap(each =>
    each.type === 'fact' && each.fact.type === 'tool.started' ? [[each.fact.tool, each.fact.args]] : [],
  )
  assert.deepEqual(asked, [
    ['a', { x: [1] }],
    ['b', { y: 2 }],
    ['tool', {}],
  ])
})
