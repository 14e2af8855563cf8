// Faults 39 and 40, as the page meets them: wherever its line is cut, it shows in the end what it would have shown otherwise.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { fault } from '../../../src/model/fault.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { reduce } from '../../../web/src/view/reduce.ts'
import { EMPTY_VIEW, type View } from '../../../web/src/view/view.ts'
import { createFrameReader } from '../../../web/src/wire/frames.ts'
import { type PageSignal, parseSignal } from '../../../web/src/wire/signal.ts'
import { advisor, councilOf, stand } from '../../support/council.ts'
import { startGateway } from '../../support/gateway.ts'
import { tries } from '../../support/tries.ts'
import { type Client, clientOf, type Json } from './client.ts'

const text = (...pieces: readonly string[]): readonly Delta[] => pieces.map(piece => ({ type: 'text', text: piece }))
const think = (...pieces: readonly string[]): readonly Delta[] => pieces.map(piece => ({ type: 'think', text: piece }))
const call = (...pieces: readonly string[]): readonly Delta[] =>
  pieces.map(piece => ({ type: 'call', call: 'c1', tool: 'look', text: piece }))
const DONE: Delta = { type: 'done' }
const CUT: Delta = { type: 'fault', fault: fault('unreachable', 'the connection was reset') }

/** Slow enough for somebody who was cut off to come back in the middle. */
async function* slowly(deltas: readonly Delta[]): AsyncGenerator<Delta> {
  for (const delta of deltas) {
    yield delta
    await setTimeout(2)
  }
}

/** Thinks, speaks and calls; speaks again and is itself cut off; goes on. */
function agentSays({ messages }: DemoRequest): readonly Delta[] {
  const blocks = messages.flatMap(message => message.blocks)
  if (blocks.some(block => block.type === 'text' && block.text.startsWith('=== CURRENT ===')))
    return [...text(' and 👩‍👩‍👧', ' more.'), DONE]
  if (blocks.some(({ type }) => type === 'result')) return [...think('So.'), ...text('There', ' is ', '世界'), CUT]
  return [...think('Let me 👀', ' see'), ...text('I look', ' it up: '), ...call('', '{"path"', ':"ü"}'), DONE]
}

const advisorSays = ({ voice }: DemoRequest): readonly Delta[] => [
  ...think(`${voice} ponders`, ' 🌊'),
  ...text(`${voice} says`, ' that ', 'it rains', ' in 東京.'),
  DONE,
]

const look = {
  spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
  run: async () => {
    await setTimeout(2)
    return { ok: true, outcome: 'found', content: 'a line\n\nanother' }
  },
}

/** A conversation with one question in it, and how many answers that has. */
type Story = { readonly url: string; readonly client: Client; readonly wish: object; readonly answers: number }

const STORIES: Readonly<Record<string, (t: TestContext) => Promise<Story>>> = {
  'an agent with tools': async t => {
    const { url } = await startGateway(t, { provider: stand(request => slowly(agentSays(request))), toolbox: toolbox([look]) })
    return { url, client: clientOf(url), wish: {}, answers: 1 }
  },
  'a council of two': async t => {
    const councils = () => [councilOf([advisor('ada'), advisor('bo')])]
    const { url } = await startGateway(t, { provider: stand(request => slowly(advisorSays(request))), councils })
    return { url, client: clientOf(url), wish: { council: 'board' }, answers: 2 }
  },
}

/** One connection: cut after so many frames, in the middle of the next one where it is `torn`, and come back from late or at once. */
type Cut = { readonly frames: number; readonly torn: boolean; readonly late: boolean }

const isOver = (heard: readonly PageSignal[], answers: number): boolean =>
  heard.filter(signal => signal.type === 'event' && signal.event.type === 'turn.ended').length === answers

