// What every request with quotes keeps to, over random conversations: literal, permitted, within the budget, accounted for, the same again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { assemble } from '../../../src/context/assemble.ts'
import { presets } from '../../../src/context/presets.ts'
import { unescapeQuoted } from '../../../src/context/recall/escape-quoted.ts'
import { messageTexts } from '../../../src/context/recall/message-texts.ts'
import { eventsBySeq, quotedLine, quotedText, recallBlock } from '../../../src/context/recall/recall-block.ts'
import type { Event, Recorded } from '../../../src/model/event.ts'
import type { Material, Plan } from '../../../src/model/plan.ts'
import type { WindowState } from '../../../src/model/receipt.ts'
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { demoWire } from '../../../src/provider/demo/wire.ts'
import { queryFor, recallAfter } from '../../../src/turn/recall/recall-material.ts'
import { materialOf, measure } from '../../support/material.ts'
import { SEED, tries } from '../../support/tries.ts'
import { indexOf, look } from './support/index-of.ts'
import { QUESTIONS, randomLog, SESSION } from './support/random-log.ts'

type World = {
  readonly seed: number
  readonly voices: readonly string[]
  readonly isNamed: boolean
  readonly policy: Policy
  readonly model: Material['model']
}

const tokens = fc.oneof(fc.constant('auto' as const), fc.constant('auto' as const), fc.integer({ min: 30, max: 900 }))
const world: fc.Arbitrary<World> = fc
  .record({
    seed: fc.nat(),
    isNamed: fc.boolean(),
    preset: fc.constantFrom('steady' as const, 'steady' as const, 'full' as const, 'council' as const),
    budget: fc.integer({ min: 1200, max: 4000 }),
    tokens,
    factor: fc.constantFrom(1, 1, 1.37),
    keepsOnePrefix: fc.boolean(),
  })
  .map(({ seed, isNamed, preset, budget, tokens: most, factor, keepsOnePrefix }) => ({
    ...{ seed, isNamed, voices: preset === 'council' ? ['ada', 'bo'] : ['ada'] },
    policy: { ...presets[preset], budget: { tokens: budget, reserve: 500 }, recall: { tokens: most, from: 'session' as const } },
    model: {
      ...{ name: 'demo', window: 32_000, factor },
      abilities: { images: false, files: false, cacheMinimum: 0, ...(keepsOnePrefix ? { keepsOnePrefix } : {}) },
    },
  }))

/** One request of a conversation, with the one that would have been sent without recall. */
type Sent = { readonly material: Material; readonly plan: Plan; readonly without: Plan; readonly events: readonly Recorded[] }

/** Every second question of the log is one about the past, so that there is something to look for. */
function asking(events: readonly Recorded[]): readonly Recorded[] {
  let many = 0
  return events.map(event => {
    if (event.type !== 'message.received' || event.from !== 'person') return event
    many += 1
    return many % 3 === 0 ? { ...event, text: QUESTIONS[many % QUESTIONS.length] ?? '' } : event
  })
}

const planOf = (material: Material, policy: Policy): Plan | undefined => {
  const plan = assemble(material, policy, measure)
  // A message of nothing but white space is no message.
  if (!plan.ok) assert.ok(plan.fault.kind === 'too-long' || /cannot be read/.test(plan.fault.message), plan.fault.message)
  return plan.ok ? plan.value : undefined
}

/** The requests of one voice, one after the other, each going on from the one before. */
async function requestsOf({ seed, voices, isNamed, policy, model }: World): Promise<readonly Sent[]> {
  const events = asking(randomLog(seed, { messages: 30, voices, isNamed }))
  const rows = await indexOf(events)
  const sent: Sent[] = []
  let last: WindowState | undefined
  let balance: number | undefined
  const starts = events.filter((event): event is Extract<Event, { type: 'turn.started' }> => event.type === 'turn.started')
  for (const [index, start] of starts.filter(({ voice, resumes }) => voice === 'ada' && resumes === undefined).entries()) {
    const material = materialOf([], {
      ...{
        session: SESSION,
        voice: 'ada',
        model,
        events: events.slice(0, start.seq),
        through: start.seq,
        marksThrough: start.seq,
      },
      ...{ turn: { id: start.turn, step: 1, cause: start.cause, ordinal: index + 1 }, begins: last?.begins ?? null },
      ...(last === undefined ? {} : { last }),
      voices: Object.fromEntries(voices.map(voice => [voice, voice === 'ada' ? 'Ada' : 'Bo'])),
    })
    const query = queryFor(material, policy)
    assert.ok(query)
    const found = await look(rows, query)
    const recall = { session: SESSION, found, events: [], ...(balance === undefined ? {} : { balance }) }
    const plan = planOf({ ...material, recall }, policy)
    const without = planOf(material, { ...policy, recall: null })
    assert.equal(plan === undefined, without === undefined, 'quotes are never why a request is too long')
    if (plan === undefined || without === undefined) continue
    sent.push({ material: { ...material, recall }, plan, without, events })
    last = plan.receipt.window
    balance = plan.receipt.recall?.balance
  }
  return sent
}

