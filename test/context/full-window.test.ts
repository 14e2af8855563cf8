// What a full window must always keep: random conversations × models × policies × tool loops, replayed request by request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assemble } from '../../src/context/assemble.ts'
import { type PresetName, presets } from '../../src/context/presets.ts'
import { estimateOf } from '../../src/context/receipt/lines.ts'
import type { Fact, Recorded } from '../../src/model/event.ts'
import type { CallId, TurnId } from '../../src/model/ids.ts'
import type { Material, Message, Plan, ToolSpec } from '../../src/model/plan.ts'
import type { Wire } from '../../src/model/provider.ts'
import type { WindowState } from '../../src/model/receipt.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { materialOf, measure, recorded } from '../support/material.ts'
import { tries } from '../support/tries.ts'
import { anthropicRefuses, ollamaRefuses, openaiChatRefuses } from '../support/validate-wire.ts'

/** One step of an answer: how many words it says, and how long the result of each of its calls is. */
type Step = { readonly says: number; readonly results: readonly number[] }
type Turn = { readonly asks: number; readonly steps: readonly Step[]; readonly says: number; readonly fails: boolean }
type World = {
  readonly window: number
  readonly factor: number
  readonly system: number
  readonly turns: readonly Turn[]
}

/** Mostly short, sometimes as long as a document. */
const words = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 60, max: 600 }) },
  { weight: 1, arbitrary: fc.integer({ min: 600, max: 4000 }) },
)
const step: fc.Arbitrary<Step> = fc.record({
  says: fc.integer({ min: 0, max: 40 }),
  results: fc.array(words, { minLength: 1, maxLength: 3 }),
})
const turn: fc.Arbitrary<Turn> = fc.record({
  asks: words,
  steps: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(step, { minLength: 1, maxLength: 8 }) },
  ),
  says: words,
  fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})
const world: fc.Arbitrary<World> = fc.record({
  // From 2,000 to 1,000,000, small ones as likely as large ones; the texts are short, so most of them below 20,000.
  window: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 2000, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 1_000_000 }) },
  ),
  factor: fc.constantFrom(1, 1, 0.8, 1.37),
  system: fc.integer({ min: 0, max: 300 }),
  turns: fc.array(turn, { minLength: 2, maxLength: 14 }),
})

/** Many short turns, more than a small window has room for. */
const longWorld: fc.Arbitrary<World> = fc.record({
  window: fc.integer({ min: 2000, max: 6000 }),
  factor: fc.constantFrom(1, 1.37),
  system: fc.integer({ min: 0, max: 200 }),
  turns: fc.array(
    fc.record({
      asks: fc.integer({ min: 1, max: 90 }),
      says: fc.integer({ min: 1, max: 150 }),
      steps: fc.constant([]),
      fails: fc.constant(false),
    }),
    {
      minLength: 25,
      maxLength: 50,
    },
  ),
})

const WORDS = ['alpha', 'beta-7', 'gamma', 'delta_x', 'the', 'of', 'path/to/file.ts', 'ran', 'and', '42', 'über', 'said']
const text = (many: number, seed: string): string =>
  `${seed}: ${Array.from({ length: many }, (_, index) => `${WORDS[(index * 7 + many) % WORDS.length]}${index % 9 === 8 ? '\n' : ''}`).join(' ')}`

const TOOLS: readonly ToolSpec[] = [{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }]

/** One request with everything that a check may want to know of it. */
type Sent = {
  readonly material: Material
  readonly plan: Plan
  readonly last: WindowState | undefined
  readonly turn: number
  readonly step: number
  /** Messages that the voice could have heard before this turn, with the marks by which each is found in a request. */
  readonly heard: readonly {
    readonly seq: number
    /** The message as items name it. */
    readonly key: string
    readonly mark: string
    readonly tokens: number
    readonly by: 'person' | 'voice'
  }[]
}

