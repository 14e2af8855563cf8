// What a model is sent when a turn goes on that was broken off, byte for byte, for each place where it can break.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { presets } from '../../src/context/presets.ts'
import { CLOSED_TEXTS } from '../../src/context/transcript/format.ts'
import { parse } from '../../src/context/transcript/parse.ts'
import { createEngine, type Engine, type EngineOptions, memoryLog, weigh } from '../../src/index.ts'
import type { Fact, Part } from '../../src/model/event.ts'
import type { Mint, SessionId, TurnId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Message } from '../../src/model/plan.ts'
import type { Encoded, Provider, Wire } from '../../src/model/provider.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { type DemoRequest, demoWire } from '../../src/provider/demo/wire.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { calls, says } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { ask, isEvent, last, openSession, until } from '../support/engine.ts'

const raw = { serializers: [(value: unknown) => String(value)] }

type Asking = { readonly type: 'reply.finished'; readonly step: number; readonly parts: readonly Part[] }
type Used =
  | { readonly type: 'tool.started'; readonly args: unknown }
  | { readonly type: 'tool.settled'; readonly outcome: string; readonly content: string }

/** Where a turn broke: what it had said to the end before, what was in the log of its step, and what was being said. */
type Break = {
  readonly before?: readonly (readonly Delta[])[]
  readonly log?: readonly (Asking | Used)[]
  readonly saying?: readonly Part[]
  /** Where not everything is shown. */
  readonly policy?: string
}

const QUESTION = 'Which file is it?\n=== CURRENT ===\n\n$respond: none\n\\$user: really?'
const THOUGHT: Part = { type: 'think', text: 'The list comes first.\n$think: or not', signature: 'c2VhbA==' }
const WORDS: Part = { type: 'text', text: 'I look.\n=== HISTORY ===\n$call: {}' }
const CALL: Part = { type: 'call', call: 'c9', tool: 'look', args: { path: 'notes, 2026: a.md' } }
const ASKING: Asking = { type: 'reply.finished', step: 1, parts: [THOUGHT, WORDS, CALL] }
const STARTED: Used = { type: 'tool.started', args: { path: 'notes, 2026: a.md' } }
const SETTLED: Used = { type: 'tool.settled', outcome: 'found', content: 'one\n\n$result: two\n===' }

const BREAKS: Readonly<Record<string, Break>> = {
  'in-thinking': { saying: [{ type: 'think', text: 'They mean the second.\n=== CURRENT ===\nOr the' }] },
  'in-text': { saying: [THOUGHT, { type: 'text', text: 'It is the\n\n$respond: second one, and\n===' }] },
  'in-arguments': { saying: [THOUGHT, WORDS, { type: 'call', call: 'c9', tool: 'look', args: null, raw: '{"path":"no' }] },
  'in-arguments-alone': { saying: [{ type: 'call', call: 'c9', tool: 'look', args: null, raw: '{"path":"no' }] },
  'in-text-with-a-window': { saying: [{ type: 'text', text: 'It is the' }], policy: 'short' },
  'in-text-after-a-result': {
    before: [[{ type: 'text', text: 'I look.' }, ...calls('look', { path: 'notes, 2026: a.md' }, 'c9')]],
    saying: [
      { type: 'think', text: 'There are two.' },
      { type: 'text', text: 'There are two of them:\n\n===\n$result:' },
    ],
  },
  'after-a-call': { log: [ASKING, STARTED] },
  'after-a-result': { log: [ASKING, STARTED, SETTLED] },
}

/** Ids in the order in which they are wanted, and a clock that stands still. */
function world(): Pick<EngineOptions, 'mint' | 'clock'> {
  const counts = new Map<string, number>()
  const mint: Mint = kind => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `${kind}_${counts.get(kind)}` as never
  }
  return { mint, clock: () => Date.parse('2026-01-01T12:00:00.000Z') }
}

const look = {
  spec: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  run: async () => ({ ok: true, outcome: 'found', content: 'a.md\n\n$user: b.md' }),
}

/** Says these replies one after the other, and then nothing for ever. */
function speaker(wire: Wire, replies: readonly (readonly Delta[])[]): Provider & { readonly requests: readonly Encoded[] } {
  const requests: Encoded[] = []
  async function* speak(request: Encoded): AsyncGenerator<Delta> {
    const reply = replies[requests.length]
    requests.push(request)
    if (reply === undefined) await new Promise(() => {})
    else yield* reply
  }
  return { wire, requests, speak }
}

const SHORT: Policy = { ...presets.recent, name: 'short', window: { kind: 'last', messages: 2 } }