/** Reads byte for byte, as the page reads chunk for chunk, up to a cut or to the end of the story. */
async function listen(
  { url, answers }: Story,
  session: string,
  before: readonly PageSignal[],
  cut?: Cut,
): Promise<readonly PageSignal[]> {
  const line = new AbortController()
  const cursor = before.reduce((last, signal) => (signal.type === 'event' ? signal.event.seq : last), 0)
  const headers = { accept: 'text/event-stream', 'last-event-id': String(cursor) }
  const response = await fetch(`${url}${session}/events`, { headers, signal: line.signal })
  assert.equal(response.status, 200)
  const frames = createFrameReader()
  const heard: PageSignal[] = []
  try {
    for await (const chunk of response.body ?? assert.fail('no body')) {
      for (const [at] of chunk.entries()) {
        if (heard.length === cut?.frames) {
          if (cut.torn) assert.deepEqual(frames.read(chunk.subarray(at, at + 9)), [])
          return heard
        }
        heard.push(...frames.read(chunk.subarray(at, at + 1)).flatMap(frame => parseSignal(frame) ?? []))
        if (isOver([...before, ...heard], answers)) return heard
      }
    }
    return assert.fail('the stream ended by itself')
  } finally {
    line.abort()
  }
}

/** Tells the story to two who listen, one of them cut off again and again, and compares what they have seen. */
async function told(story: Story, cuts: readonly Cut[]): Promise<number> {
  const { client, wish, answers } = story
  const session = await client.open(wish)
  const uncut = listen(story, session, [])
  const said = client.json(202, 'POST', `${session}/messages`, { body: { text: 'What is there?' } })
  const heard: PageSignal[] = []
  const seen: View[] = []
  for (let round = 0; !isOver(heard, answers); round += 1) {
    const cut = cuts[round]
    const more = await listen(story, session, heard, cut)
    heard.push(...more)
    for (const signal of more) seen.push(reduce(seen.at(-1) ?? EMPTY_VIEW, signal))
    if (cut?.late === true) await uncut
  }
  await said
  const whole = await uncut
  const view = seen.at(-1) ?? EMPTY_VIEW
  assert.deepEqual(view, whole.reduce(reduce, EMPTY_VIEW), 'the same is shown')
  const stored: Json[] = await client.events(session)
  const fromLog = stored.map((event): PageSignal => ({ type: 'event', event }))
  assert.deepEqual({ ...view, notices: [] }, fromLog.reduce(reduce, EMPTY_VIEW), 'and it is what the log says')
  assert.deepEqual(
    heard.flatMap(signal => (signal.type === 'event' ? [signal.event.seq] : [])),
    stored.map(({ seq }) => seq),
    'every event once, in order',
  )
  const final = wordsIn(view)
  for (const earlier of seen)
    for (const [place, words] of wordsIn(earlier)) {
      assert.ok(final.get(place)?.startsWith(words), `${place}: ${words} was shown, and is ${final.get(place)} in the end`)
    }
  return whole.length
}

/** Everything that is shown as said or thought, by where. */
const wordsIn = ({ entries }: View): ReadonlyMap<string, string> =>
  new Map(
    entries.flatMap(entry =>
      entry.kind !== 'reply'
        ? []
        : entry.steps.flatMap(({ step, parts }) =>
            parts.flatMap((part, index) =>
              part.type === 'call' ? [] : [[`${entry.turn} ${step} ${index}`, part.text] as const],
            ),
          ),
    ),
  )

for (const [name, begin] of Object.entries(STORIES)) {
  test(`${name}: cut once, after every frame and in the middle of every frame`, async t => {
    const story = await begin(t)
    const frames = await told(story, [])
    assert.ok(frames > 20, `${frames} frames`)
    for (const torn of [false, true]) {
      const all = Array.from({ length: frames }, (_, index) => ({ frames: index, torn, late: index % 3 === 2 }))
      for (let at = 0; at < all.length; at += 8) await Promise.all(all.slice(at, at + 8).map(cut => told(story, [cut])))
    }
  })

  test(`${name}: cut again after every single frame`, async t => {
    const story = await begin(t)
    for (const torn of [false, true]) await told(story, Array(1000).fill({ frames: 1, torn, late: false }))
  })

  test(`${name}: cut anywhere, any number of times`, async t => {
    const story = await begin(t)
    const cut = fc.record({ frames: fc.nat({ max: 12 }), torn: fc.boolean(), late: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 12 }), async cuts => {
        await told(story, cuts)
      }),
      { ...tries(40), endOnFailure: true },
    )
  })
}
