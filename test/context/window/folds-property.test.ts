// Random conversations in which folds are made, edited and removed, messages are marked, and pins come from other chats.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { assemble } from '../../../src/context/assemble.ts'
import { presets } from '../../../src/context/presets.ts'
import { pinsOf } from '../../../src/context/stages/project.ts'
import type { Event, Fact, Mark, Recorded } from '../../../src/model/event.ts'
import type { HistoryFolded } from '../../../src/model/fold.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Material, Plan } from '../../../src/model/plan.ts'
import type { RecallQuote } from '../../../src/model/recall.ts'
import type { WindowState } from '../../../src/model/receipt.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { materialOf, measure, recorded } from '../../support/material.ts'
import { isPrefix } from '../../support/talk.ts'
import { SEED, tries } from '../../support/tries.ts'
import { textsOf } from './chat.ts'

/** What happens between two turns. */
type Deed =
  | { readonly deed: 'fold'; readonly first: number; readonly many: number; readonly words: number; readonly asked: boolean }
  | { readonly deed: 'due'; readonly many: number; readonly words: number }
  | { readonly deed: 'edit' | 'remove'; readonly which: number; readonly words: number }
  | { readonly deed: 'old'; readonly through: number; readonly words: number }
  | { readonly deed: 'mark'; readonly which: number; readonly mark: Mark | null }
  | { readonly deed: 'pin'; readonly words: number }

type Turn = { readonly words: number; readonly answer: number; readonly steps: number; readonly deeds: readonly Deed[] }

const words = fc.integer({ min: 1, max: 40 })
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ deed: fc.constant('due' as const), many: fc.integer({ min: 1, max: 5 }), words }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ deed: fc.constant('fold' as const), first: fc.nat(12), many: fc.integer({ min: 1, max: 6 }), words },
      asked: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constantFrom('edit' as const, 'remove' as const), which: fc.nat(9), words }) },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('old' as const), through: fc.nat(60), words }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ deed: fc.constant('mark' as const), which: fc.nat(20) },
      mark: fc.constantFrom<Mark | null>('exclude', 'pin', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ deed: fc.constant('pin' as const), words }) },
)
const turn: fc.Arbitrary<Turn> = fc.record({
  ...{ words, answer: words, steps: fc.integer({ min: 1, max: 2 }) },
  deeds: fc.oneof(
    { weight: 2, arbitrary: fc.constant<readonly Deed[]>([]) },
    { weight: 1, arbitrary: fc.array(deed, { minLength: 1, maxLength: 2 }) },
  ),
})
const policy: fc.Arbitrary<Policy> = fc
  .record({
    preset: fc.constantFrom('steady' as const, 'steady' as const, 'full' as const, 'recent' as const, 'head-tail' as const),
    tokens: fc.integer({ min: 350, max: 900 }),
  })
  .map(({ preset, tokens }) => ({
    ...presets[preset],
    ...{ recall: null, fold: { by: 'auto', tokens: 'auto' }, budget: { tokens, reserve: 100 } },
  }))
const world = fc.record({
  turns: fc.array(turn, { minLength: 4, maxLength: 16 }),
  policy,
  factor: fc.constantFrom(1, 1, 1.37),
})

/** One request, with what it was built from. */
type Sent = { readonly material: Material; readonly plan: Plan; readonly step: number }

const said = (many: number): string => 'tide '.repeat(many).trim()