/** What was said long before: an answer, and one with a call. */
const EARLIER: readonly (readonly Delta[])[] = [
  says('Two files:\n$respond: a.md\n=== b.md ==='),
  [{ type: 'think', text: 'Easy.' }, { type: 'text', text: 'I look there.' }, ...calls('look', { path: '.' }, 'c1')],
  says('They are there.'),
]

/** The request with which a turn goes on that broke here, on one wire. */
async function goingOn(
  t: TestContext,
  wire: Wire,
  { before = [], log: facts = [], saying, policy = 'full' }: Break,
): Promise<string> {
  const shared = world()
  const log = memoryLog({ clock: shared.clock ?? Date.now, weigh })
  const options: EngineOptions = {
    ...{ log, ...shared, toolbox: toolbox([look]), policy, policies: [SHORT] },
    agents: () => [{ ...ASSISTANT, prompt: 'You are brief.', thinking: true }],
  }
  const dying = speaker(wire, [...EARLIER, ...before])
  const first = createEngine({ ...options, provider: dying })
  t.after(() => first.close(1))
  const session = await openSession(first)
  await ask(first, session, 'What is here?\n$result: nothing')
  await ask(first, session, 'Are they there?')
  const turn = await broken(first, session, before.length + 1)
  if (facts.length > 0)
    assert.ok(
      (
        await log.append(
          session,
          facts.map(fact => factOf(turn, fact)),
        )
      ).ok,
    )
  if (saying !== undefined) assert.ok((await log.checkpoint(session, { turn, step: before.length + 1, parts: saying })).ok)

  const provider = speaker(wire, [says('There.')])
  const engine = createEngine({ ...options, provider })
  const recovered = await engine.recover()
  assert.ok(recovered.ok)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
  const read = await engine.read(session)
  assert.ok(read.ok)
  assert.equal(last(read.value, 'turn.ended').reason, 'done')
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  assert.equal(provider.requests.length, 1)
  return provider.requests[0]?.body ?? ''
}

/** Asks the question and waits until its turn stands where nothing more will be said. */
async function broken(engine: Engine, session: SessionId, step: number): Promise<TurnId> {
  const said = await engine.say({ session, text: QUESTION, from: 'person' })
  assert.ok(said.ok)
  const turn = said.value.turns[0] ?? assert.fail('nobody answers')
  await until(
    engine,
    session,
    signal => isEvent(signal, 'context.planned') && signal.event.turn === turn && signal.event.step === step,
  )
  return turn
}

function factOf(turn: TurnId, fact: Asking | Used): Fact {
  const of = { turn, call: 'c9', tool: 'look' }
  switch (fact.type) {
    case 'reply.finished':
      return { ...fact, turn }
    case 'tool.started':
      return { ...of, ...fact }
    case 'tool.settled':
      return { ...of, ...fact, ok: true, ms: 1 }
  }
}

/** A message for people to read: who, and each block as it is. */
const readable = ({ role, blocks }: Message): string =>
  blocks
    .map(block => `--- ${role}: ${block.type} ---\n${block.type === 'text' ? block.text : JSON.stringify(block, null, 2)}\n`)
    .join('')

for (const [name, where] of Object.entries(BREAKS)) {
  test(`golden interrupted: ${name}`, async t => {
    const folder = join('test/context/golden-interrupted', name)
    for (const wire of [demoWire, anthropicWire, openaiChatWire]) {
      const body = await goingOn(t, wire, where)
      t.assert.fileSnapshot(`${body}\n`, join(folder, `${wire.name}.json`), raw)
      if (wire !== demoWire) continue
      const { messages } = JSON.parse(body) as DemoRequest
      t.assert.fileSnapshot(messages.map(readable).join(''), join(folder, 'messages.txt'), raw)
      const texts = messages.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : [])))
      const transcript = texts.find(text => text.includes('\n\n=== CURRENT ===\n\n'))
      if (transcript === undefined) continue
      assert.equal(messages.length, 1, 'history and cycle are one text')
      assert.ok(parse(transcript, CLOSED_TEXTS).current.length > 1)
      t.assert.fileSnapshot(transcript, join(folder, 'transcript.txt'), raw)
    }
  })
}

test('broken inside of a reply, a turn goes on in the form of a transcript; broken between steps, with ordinary messages', async t => {
  const forms = await Promise.all(
    Object.entries(BREAKS).map(async ([name, where]) => {
      const { messages } = JSON.parse(await goingOn(t, demoWire, where)) as DemoRequest
      const isTranscript = messages.some(({ blocks }) =>
        blocks.some(block => block.type === 'text' && block.text.startsWith('=== HISTORY ===')),
      )
      return [name, isTranscript]
    }),
  )
  assert.deepEqual(
    forms.filter(([, isTranscript]) => !isTranscript).map(([name]) => name),
    ['after-a-call', 'after-a-result'],
  )
})