/** Replays a conversation as the engine does: each request goes on from the one before. */
function replay({ window, factor, system, turns }: World, policy: Policy, check: (sent: Sent) => void): void {
  const facts: Recorded[] = []
  const say = (fact: Fact): void => {
    const [event] = recorded([fact])
    if (event !== undefined) facts.push({ ...event, seq: facts.length + 1 })
  }
  const heard: Sent['heard'][number][] = []
  let last: WindowState | undefined
  for (const [index, { asks, steps, says, fails }] of turns.entries()) {
    const id = `trn_${index}` as TurnId
    const asked = text(asks, `Q${index}`)
    say({ type: 'message.received', text: asked, from: 'person' })
    const cause = facts.length
    say({ type: 'turn.started', turn: id, voice: 'assistant', cause })
    const before = [...heard]
    const request = (number: number): boolean => {
      const material = materialOf([], {
        events: [...facts],
        through: facts.length,
        model: { name: 'any', window, factor },
        turn: { id, step: number, cause, ordinal: index + 1 },
        system: system === 0 ? [] : [{ source: 'agent', reason: 'system.agent', text: text(system, 'S') }],
        tools: TOOLS,
        begins: last?.begins ?? null,
        ...(last === undefined ? {} : { last }),
        marksThrough: cause,
      })
      const plan = assemble(material, policy, measure)
      if (!plan.ok) {
        assert.equal(plan.fault.kind, 'too-long', plan.fault.message)
        assert.ok(!isFeasible(material, policy), `a feasible request is not sent: ${plan.fault.message}`)
        return false
      }
      check({ material, plan: plan.value, last, turn: index, step: number, heard: before })
      last = plan.value.receipt.window
      return true
    }
    let isSent = request(1)
    const own = facts.length
    for (const [number, { says: spoken, results }] of steps.entries()) {
      if (!isSent) break
      const calls = results.map((_, at) => `call_${index}_${number}_${at}` as CallId)
      say({
        type: 'reply.finished',
        turn: id,
        step: number + 1,
        parts: [
          ...(spoken === 0 ? [] : [{ type: 'text' as const, text: text(spoken, `T${index}.${number}`) }]),
          ...calls.map(call => ({ type: 'call' as const, call, tool: 'look', args: { at: call } })),
        ],
      })
      for (const [at, length] of results.entries())
        say({
          type: 'tool.settled',
          turn: id,
          call: calls[at] as CallId,
          tool: 'look',
          ok: true,
          outcome: 'done',
          content: text(length, `R${index}.${number}.${at}`),
          ms: 1,
        })
      isSent = request(number + 2)
    }
    const answer = text(says, `A${index}`)
    if (fails || !isSent) {
      say({ type: 'turn.ended', turn: id, voice: 'assistant', reason: 'failed' })
    } else {
      say({ type: 'reply.finished', turn: id, step: steps.length + 1, parts: [{ type: 'text', text: answer }] })
      say({ type: 'turn.ended', turn: id, voice: 'assistant', reason: 'done' })
    }
    const weight = (from: number, to: number): number => facts.slice(from, to).reduce((sum, { tokens }) => sum + tokens + 4, 0)
    heard.push({ seq: cause, key: `heard ${cause}`, mark: `Q${index}: `, tokens: weight(cause - 1, cause), by: 'person' })
    const hasSpoken = facts.slice(own).some(({ type }) => type === 'reply.finished')
    if (hasSpoken)
      heard.push({
        seq: own + 1,
        key: `turn ${id}`,
        mark: fails || !isSent ? `call_${index}_` : `A${index}: `,
        tokens: weight(own, facts.length),
        by: 'voice',
      })
  }
}