/** Plays a conversation, as the engine would: each request goes on from the last one. */
function play({ turns, policy: chosen, factor }: { turns: readonly Turn[]; policy: Policy; factor: number }): readonly Sent[] {
  const facts: Fact[] = []
  const begins: number[] = []
  const quotes: RecallQuote[] = []
  const elsewhere: Recorded[] = []
  const sent: Sent[] = []
  let last: WindowState | undefined
  const foldSeqs = (): readonly number[] => facts.flatMap(({ type }, index) => (type === 'history.folded' ? [index + 1] : []))
  const addFold = (fold: Omit<HistoryFolded, 'type'>): void => {
    facts.push({ type: 'history.folded', ...fold })
  }
  const act = (one: Deed): void => {
    switch (one.deed) {
      case 'due':
      case 'fold': {
        const first = one.deed === 'fold' ? one.first : begins.findIndex(seq => seq >= (last?.begins ?? 1))
        const from = begins[Math.max(0, first) % begins.length] ?? 1
        const end = begins.find(seq => seq > from && begins.indexOf(seq) >= begins.indexOf(from) + one.many)
        if (end === undefined) return
        const asked = one.deed === 'fold' && one.asked ? { asked: true as const } : {}
        addFold({ from, to: end - 1, by: 'extract', text: `summary ${facts.length + 1}: ${said(one.words)}`, ...asked })
        return
      }
      case 'edit':
      case 'remove': {
        const seq = foldSeqs().at(one.which % Math.max(1, foldSeqs().length))
        const fold = facts[(seq ?? 0) - 1]
        if (fold?.type !== 'history.folded' || seq === undefined) return
        const text = one.deed === 'edit' ? `edited ${facts.length + 1}: ${said(one.words)}` : ''
        addFold({ from: fold.from, to: fold.to, by: 'person', replaces: seq, text })
        return
      }
      case 'old':
        addFold({ from: 1, to: Math.min(one.through + 1, facts.length), by: 'person', text: `old: ${said(one.words)}` })
        return
      case 'mark': {
        const target = begins[one.which % begins.length]
        if (target !== undefined) facts.push({ type: 'message.marked', target, mark: one.mark })
        return
      }
      case 'pin': {
        const session = `ses_${quotes.length + 2}` as SessionId
        const [event] = recorded([{ type: 'message.received', text: `pinned ${said(one.words)}`, from: 'person' }])
        elsewhere.push({ ...(event as Event), session })
        quotes.push({ seqs: [1], author: 'User', chat: { session, title: 'Another chat' } })
      }
    }
  }
  for (const [index, { words: many, answer, steps, deeds }] of turns.entries()) {
    if (begins.length > 0) for (const one of deeds) act(one)
    const id = `trn_${index + 1}` as TurnId
    begins.push(facts.length + 1)
    facts.push({ type: 'message.received', text: `question ${index + 1} ${said(many)}`, from: 'person' })
    const cause = facts.length
    facts.push({ type: 'turn.started', turn: id, voice: 'assistant', cause })
    const marksThrough = facts.length
    const pinned = quotes.length === 0 ? {} : { pinned: { quotes: [...quotes], events: [...elsewhere] } }
    for (let step = 1; step <= steps; step += 1) {
      const material = materialOf(facts, {
        ...{ begins: last?.begins ?? null, ...(last === undefined ? {} : { last }), ...pinned, marksThrough },
        ...{ turn: { id, step, cause, ordinal: index + 1 }, model: { name: 'demo', window: 32_000, factor } },
      })
      const plan = assemble(material, chosen, measure)
      assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
      last = plan.value.receipt.window
      sent.push({ material, plan: plan.value, step })
      const call = { type: 'call' as const, call: `c${step}`, tool: 'look', args: {} }
      const text = { type: 'text' as const, text: `answer ${index + 1} ${said(answer)}` }
      facts.push({ type: 'reply.finished', turn: id, step, parts: step < steps ? [text, call] : [text] })
      if (step < steps)
        facts.push({ type: 'tool.settled', turn: id, call: call.call, tool: 'look', ok: true, outcome: 'found', ms: 1 })
    }
    facts.push({ type: 'turn.ended', turn: id, voice: 'assistant', reason: 'done' })
  }
  return sent
}

/** The same for all tests: making them takes most of the time. */
const WORLDS = fc.sample(world, tries(400)).map((given, index) => ({ given, index, requests: play(given) }))

