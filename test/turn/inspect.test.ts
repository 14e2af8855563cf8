// Where something is, how a session went, and what else could have been sent: checked against the requests themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Engine, type Presences, presets, type Timeline } from '../../src/index.ts'
import type { Mark, Recorded } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { usageSum } from '../../src/model/usage.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { advisor, boardOf, councilOf, round, stand } from '../support/council.ts'
import { ask, engineWith, eventsOf, openSession } from '../support/engine.ts'
import { tries } from '../support/tries.ts'

const POLICIES: readonly Policy[] = [
  { ...presets.steady, name: 'tiny', window: { kind: 'tokens', low: 60, high: 130 } },
  { ...presets.council, name: 'tiny own', window: { kind: 'tokens', low: 60, high: 110 } },
  { ...presets.full, name: 'narrow', budget: { tokens: 220, reserve: 100 } },
  { ...presets.recent, name: 'last two', window: { kind: 'last', messages: 2 } },
  { ...presets['head-tail'], name: 'ends', window: { kind: 'head-tail', max: 4, head: 1, recent: 2, noteOver: 1 } },
  { ...presets.transcript, name: 'script', window: { kind: 'last', messages: 4 } },
]

/** What people do; places are counted round whatever there is. */
type Deed =
  | { readonly does: 'say'; readonly calls: number; readonly to?: readonly number[]; readonly synthesis?: boolean }
  | { readonly does: 'mark'; readonly at: number; readonly mark: Mark | null }
  | { readonly does: 'change policy'; readonly policy: string }

const policyName = fc.constantFrom(...POLICIES.map(({ name }) => name), 'full', 'steady')
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('say' as const), calls: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('say' as const),
      calls: fc.constant(0),
      to: fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }),
      synthesis: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('mark' as const),
      at: fc.nat(20),
      mark: fc.constantFrom('pin' as const, 'exclude' as const, null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change policy' as const), policy: policyName }) },
)
const play = fc.record({
  advisors: fc.constantFrom(0, 0, 2, 3),
  policy: policyName,
  deeds: fc.array(deed, { minLength: 3, maxLength: 9 }),
})
type Play = typeof play extends fc.Arbitrary<infer Value> ? Value : never

/** Words that nobody else says: a request that holds them holds what they were said in. */
function createWords(): () => string {
  let said = 0
  return () => {
    said += 1
    return `w${said}x and so on`
  }
}

const wordIn = (event: Recorded): string | undefined => {
  if (event.type === 'message.received') return /w\d+x/.exec(event.text)?.[0]
  if (event.type === 'tool.settled') return /w\d+x/.exec(event.outcome)?.[0]
  if (event.type !== 'reply.finished' && event.type !== 'reply.broken') return undefined
  return /w\d+x/.exec(event.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' '))?.[0]
}

/** Plays it with a model that calls a tool as often as it is told to, and fails now and then in a council. */
async function played({ advisors, policy, deeds }: Play): Promise<{ engine: Engine; session: SessionId }> {
  const word = createWords()
  let asked = 0
  let calls = 0
  const reply = function* ({ voice }: DemoRequest): Generator<Delta> {
    asked += 1
    const usage = { input: 100 + asked, output: 7, cacheRead: asked * 3, cacheWrite: 1, costUsd: asked / 1e6 }
    // What the house says is heard by nobody.
    yield { type: 'text', text: voice.startsWith('house') ? 'All said [A].' : word() }
    if (calls > 0 && advisors === 0) {
      calls -= 1
      yield { type: 'call', call: `c${asked}`, tool: 'look', text: '{"far":true}' }
    } else if (advisors > 0 && asked % 7 === 0) {
      yield { type: 'fault', fault: fault('refused', 'not today') }
      return
    }
    yield { type: 'usage', usage }
    yield { type: 'done' }
  }
  const provider = stand(request => [...reply(request)])
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: word() }),
  }
  const council = councilOf(['ada', 'bo', 'cy'].slice(0, advisors).map(id => advisor(id)))
  const options = { provider, policies: POLICIES, toolbox: toolbox(advisors === 0 ? [look] : []) }
  const board = advisors === 0 ? undefined : await boardOf(council, options)
  const engine = board?.engine ?? engineWith(options)
  const session = board?.session ?? (await openSession(engine))
  assert.ok((await engine.change(session, { policy })).ok)
  for (const each of deeds) {
    if (each.does === 'change policy') assert.ok((await engine.change(session, { policy: each.policy })).ok)
    if (each.does === 'mark') {
      const said = (await eventsOf(engine, session)).filter(event => wordIn(event) !== undefined && MARKABLE.has(event.type))
      const target = said[each.at % Math.max(1, said.length)]?.seq
      if (target !== undefined) assert.ok((await engine.mark(session, target, each.mark)).ok)
    }
    if (each.does === 'say') {
      calls = each.calls
      const to = (each.to ?? []).flatMap(place => council.advisors[place % Math.max(1, advisors)]?.id ?? [])
      if (board === undefined) await ask(engine, session, word())
      else await round(board, word(), to.length === 0 ? {} : { to })
      if (board !== undefined && each.synthesis === true) await synthesized(engine, session)
    }
  }
  return { engine, session }
}

const MARKABLE: ReadonlySet<string> = new Set(['message.received', 'reply.finished'])