/** System text, tools, the message that caused the turn, and the newest step with results of 200 tokens each fit. */
function isFeasible(material: Material, policy: Policy): boolean {
  const { factor, window } = material.model
  const limit = Math.min(policy.budget.tokens ?? Number.POSITIVE_INFINITY, window - Math.min(16_384, Math.floor(window / 4)))
  const own = material.events.filter(event => 'turn' in event && event.turn === material.turn.id)
  const newest = own.findLastIndex(event => event.type === 'reply.finished')
  const after = newest === -1 ? [] : own.slice(newest)
  const system = material.system.reduce((sum, part) => sum + measure.count(part.text), 0)
  const cause = material.events.find(({ seq }) => seq === material.turn.cause)
  const step = after.reduce(
    (sum, event) => sum + (event.type === 'tool.settled' ? Math.min(200, event.tokens) : event.tokens) + 4,
    0,
  )
  const overhead = policy.render === 'transcript' ? 40 + after.length * 8 : 12
  return (
    (system + measure.count(JSON.stringify(material.tools)) + (cause?.tokens ?? 0) + 4 + step + overhead) * factor + 8 <= limit
  )
}

const spoken = ({ messages }: Plan): string =>
  messages
    .flatMap(({ blocks }) =>
      blocks.map(block =>
        block.type === 'text' || block.type === 'result' ? block.text : block.type === 'call' ? block.call : '',
      ),
    )
    .join('\n')

const isShown = (plan: Plan, mark: string): boolean => spoken(plan).includes(mark)

const numberIn = (plan: Plan): number | undefined => {
  const found = /\[(\d+) earlier messages? (?:is|are) not shown\.\]|\[Session context: (\d+) earlier messages omitted\]/.exec(
    JSON.stringify(plan.messages.filter(({ blocks }) => blocks.length === 1)),
  )
  return found === null ? undefined : Number(found[1] ?? found[2])
}

const NAMES: readonly PresetName[] = ['steady', 'full', 'recent', 'head-tail', 'transcript']
const GROWING: readonly PresetName[] = ['steady', 'full']
const policies = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES).map(name => presets[name]) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 300, max: 3000 })
      .map((tokens): Policy => ({ ...presets.full, budget: { tokens, reserve: null } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 600, max: 3000 })
      .map((high): Policy => ({ ...presets.steady, window: { kind: 'tokens', low: null, high } })),
  },
)

test('nothing is above the limit, every feasible request is sent, and every provider would take it', () => {
  fc.assert(
    fc.property(world, policies, (given, policy) => {
      replay(given, policy, ({ plan }) => {
        const { estimated, limit } = plan.receipt.tokens
        assert.ok(estimated <= limit, `${estimated} of ${limit}`)
        assert.equal(estimated, estimateOf(plan.items, given.factor))
        const body = (wire: Wire, model: string): string => wire.encode({ ...plan, model }, new Map()).body
        assert.deepEqual(anthropicRefuses(body(anthropicWire, 'anthropic/m')), [])
        assert.deepEqual(openaiChatRefuses()(body(openaiChatWire, 'openai/m')), [])
        assert.deepEqual(ollamaRefuses(body(ollamaWire, 'ollama/m')), [])
      })
    }),
    tries(150),
  )
})

test('the last exchange is there whenever it fits', () => {
  let seen = 0
  fc.assert(
    fc.property(world, policies, (given, policy) => {
      replay(given, policy, ({ plan, step: number, heard, material }) => {
        if (number > 1) return
        const from = heard.findLastIndex(({ by }) => by === 'person')
        const exchange = heard.slice(Math.max(0, from))
        const { limit, estimated } = plan.receipt.tokens
        const past = plan.items.filter(({ kind, reason }) => kind === 'message' || reason === 'note.omitted')
        const fixed = estimated - estimateOf(past, material.model.factor)
        const need = exchange.reduce((sum, { tokens }) => sum + tokens + 12, 40) * given.factor
        if (fixed + need > limit) return
        seen += 1
        for (const { mark } of exchange) assert.ok(isShown(plan, mark), `${mark} is missing from ${plan.receipt.policy}`)
      })
    }),
    tries(150),
  )
  assert.ok(seen > 20, `seen ${seen} times`)
})

