// Fault 24: wherever the line breaks inside a reply, its turn goes on by itself, and the answer is the one that was meant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CLOSED_TEXTS, type TranscriptEvent } from '../../src/context/transcript/format.ts'
import { parse } from '../../src/context/transcript/parse.ts'
import type { Engine } from '../../src/engine.ts'
import type { Recorded } from '../../src/model/event.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { isReply } from '../../src/model/message/spoken.ts'
import { spokenText } from '../../src/model/turn-view/join-cuts.ts'
import { ASSISTANT } from '../../src/model/voice.ts'
import { type Fake, type FakeFault, type FakePart, framesOf, type Script, startFake } from '../../src/testing/index.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { ask, engineWith, last, openSession } from '../support/engine.ts'
import { tries } from '../support/tries.ts'
import { DOORS, type Door } from './fakes/door.ts'
import { WIRE_OF } from './speaking.ts'

const MODEL_OF: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-opus-5',
  openai: 'openai/gpt-5.1',
  openrouter: 'openrouter/anthropic/claude-sonnet-5.5',
  ollama: 'ollama/qwen3:8b',
}

/** What a model means to say in one step, if nobody cuts it off. */
type Speech = { readonly think: string; readonly text: string; readonly args?: string }

const ARGS = '{"path":"Übersicht 世界.md"}'
const ANSWER: readonly Speech[] = [
  { think: 'They greet 👋 me.', text: 'Grüße, 世界! 👩‍👩‍👧 It rains.\n\n$respond: is a word too.' },
]
const WITH_A_CALL: readonly Speech[] = [
  { think: 'I look it up.', text: 'Ich schaue nach: 🌧️', args: ARGS },
  { think: 'There it is.', text: 'Es regnet in 東京.' },
]
const FOUND = 'found the umbrella'

const saysOf = ({ think, text, args }: Speech): readonly FakePart[] => [
  ...(think === '' ? [] : [{ type: 'think', text: think, signature: 'c2VhbA==' } as const]),
  ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ...(args === undefined ? [] : [{ type: 'call', tool: 'look', args } as const]),
]

/** A model that obeys: asked to go on, it says exactly what is missing, or begins with its last words where it `repeats`. */
function obedient(fake: () => Fake, speeches: readonly Speech[], { repeats = 0, faults = [] }: Obedience = {}): Script {
  return {
    get says() {
      const { body } = fake().requests.at(-1) ?? assert.fail('nobody asked')
      return saysOf(missing(speeches, body, repeats))
    },
    faults,
  }
}
type Obedience = { readonly repeats?: number; readonly faults?: readonly FakeFault[] }

function missing(speeches: readonly Speech[], body: string, repeats: number): Speech {
  const text = stringsIn(JSON.parse(body)).find(each => each.startsWith('=== CURRENT ==='))
  const heard: readonly TranscriptEvent[] = text === undefined ? [] : parse(text.replace(GO_ON, ''), CLOSED_TEXTS).current
  const after = heard.slice(heard.findLastIndex(({ type }) => type === 'result') + 1)
  const speech = speeches[body.includes(FOUND) ? 1 : 0] ?? assert.fail('nothing is left to say')
  const said = (type: 'respond' | 'think'): string => after.flatMap(each => (each.type === type ? [each.text] : [])).join('')
  assert.ok(speech.text.startsWith(said('respond')), `it never said ${said('respond')}`)
  assert.ok(speech.think.startsWith(said('think')), `it never thought ${said('think')}`)
  const from = said('respond').length
  return {
    ...speech,
    think: from > 0 ? '' : speech.think.slice(said('think').length),
    text: speech.text.slice(Math.max(0, from - repeats)),
  }
}

/** Where a wire has only strings, the words to go on stand behind the transcript. */
const GO_ON = /\n\n\[You were cut off at the very end of the transcript above\.[^\]]*\]$/

const stringsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** What became of one question. */
type Outcome = {
  readonly events: readonly Recorded[]
  readonly requests: readonly string[]
  /** What the tool was run with. */
  readonly runs: readonly unknown[]
  readonly engine: Engine
  readonly session: SessionId
}