/** Two that quote and narrow for certain. */
const KNOWN: readonly World[] = [1, 2].map(seed => ({
  ...{ seed, isNamed: false, voices: ['ada'] },
  policy: { ...presets.steady, budget: { tokens: 2500, reserve: 500 } },
  model: { name: 'demo', window: 32_000, factor: 1, abilities: { images: false, files: false, cacheMinimum: 0 } },
}))

/** The same for all tests: making them takes most of the time. */
const WORLDS = await Promise.all(
  [...KNOWN, ...fc.sample(world, tries(10))].map(async (given, index) => ({
    ...{ given, index, requests: await requestsOf(given) },
  })),
)

/** Checks all requests of all worlds. */
function eachRequest(check: (sent: Sent, world: World, before: Sent | undefined) => void): void {
  let quoting = 0
  for (const { given, index, requests } of WORLDS)
    for (const [at, sent] of requests.entries()) {
      try {
        check(sent, given, requests[at - 1])
      } catch (cause) {
        throw new Error(
          `TURNWISE_TEST_SEED=${SEED}, world ${index}, request ${at}: ${cause instanceof Error ? cause.message : cause}`,
          {
            cause,
          },
        )
      }
      if (sent.plan.receipt.window.recalled !== undefined) quoting += 1
    }
  assert.ok(quoting > 0, 'something was quoted')
}

const bytesOf = (plan: Plan): string => demoWire.encode(plan).body
const textOf = ({ messages }: Pick<Plan, 'messages'>): string =>
  messages.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'text' ? [block.text] : []))).join('\n')
const noteIn = ({ items }: Plan): string =>
  textOf({ messages: items.filter(({ reason }) => reason === 'note.omitted').flatMap(item => item.messages) })
const numberIn = (note: string): number => Number(/[\d,]+/.exec(note)?.[0].replaceAll(',', '') ?? 0)

test('quotes are what was said, letter for letter, oldest first, and each has its line on the receipt', () => {
  eachRequest(({ plan, material, events }) => {
    const quotes = plan.receipt.window.recalled ?? []
    const lines = plan.receipt.in.filter(({ kind }) => kind === 'recall')
    assert.equal(lines.length, quotes.length)
    assert.equal(plan.receipt.recall?.messages ?? 0, quotes.length)
    if (quotes.length === 0) return
    const eventsOf = eventsBySeq(events)
    const names = Object.values(material.voices)
    const written = quotes.map(quote => quotedLine(quote, eventsOf, names) ?? assert.fail())
    assert.ok(textOf(plan).includes(recallBlock(written)))
    for (const [index, quote] of quotes.entries()) {
      const own = events.filter(({ seq }) => quote.seqs.includes(seq))
      const quoted = quotedText(quote, eventsOf) ?? ''
      for (const [which, { text }] of messageTexts(own).entries()) {
        const parts = quote.slices?.filter(([of]) => of === which).map(([, from, to]) => text.slice(from, to)) ?? [text.trim()]
        for (const part of parts) assert.ok(quoted.includes(part))
      }
      if (quote.slices !== undefined) assert.ok(measure.count(quoted) <= 150 + 8, 'parts of a long message are short')
      assert.equal(lines[index]?.hash, measure.hash(quoted), 'the hash is of the text without escapes')
      assert.ok(unescapeQuoted(written[index] ?? '', [...names, 'User']).endsWith(quoted))
      assert.deepEqual([lines[index]?.from, lines[index]?.to, lines[index]?.session], [quote.seqs[0], quote.seqs.at(-1), SESSION])
    }
    const firsts = quotes.map(({ seqs }) => seqs[0] ?? 0)
    assert.deepEqual(
      firsts,
      firsts.toSorted((a, b) => a - b),
    )
  })
})