test('the note counts what the voice could have heard and does not see, and changes only at a drop', () => {
  let noted = 0
  fc.assert(
    fc.property(
      world,
      fc.constantFrom(...NAMES.filter(name => name !== 'transcript')).map(name => presets[name]),
      (given, policy) => {
        let before: Plan | undefined
        replay(given, policy, ({ plan, heard, last }) => {
          // Of a very small excerpt the mark may be in the part that is not shown.
          const missing = heard.filter(
            ({ mark, key }) => !isShown(plan, mark) && !plan.items.some(({ keys }) => keys.includes(key)),
          ).length
          const number = numberIn(plan)
          if (number !== undefined) {
            noted += 1
            assert.equal(number, missing)
          } else if (policy.name === 'steady' || policy.name === 'full') assert.equal(missing, 0)
          const { seen } = plan.receipt
          assert.equal((seen?.of ?? 0) - (seen?.messages ?? 0), missing)
          const isSame = last?.begins === plan.receipt.window.begins
          if (GROWING.includes(policy.name as PresetName) && isSame && before !== undefined && last !== undefined)
            assert.equal(number, numberIn(before))
          before = plan
        })
      },
    ),
    tries(150),
  )
  assert.ok(noted > 20, `noted ${noted} times`)
})

const isPrefix = (a: readonly Message[], b: readonly Message[]): boolean =>
  a.every((message, index) => JSON.stringify(message) === JSON.stringify(b[index]))

test('between two drops a request only appends, within a turn and from turn to turn', () => {
  let stays = 0
  let cuts = 0
  fc.assert(
    fc.property(
      world,
      fc.constantFrom('steady' as const, 'full' as const).map(name => presets[name]),
      (given, policy) => {
        let before: Plan | undefined
        replay(given, policy, ({ plan, last }) => {
          const isSame = (state: WindowState): string =>
            JSON.stringify([state.begins, state.excerpts, state.hidden, state.unpinned])
          if (before !== undefined && last !== undefined && isSame(last) === isSame(plan.receipt.window)) {
            stays += 1
            assert.ok(isPrefix(before.messages, plan.messages), 'the next request begins with the last one')
          } else if (before !== undefined) cuts += 1
          before = plan
        })
      },
    ),
    tries(150),
  )
  assert.ok(stays > cuts && cuts > 10, `stayed ${stays}, cut ${cuts}`)
})

test('within a turn a request only appends until it is cut, under every policy that sends messages', () => {
  let stays = 0
  fc.assert(
    fc.property(world, policies, (given, policy) => {
      let before: Plan | undefined
      replay(given, policy, ({ plan, last, step: number }) => {
        const cutsOf = (state: WindowState | undefined): string => JSON.stringify({ ...state, results: [] })
        if (policy.render === 'messages' && number > 1 && before !== undefined && cutsOf(last) === cutsOf(plan.receipt.window)) {
          stays += 1
          assert.ok(isPrefix(before.messages, plan.messages), `step ${number} begins with the step before`)
        }
        before = plan
      })
    }),
    tries(150),
  )
  assert.ok(stays > 20, `stayed ${stays} times`)
})

test('under full at least half of the limit is used whenever there is that much to say', () => {
  let full = 0
  fc.assert(
    fc.property(longWorld, given => {
      replay(given, presets.full, ({ plan, step: number, heard }) => {
        if (number > 1) return
        const { estimated, limit } = plan.receipt.tokens
        const all = heard.reduce((sum, { tokens }) => sum + tokens, 0) * given.factor
        const hasLarge = heard.some(({ tokens }) => tokens * given.factor > limit / 4)
        if (all <= limit || hasLarge) return
        full += 1
        assert.ok(estimated >= limit / 2, `${estimated} of ${limit}`)
      })
    }),
    tries(60),
  )
  assert.ok(full > 10, `full ${full} times`)
})