/** Asks once; the first chats are answered as told, all others by a model that obeys. */
async function asked(
  { name, wire, flavour }: Door,
  speeches: readonly Speech[],
  scripts: readonly ((fake: () => Fake) => Script)[],
): Promise<Outcome> {
  const late: { fake?: Fake } = {}
  const fake = (): Fake => late.fake ?? assert.fail('it has not begun')
  await using running = await startFake({
    wire,
    flavour,
    script: obedient(fake, speeches),
    scripts: scripts.map(each => each(fake)),
  })
  late.fake = running
  const runs: unknown[] = []
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
    run: async (args: unknown) => {
      runs.push(args)
      return { ok: true, outcome: FOUND }
    },
  }
  const engine = engineWith({
    model: MODEL_OF[name] ?? '',
    providers: { [name]: { apiKey: 'sk-fake', baseURL: running.url } },
    agents: () => [{ ...ASSISTANT, prompt: 'You are brief.', thinking: true }],
    toolbox: toolbox([look]),
  })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Hello?')
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  await engine.close(100)
  await running.quiet()
  // A server may have been asked before what its model can do.
  const chats = running.requests.filter(({ path }) => path !== '/api/show')
  return { events, requests: chats.map(({ body }) => body), runs, engine, session }
}

const countOf = (events: readonly Recorded[], type: Recorded['type']): number => events.filter(each => each.type === type).length
const answerIn = (events: readonly Recorded[]): string => spokenText(events.filter(isReply))
const meant = (speeches: readonly Speech[]): string => speeches.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n')

const cutScript = (speech: Speech, byte: number, how: 'rst' | 'fin'): Script => ({
  says: saysOf(speech),
  faults: [{ type: 'cutAt', byte, how }],
})

/** A reply's bytes as the fake will send them, up to the end of each of its frames. */
function edgesOf({ name, wire, flavour }: Door, speech: Speech, ordinal: number): { bytes: Buffer; edges: readonly number[] } {
  const model = (MODEL_OF[name] ?? '').slice(name.length + 1)
  const frames = framesOf(wire, { says: saysOf(speech) }, { model, ordinal, wantsUsage: true, flavour })
  let end = 0
  const edges = frames.map(frame => {
    end += Buffer.byteLength(frame)
    return end
  })
  return { bytes: Buffer.from(frames.join('')), edges }
}

/** What is heard of so many bytes: nothing, something, or a reply that is whole. */
function heardOf({ name }: Door, bytes: Buffer): 'nothing' | 'something' | 'everything' {
  const decoder = WIRE_OF[name]?.decode?.({ url: '', body: '{}' }) ?? assert.fail('it cannot be heard')
  const deltas = decoder.read(bytes)
  if (deltas.some(({ type }) => type === 'done')) return 'everything'
  return deltas.some(delta => ('text' in delta && delta.text !== '') || ['call', 'sealed', 'redacted'].includes(delta.type))
    ? 'something'
    : 'nothing'
}

type Cut = { readonly speeches: readonly Speech[]; readonly step: number; readonly byte: number; readonly how: 'rst' | 'fin' }

/** Everything that must be true wherever the line broke. */
async function goesOn(door: Door, { speeches, step, byte, how }: Cut): Promise<void> {
  const what = `${door.name}, step ${step + 1}, ${how} at byte ${byte}`
  const speech = speeches[step] ?? assert.fail('there is no such step')
  const before = speeches.slice(0, step).map(each => (): Script => ({ says: saysOf(each) }))
  const { events, requests, runs } = await asked(door, speeches, [...before, () => cutScript(speech, byte, how)])
  const { bytes } = edgesOf(door, speech, step + 1)
  const heard = heardOf(door, bytes.subarray(0, byte))
  const broken = countOf(events, 'reply.broken')
  assert.deepEqual([last(events, 'turn.ended').reason, countOf(events, 'turn.started')], ['done', 1], what)
  assert.equal(answerIn(events), meant(speeches), what)
  assert.deepEqual(runs, speeches.length > 1 ? [JSON.parse(ARGS)] : [], `${what}: a call runs once, and whole`)
  assert.equal(countOf(events, 'tool.started'), runs.length, what)
  assert.ok(broken <= 1, what)
  // What a reset overtakes on its way may never be heard.
  if (how === 'fin') assert.equal(broken, heard === 'something' ? 1 : 0, `${what}: ${heard} was heard`)
  if (heard === 'nothing') assert.equal(broken, 0, what)
  assert.ok(requests.length <= speeches.length + 1, `${what}: ${requests.length} requests`)
  assert.equal(countOf(events, 'context.planned'), speeches.length + broken, what)
  const again = requests[step + 1] ?? ''
  // Half a call is nothing that could be gone on with.
  const saidSomething = events.some(each => each.type === 'reply.broken' && each.parts.some(({ type }) => type !== 'call'))
  if (saidSomething) assert.match(again, /=== CURRENT ===.*You were cut off/s, what)
  else if (requests.length > speeches.length) assert.equal(again, requests[step], `${what}: asked again as it was`)
}