/** Checks every request of every world. */
function eachRequest(check: (sent: Sent, before: Sent | undefined, chosen: Policy) => void): void {
  let folding = 0
  for (const { given, index, requests } of WORLDS)
    for (const [at, sent] of requests.entries()) {
      try {
        check(sent, requests[at - 1], given.policy)
      } catch (cause) {
        const what = cause instanceof Error ? cause.message : cause
        throw new Error(`TURNWISE_TEST_SEED=${SEED}, world ${index}, request ${at}: ${what}`, { cause })
      }
      if (sent.plan.receipt.window.folds !== undefined) folding += 1
    }
  assert.ok(folding > 0, 'something was folded')
}

test('every message is on the receipt once: as itself, in part, under a fold, or left out', () => {
  eachRequest(({ plan, material }) => {
    const { receipt } = plan
    const excluded = receipt.out.find(({ reason }) => reason === 'out.excluded')?.count ?? 0
    const heard = material.events.filter(({ type, seq }) => type === 'message.received' && seq <= material.turn.cause).length
    const answered = new Set(
      material.events.flatMap(event => (event.type === 'reply.finished' && event.turn !== material.turn.id ? [event.turn] : [])),
    ).size
    assert.equal((receipt.seen?.of ?? 0) + excluded, heard + answered, 'each is counted once')
    const keys = plan.items.flatMap(item => item.keys)
    const shown = new Set(keys)
    assert.equal((receipt.seen?.messages ?? 0) + (shown.has(`turn ${material.turn.id}`) ? 1 : 0), shown.size)
    const folded = receipt.out.reduce((sum, { reason, count }) => sum + (reason === 'out.folded' ? count : 0), 0)
    assert.equal(folded, receipt.seen?.folded ?? 0)
    const lines = receipt.in.filter(({ kind }) => kind === 'summary')
    assert.deepEqual(
      lines.map(({ from }) => from),
      receipt.window.folds ?? [],
    )
  })
})

test('nothing is sent above the limit, folds take their part of the room, and pins of other chats theirs', () => {
  eachRequest(({ plan, step }, before) => {
    const { tokens, window, in: lines } = plan.receipt
    assert.ok(tokens.estimated <= tokens.limit)
    assert.equal(
      tokens.estimated,
      lines.reduce((sum, line) => sum + line.tokens, 0),
    )
    const pinned = lines.filter(({ reason, session }) => reason === 'pin.person' && session !== undefined)
    assert.equal(pinned.length, (window.pinned ?? []).length)
    assert.ok(pinned.reduce((sum, line) => sum + line.tokens, 0) <= tokens.limit / 4 + 1)
    if (step > 1 || isDeepStrictEqual(window.folds, before?.plan.receipt.window.folds)) return
    const folds = lines.filter(({ kind }) => kind === 'summary')
    const edited = (window.folds ?? []).some(seq => !isMadeByHouse(plan, seq))
    if (!edited) assert.ok(folds.reduce((sum, line) => sum + line.tokens, 0) <= 0.15 * tokens.limit + 1)
  })
})

/** Edits are shown at once, however long they are. */
const isMadeByHouse = ({ messages }: Plan, seq: number): boolean =>
  textsOf({ messages }).some(text => text.includes(`summary ${seq}:`))

/** What of a window says that the prefix may be another one. */
const placeOf = ({ begins, folds, excerpts, unpinned, head, pinned }: WindowState): unknown => [
  begins,
  ...[folds, excerpts, unpinned, head, pinned],
]