test('after a drop steady keeps at least low, less one turn', () => {
  let drops = 0
  fc.assert(
    fc.property(longWorld, given => {
      replay(given, presets.steady, ({ plan, step: number, heard, last }) => {
        const { window, tokens } = plan.receipt
        if (number > 1 || last === undefined || window.begins === last.begins) return
        drops += 1
        const past =
          plan.items.filter(({ kind }) => kind === 'message').reduce((sum, item) => sum + item.tokens, 0) * given.factor
        const room = tokens.limit - (tokens.estimated - past)
        const low = Math.floor(Math.floor(room * 0.75) / 3)
        const costs = heard.map(({ tokens: weight }) => weight * given.factor)
        const largest = costs.reduce((most, cost, index) => Math.max(most, cost + (costs[index + 1] ?? 0)), 0)
        assert.ok(past >= low - largest - 20, `${past} of ${low}`)
        assert.ok(past <= low + 8 || (plan.receipt.seen?.messages ?? 0) <= 3, 'down to low where whole turns allow it')
      })
    }),
    tries(60),
  )
  assert.ok(drops > 5, `dropped ${drops} times`)
})

test('a counted window loses a message to the budget only if the next one would not fit, whole or in part', () => {
  let cuts = 0
  fc.assert(
    fc.property(world, fc.constantFrom('recent' as const, 'head-tail' as const), (given, name) => {
      replay(given, presets[name], ({ plan, step: number, heard }) => {
        const { out, tokens } = plan.receipt
        if (number > 1 || !out.some(({ reason }) => reason === 'out.budget')) return
        const recent = plan.items.filter(({ reason, kind }) => kind === 'message' && reason !== 'head.first')
        const first = recent.reduce((least, { from = 0 }) => Math.min(least, from), Number.POSITIVE_INFINITY)
        const next = heard.findLast(({ seq }) => seq < first)
        const isCounted = next !== undefined && heard.slice(name === 'recent' ? -5 : -16).includes(next)
        if (!isCounted || next.by === 'voice' || isShown(plan, next.mark)) return
        cuts += 1
        const cost = Math.min(
          next.tokens * given.factor,
          next.tokens * given.factor > tokens.limit / 4 ? tokens.limit / 8 : Number.POSITIVE_INFINITY,
        )
        assert.ok(
          tokens.estimated + cost + 24 * given.factor > tokens.limit,
          `${tokens.estimated} and ${cost} of ${tokens.limit}`,
        )
      })
    }),
    tries(400),
  )
  assert.ok(cuts > 0, `cut ${cuts} times`)
})

test('quotes of others take no room from what was said here, however tight the budget is', () => {
  const facts: Fact[] = [1, 2, 3].flatMap((number): Fact[] => {
    const turn = `trn_${number}` as TurnId
    const call = `c${number}` as CallId
    const start = 7 * (number - 1) + 1
    return [
      { type: 'message.received', text: `question ${number}`, from: 'person' },
      { type: 'turn.started', turn, voice: 'assistant', cause: start },
      { type: 'reply.finished', turn, step: 1, parts: [{ type: 'call', call, tool: 'look', args: { at: number } }] },
      { type: 'tool.settled', turn, call, tool: 'look', ok: true, outcome: 'found', content: `at ${number}`, ms: 1 },
      { type: 'reply.finished', turn, step: 2, parts: [{ type: 'text', text: '<|endoftext|> and so on' }] },
      { type: 'message.received', text: `by the way ${number}`, from: 'person' },
      { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' },
    ]
  })
  facts.push({ type: 'message.received', text: 'the new one', from: 'person' })
  facts.push({ type: 'turn.started', turn: 'trn_now' as TurnId, voice: 'assistant', cause: facts.length })
  const asides = ['!', 'They said yes.', 'And no.'].map(text => ({
    kind: 'reference' as const,
    reason: 'reference.last-round' as const,
    text,
  }))
  for (const policy of Object.values(presets))
    for (let tokens = 20; tokens < 300; tokens += 1) {
      const tight = { ...policy, budget: { tokens, reserve: 10 } }
      const linesWith = (given: Partial<Material>): unknown => {
        const plan = assemble(materialOf(facts, given), tight, measure)
        return plan.ok ? plan.value.receipt.in.filter(({ kind }) => kind !== 'reference') : null
      }
      const without = linesWith({})
      if (without !== null) assert.deepEqual(linesWith({ asides }), without, `${policy.name} with ${tokens} tokens`)
    }
})