/** A few at a time: most of the time goes by in waiting. */
async function all(door: Door, cuts: readonly Cut[]): Promise<void> {
  const left = [...cuts]
  const work = async (): Promise<void> => {
    for (let cut = left.shift(); cut !== undefined; cut = left.shift()) await goesOn(door, cut)
  }
  await Promise.all(Array.from({ length: 6 }, work))
}

const HOWS = ['rst', 'fin'] as const

for (const door of DOORS) {
  const { name } = door

  test(`${name}: cut after every frame, an answer is the one that was meant`, async () => {
    const { edges } = edgesOf(door, ANSWER[0] as Speech, 1)
    await all(
      door,
      edges.flatMap(byte => HOWS.map(how => ({ speeches: ANSWER, step: 0, byte, how }))),
    )
  })

  test(`${name}: cut after every frame around a call, the call runs once and never in part`, async () => {
    const cuts = WITH_A_CALL.flatMap((speech, step) =>
      edgesOf(door, speech, step + 1).edges.flatMap(byte => HOWS.map(how => ({ speeches: WITH_A_CALL, step, byte, how }))),
    )
    await all(door, cuts)
  })

  test(`${name}: cut inside of frames, also inside of letters`, async () => {
    const places = [ANSWER, WITH_A_CALL].flatMap(speeches => speeches.map((_, step) => ({ speeches, step })))
    const cut = fc.record({ place: fc.constantFrom(...places), share: fc.nat({ max: 9999 }), how: fc.constantFrom(...HOWS) })
    await all(
      door,
      fc.sample(cut, tries(60)).map(({ place, share, how }) => {
        const { bytes } = edgesOf(door, place.speeches[place.step] as Speech, place.step + 1)
        return { ...place, byte: Math.floor((share / 10_000) * bytes.length), how }
      }),
    )
  })

  test(`${name}: a call that was all there was and was cut off is asked for again, and runs once`, async () => {
    const speeches: readonly Speech[] = [
      { think: '', text: '', args: ARGS },
      { think: '', text: 'Es regnet.' },
    ]
    const { edges } = edgesOf(door, speeches[0] as Speech, 1)
    await all(
      door,
      edges.map(byte => ({ speeches, step: 0, byte, how: 'fin' })),
    )
  })

  test(`${name}: cut off a second time, the turn fails and keeps what was said`, async () => {
    const [speech] = ANSWER as [Speech]
    const { edges } = edgesOf(door, speech, 1)
    const { events, requests } = await asked(door, ANSWER, [
      () => cutScript(speech, edges.at(-6) ?? 0, 'fin'),
      fake => obedient(fake, ANSWER, { faults: [{ type: 'noTerminal' }] }),
    ])
    const ended = last(events, 'turn.ended')
    assert.deepEqual([ended.reason, ended.fault?.kind], ['failed', 'garbled'])
    assert.deepEqual([countOf(events, 'reply.broken'), requests.length], [2, 2])
    assert.equal(answerIn(events), speech.text, 'nothing of it is lost')
  })

  test(`${name}: a model that begins with its last words again is heard without them`, async () => {
    const [speech] = ANSWER as [Speech]
    const { edges } = edgesOf(door, speech, 1)
    for (const faults of [[], [{ type: 'status', code: 503, headers: { 'retry-after-ms': '1' } } as const]]) {
      const again = faults.map(fault => (): Script => ({ faults: [fault] }))
      const { events } = await asked(door, ANSWER, [
        () => cutScript(speech, edges.at(-6) ?? 0, 'fin'),
        ...again,
        fake => obedient(fake, ANSWER, { repeats: 16 }),
      ])
      assert.equal(countOf(events, 'reply.broken'), 1)
      assert.equal(answerIn(events), speech.text)
      assert.equal(last(events, 'turn.ended').reason, 'done')
    }
  })
}