test('the prefix changes only at a drop, or by what a person did', () => {
  let stays = 0
  eachRequest(({ plan, material, step }, before, { window }) => {
    if (before === undefined || window.kind === 'last' || window.kind === 'head-tail') return
    const [now, then] = [plan.receipt.window, before.plan.receipt.window]
    if (!isDeepStrictEqual(placeOf(now), placeOf(then)) || now.hidden !== undefined) return
    const marks = (events: readonly Recorded[]): unknown => events.filter(({ type }) => type === 'message.marked')
    if (!isDeepStrictEqual(marks(material.events), marks(before.material.events)) && step === 1) return
    if (!isDeepStrictEqual([...pinsOf(material)], [...pinsOf(before.material)])) return
    // A turn that grew too long may have lost a pinned message, which comes back with the next one.
    if (step === 1 && before.step > 1 && pinsOf(material).size > 0) return
    stays += 1
    assert.ok(isPrefix(before.plan.messages, plan.messages), 'the request before is the beginning of this one')
  })
  assert.ok(stays > 100, `the prefix stayed ${stays} times`)
})

test('folds change only with the beginning of the window, or because a person edited, removed or excluded something', () => {
  eachRequest(({ plan, material, step }, before, { window }) => {
    if (before === undefined || step > 1 || window.kind === 'last' || window.kind === 'head-tail') return
    const [now, then] = [plan.receipt.window, before.plan.receipt.window]
    if (now.begins !== then.begins || isDeepStrictEqual(now.folds, then.folds)) return
    const since = material.events.filter(({ seq }) => seq > before.material.through)
    const byPerson = since.some(
      event => event.type === 'message.marked' || (event.type === 'history.folded' && (event.replaces ?? 0) > 0),
    )
    const isDrop = plan.receipt.tokens.estimated !== 0 && (now.excerpts !== undefined || now.unpinned !== undefined)
    // One that is made anew for the same stretch takes the place of the one that is shown.
    const known = new Set((then.folds ?? []).map(seq => rangeOf(material, seq)))
    const isAnew = (now.folds ?? []).every(seq => known.has(rangeOf(material, seq)))
    assert.ok(byPerson || isDrop || isAnew, `${then.folds} became ${now.folds}`)
  })
})

const rangeOf = ({ folds = [] }: Material, seq: number): string => {
  const fold = folds.find(each => each.seq === seq)
  return `${fold?.from}–${fold?.to}`
}

test('later steps of a turn only add to its request', () => {
  let followed = 0
  eachRequest(({ plan, step }, before) => {
    if (step === 1 || before === undefined) return
    const [now, then] = [plan.receipt.window, before.plan.receipt.window]
    if (now.hidden !== undefined || now.begins !== then.begins || !isDeepStrictEqual(placeOf(now), placeOf(then))) return
    followed += 1
    assert.ok(isPrefix(before.plan.messages, plan.messages))
  })
  assert.ok(followed > 100)
})

test('no removed or replaced fold is ever in a request that begins a turn, and none whose stretch has something excluded since', () => {
  eachRequest(({ plan, material, step }) => {
    if (step > 1) return
    const marks = new Map<number, { readonly seq: number; readonly mark: Mark | null }>()
    for (const event of material.events)
      if (event.type === 'message.marked' && event.seq <= material.marksThrough) marks.set(event.target, event)
    for (const seq of plan.receipt.window.folds ?? []) {
      const fold = material.folds?.find(each => each.seq === seq) ?? assert.fail()
      const later = (material.folds ?? []).filter(each => each.seq > seq)
      assert.ok(!later.some(each => each.replaces === seq))
      assert.ok(!later.some(each => each.text === '' && each.from <= fold.from && each.to >= fold.to))
      for (const [target, mark] of marks)
        if (mark.mark === 'exclude' && mark.seq > seq) assert.ok(target < fold.from || target > fold.to)
    }
  })
})

test('the same log gives the same request', () => {
  eachRequest(({ plan, material }, _, chosen) => {
    const again = assemble(structuredClone(material), structuredClone(chosen), measure)
    assert.ok(again.ok)
    assert.deepEqual(again.value.messages, plan.messages)
    assert.deepEqual(again.value.receipt, plan.receipt)
  })
})