test('nothing is quoted that the voice may not see, that failed or is excluded, that the request shows anyway, or that came later', () => {
  eachRequest(({ plan, material: { events, turn, voice, marksThrough } }, { policy }) => {
    const marks = new Map<number, string | null>()
    for (const event of events)
      if (event.type === 'message.marked' && event.seq <= marksThrough) marks.set(event.target, event.mark)
    const ends = new Map(events.flatMap(event => (event.type === 'turn.ended' ? [[event.turn, event.reason]] : [])))
    const voices = new Map(events.flatMap(event => (event.type === 'turn.started' ? [[event.turn, event.voice]] : [])))
    const shown = plan.items
      .filter(({ kind }) => kind === 'message' || kind === 'current')
      .flatMap(({ from, keys }) => [from, ...keys])
    for (const { seqs } of plan.receipt.window.recalled ?? [])
      for (const seq of seqs) {
        const event = events.find(each => each.seq === seq) ?? assert.fail()
        assert.ok(seq < turn.cause)
        assert.notEqual(marks.get(seq), 'exclude')
        assert.ok(!shown.includes(seq) && !shown.includes(`heard ${seq}`), `${seq} is shown anyway`)
        if (event.type === 'message.received') {
          assert.ok(event.from !== 'council' && (event.to?.includes(voice) ?? true))
          continue
        }
        assert.ok('turn' in event && !shown.includes(`turn ${event.turn}`))
        const speaker = voices.get(event.turn) ?? ''
        assert.ok(!isHouseVoice(speaker) && (policy.view === 'all' || speaker === voice))
        assert.ok(
          ['done', 'limit', 'cancelled'].includes(ends.get(event.turn) ?? ''),
          `${event.turn} ended ${ends.get(event.turn)}`,
        )
      }
  })
})

test('a request is never above its limit, nor quotes above theirs, and the balance is spent only once', () => {
  eachRequest(({ plan: { receipt }, material }, { policy }) => {
    assert.ok(receipt.tokens.estimated <= receipt.tokens.limit)
    const { recall } = receipt
    if (recall === undefined) return
    assert.ok(recall.tokens <= recall.most, `${recall.tokens} of ${recall.most}`)
    const most = policy.recall?.tokens
    if (typeof most === 'number') return assert.ok(recall.most <= most && recall.balance === undefined)
    assert.ok(recall.balance !== undefined)
    if (recall.tokens > 0) assert.ok(recall.balance >= -1, 'nothing is bought that was not saved')
    if (recall.hidden === 0) assert.equal(recall.messages, 0, 'nothing is quoted as long as nothing is hidden')
    if (material.model.abilities?.keepsOnePrefix === true) assert.equal(receipt.window.narrowed, undefined)
  })
})

test('everything said is on the receipt once: shown, quoted or left out; and notes count what is not shown, quoted or not', () => {
  eachRequest(({ plan, without }, { policy }) => {
    const { receipt } = plan
    const counted = (reason: string): number => receipt.out.find(line => line.reason === reason)?.count ?? 0
    const quoted = receipt.window.recalled?.length ?? 0
    // A message that is shown in part, or was pinned and did not fit, has a line by itself.
    if (counted('out.budget') === 0)
      assert.equal((receipt.seen?.messages ?? 0) + quoted + counted('out.window'), receipt.seen?.of, JSON.stringify(receipt.out))
    const [seen, seenWithout] = [plan.receipt.seen, without.receipt.seen]
    assert.equal(seen?.of, seenWithout?.of)
    const hidden = (given: Plan): number => (given.receipt.seen?.of ?? 0) - (given.receipt.seen?.messages ?? 0)
    if (plan.receipt.window.narrowed === true || policy.recall?.tokens === 'auto') {
      assert.equal(noteIn(plan), noteIn(without), 'the note keeps its bytes')
      assert.equal(plan.receipt.window.begins, without.receipt.window.begins)
    } else if (noteIn(plan) !== '')
      assert.equal(numberIn(noteIn(plan)), hidden(plan) - (plan.receipt.window.unpinned?.length ?? 0))
  })
})