async function synthesized(engine: Engine, session: SessionId): Promise<void> {
  const turn = await engine.synthesize(session, 'brief')
  if (!turn.ok) return
  const abort = new AbortController()
  for await (const signal of engine.follow(session, 0, abort.signal))
    if (signal.type === 'event' && signal.event.type === 'turn.ended' && signal.event.turn === turn.value) break
  abort.abort()
}

const sure = <Value>(result: { ok: true; value: Value } | { ok: false; fault: { message: string } }): Value => {
  assert.ok(result.ok, result.ok ? '' : result.fault.message)
  return result.value
}

test('presence says of every later request, exactly once, whether its bytes hold what was said', async () => {
  await fc.assert(
    fc.asyncProperty(play, fc.integer({ min: 1, max: 9 }), async (given, limit) => {
      const { engine, session } = await played(given)
      const events = await eventsOf(engine, session)
      const planned = events.flatMap(event => (event.type === 'context.planned' ? [event] : []))
      const bodies = new Map<number, string>()
      for (const { seq, turn, step } of planned)
        bodies.set(seq, JSON.stringify(sure(await engine.asSent(session, turn, step)).request?.body))
      for (const event of events) {
        const word = wordIn(event)
        if (word === undefined) continue
        const items: Presences['items'][number][] = []
        for (let before: number | undefined; ; ) {
          const page = sure(await engine.presence(session, event.seq, { limit, ...(before === undefined ? {} : { before }) }))
          items.push(...page.items)
          if (page.next === null) break
          before = page.next
        }
        const later = planned.filter(({ seq, receipt }) => seq > event.seq && receipt.through >= event.seq).toReversed()
        assert.deepEqual(
          items.map(({ turn, step, voice, in: isIn }) => ({ turn, step, voice, in: isIn })),
          later.map(({ seq, turn, step, receipt }) => ({
            ...{ turn, step, voice: receipt.voice },
            in: bodies.get(seq)?.includes(word) ?? false,
          })),
          `${word} at ${event.seq}`,
        )
        for (const { in: isIn, reason } of items) assert.equal(reason.startsWith('out.'), !isIn, reason)
      }
    }),
    { ...tries(60), endOnFailure: true },
  )
})

test('a timeline has every request once, and its sums are those of the usage', async () => {
  await fc.assert(
    fc.asyncProperty(play, fc.integer({ min: 1, max: 9 }), async (given, limit) => {
      const { engine, session } = await played(given)
      const events = await eventsOf(engine, session)
      const items: Timeline['items'][number][] = []
      for (let after = 0; ; ) {
        const page = sure(await engine.timeline(session, { after, limit }))
        items.push(...page.items)
        if (page.next === null) break
        after = page.next
      }
      assert.deepEqual(
        items.map(({ seq }) => seq),
        events.flatMap(event => (event.type === 'context.planned' ? [event.seq] : [])),
      )
      const used = usageSum(sure(await engine.usage({ session })))
      const sum = (of: (item: (typeof items)[number]) => number | null): number =>
        items.reduce((all, item) => all + (of(item) ?? 0), 0)
      assert.equal(
        sum(({ reported }) => reported),
        used.input + used.cacheRead + used.cacheWrite,
      )
      assert.equal(
        sum(({ cached }) => cached),
        used.cacheRead,
      )
      assert.ok(Math.abs(sum(({ costUsd }) => costUsd) - (used.costUsd ?? Number.NaN)) < 1e-9)
      // In one go it is the same: what was dropped does not depend on where a page ends.
      assert.deepEqual(sure(await engine.timeline(session, { limit: 1000 })).items, items)
    }),
    { ...tries(30), endOnFailure: true },
  )
})

test('what would have been sent, with the same settings, is what was sent', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(play, async given => {
      const { engine, session } = await played({ ...given, deeds: given.deeds.filter(({ does }) => does === 'say') })
      const events = await eventsOf(engine, session)
      for (const event of events) {
        if (event.type !== 'context.planned' || event.step !== 1 || event.receipt.voice.startsWith('house')) continue
        const { voice, inputs, digest, cache } = event.receipt
        const would = sure(await engine.wouldSend(session, { at: inputs.cause, voice, items: true }))
        const sent = sure(await engine.asSent(session, event.turn, 1, { items: true }))
        assert.deepEqual(would.items, sent.items)
        assert.deepEqual([would.receipt.digest, would.receipt.cache], [digest, cache])
        compared += 1
      }
    }),
    { ...tries(30), endOnFailure: true },
  )
  assert.ok(compared > 0)
})

test('each request names the ones of its voice before and after it', async () => {
  await fc.assert(
    fc.asyncProperty(play, async given => {
      const { engine, session } = await played(given)
      const planned = (await eventsOf(engine, session)).flatMap(event => (event.type === 'context.planned' ? [event] : []))
      for (const own of Map.groupBy(planned, ({ receipt }) => receipt.voice).values()) {
        const places = own.map(({ turn, step }) => ({ turn, step }))
        for (const [index, { turn, step }] of places.entries()) {
          const { previous, next, steps } = sure(await engine.asSent(session, turn, step, { items: true }))
          assert.deepEqual([previous, next], [places[index - 1] ?? null, places[index + 1] ?? null])
          assert.equal(steps, places.filter(place => place.turn === turn).length)
        }
      }
    }),
    { ...tries(20), endOnFailure: true },
  )
})