test('the same log gives the same request, and so does what the receipt names', () => {
  eachRequest(({ plan, material, events }, { policy }) => {
    const bytes = bytesOf(plan)
    assert.equal(bytesOf(planOf(structuredClone(material), structuredClone(policy)) ?? assert.fail()), bytes)
    const { window, recall } = plan.receipt
    if (recall === undefined) return
    const quoted = new Set((window.recalled ?? []).flatMap(({ seqs }) => seqs))
    const chosen = {
      ...(window.recalled === undefined ? {} : { recalled: window.recalled }),
      ...(window.shows === undefined ? {} : { shows: window.shows }),
      receipt: recall,
    }
    const named = { ...material, recall: { session: SESSION, chosen, events: events.filter(({ seq }) => quoted.has(seq)) } }
    const again = planOf(named, policy) ?? assert.fail()
    assert.equal(bytesOf(again), bytes)
    assert.deepEqual(again.receipt, plan.receipt)
  })
})

test('later steps of a turn keep the quotes of its first, and only add to its request', () => {
  let followed = 0
  eachRequest(({ plan, material, events }, { policy }) => {
    const own = events.filter(event => 'turn' in event && event.turn === material.turn.id)
    const settled = own.find(({ type }) => type === 'tool.settled')
    if (settled === undefined) return
    const { recall, ...rest } = material
    const later: Material = {
      ...{ ...rest, events: events.slice(0, settled.seq), through: settled.seq, turn: { ...material.turn, step: 2 } },
      ...{ last: plan.receipt.window, ...recallAfter(recall, plan.receipt) },
    }
    const next = planOf(later, policy)
    if (next === undefined || isCut(next.receipt.window, plan.receipt.window)) return
    // In a turn that grows too long quotes go first.
    if (plan.receipt.window.recalled !== undefined && next.receipt.window.recalled === undefined)
      return assert.ok(next.receipt.ladder.includes('asides') && !textOf(next).includes('[From earlier in this conversation'))
    followed += 1
    assert.deepEqual(next.receipt.window.recalled, plan.receipt.window.recalled)
    assert.equal(next.receipt.window.shows, plan.receipt.window.shows)
    if (next.receipt.ladder.length > plan.receipt.ladder.length) return
    assert.deepEqual(next.messages.slice(0, plan.messages.length), plan.messages)
  })
  assert.ok(followed > 0)
})

/** The running turn needed room: of the past older turns go first, then pins, then its own steps. */
const isCut = (now: WindowState, first: WindowState): boolean =>
  now.hidden !== undefined || now.begins !== first.begins || !isDeepStrictEqual(now.unpinned, first.unpinned)

/** The marks of messages that count for a request. */
const marksOf = ({ events, marksThrough }: Material): ReadonlyMap<number, string | null> =>
  new Map(
    events.flatMap(event => (event.type === 'message.marked' && event.seq <= marksThrough ? [[event.target, event.mark]] : [])),
  )

/** The window begins elsewhere, shows other messages in part, or a person marked a message: then its prefix may change. */
const isDrop = (now: WindowState, last: WindowState, material: Material, before: Sent): boolean =>
  now.begins !== last.begins ||
  !isDeepStrictEqual([now.excerpts, now.unpinned], [last.excerpts, last.unpinned]) ||
  !isDeepStrictEqual(marksOf(material), marksOf(before.material))

test('the turn after a narrowed one goes on from the window before it', () => {
  let narrowed = 0
  eachRequest(({ plan, without, material }, { policy }, before) => {
    const last = before?.plan.receipt.window
    if (last?.narrowed !== true || material.last === undefined) return
    narrowed += 1
    const { narrowed: _narrowed, shows: _shows, recalled: _recalled, ...wide } = last
    const { recall: _recall, ...bare } = material
    const asIfWide = planOf({ ...bare, last: wide }, { ...policy, recall: null }) ?? assert.fail()
    assert.equal(bytesOf(without), bytesOf(asIfWide))
    assert.equal(plan.receipt.window.begins, asIfWide.receipt.window.begins)
    // Nothing of a narrowed request is marked for the cache, and the note says what it said.
    assert.equal(before?.plan.unmarked, 'messages')
    if (before !== undefined && plan.receipt.window.narrowed !== true && !isDrop(plan.receipt.window, last, material, before)) {
      assert.equal(noteIn(plan), noteIn(before.without))
      const stable = before.without.messages.slice(0, before.without.stableMessages)
      assert.deepEqual(plan.messages.slice(0, stable.length), stable)
    }
  })
  assert.ok(narrowed > 0, 'some request was narrowed')
})
