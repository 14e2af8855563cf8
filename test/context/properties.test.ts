import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assemble } from '../../src/context/assemble.ts'
import { requestLimit } from '../../src/context/bounds.ts'
import { presets } from '../../src/context/presets.ts'
import { settlePolicy } from '../../src/context/reply-limit.ts'
import { withoutSummaries } from '../../src/context/stages/compress.ts'
import { type Beat, type Draft, messageOf, type PlacedDraft } from '../../src/context/stages/draft.ts'
import { project } from '../../src/context/stages/project.ts'
import { recall } from '../../src/context/stages/recall.ts'
import { sanitize } from '../../src/context/stages/sanitize.ts'
import { type Windowed, window } from '../../src/context/stages/window.ts'
import { beginsMessage } from '../../src/context/text/begins-message.ts'
import type { Fact } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import type { Aside, Block, FileBlock, Material, Plan } from '../../src/model/plan.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { demoWire } from '../../src/provider/demo/wire.ts'
import { ollamaWire } from '../../src/provider/ollama/encode.ts'
import { openaiChatWire } from '../../src/provider/openai-chat/encode.ts'
import { addDelta, emptyReply, partsOf } from '../../src/turn/step/reply-builder.ts'
import { blockOf, FILES, IMAGE, PAPER } from '../support/files.ts'
import { history, NEW_MESSAGE } from '../support/history.ts'
import { materialOf, measure } from '../support/material.ts'
import { anyPolicy, messagePolicy } from '../support/policies.ts'
import { tries } from '../support/tries.ts'
import { anthropicRefuses, ollamaRefuses, openaiChatRefuses } from '../support/validate-wire.ts'

const RUNS = tries(2000)

function planOf(material: Material, policy: Policy): Plan {
  const plan = assemble(material, policy, measure)
  assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
  return plan.value
}

function windowOf(material: Material, policy: Policy): Windowed {
  const settled = settlePolicy(policy, material)
  return window(
    sanitize(withoutSummaries(project(material, policy, measure))),
    material,
    settled,
    requestLimit(settled, material.model.window),
    measure,
  )
}

const beatsOf = ({ head, pins, past, current }: PlacedDraft): readonly Beat[] => [...head, ...pins, ...past, ...current]

/** What a model may be able to see. */
const sight = fc.record({ images: fc.boolean(), files: fc.boolean(), cacheMinimum: fc.constant(0) })

test('same input, same bytes', () => {
  fc.assert(
    fc.property(history, anyPolicy, (facts, policy) => {
      const first = demoWire.encode(planOf(materialOf(facts), policy))
      const second = demoWire.encode(planOf(materialOf(structuredClone(facts)), structuredClone(policy)))
      assert.equal(first.body, second.body)
    }),
    RUNS,
  )
})

test('what was made of the same events before leaves no trace', () => {
  const earlier: fc.Arbitrary<(material: Material, policy: Policy, other: Policy) => void> = fc.oneof(
    fc.constant((material: Material, _: Policy, other: Policy) => assemble(material, other, measure)),
    fc.nat().map(cut => (material: Material, policy: Policy) => {
      const events = material.events.slice(0, cut % material.events.length)
      return assemble({ ...material, events }, policy, measure)
    }),
    fc.constant((material: Material, policy: Policy) =>
      assemble({ ...material, voice: 'someone-else', turn: { ...material.turn, id: 'trn_other' as TurnId } }, policy, measure),
    ),
    sight.map(abilities => (material: Material, policy: Policy) => {
      const model = { ...material.model, abilities }
      return assemble({ ...material, model }, policy, measure)
    }),
    fc.constant((material: Material, policy: Policy) =>
      assemble(material, policy, { count: text => text.length, hash: () => 'another' }),
    ),
  )
  fc.assert(
    fc.property(history, anyPolicy, anyPolicy, earlier, (facts, policy, other, assembleBefore) => {
      const material = materialOf(facts)
      const fresh = structuredClone(material)
      assembleBefore(material, policy, other)
      assert.deepEqual(assemble(material, policy, measure), assemble(fresh, policy, measure))
    }),
    RUNS,
  )
})

test('every call is answered once, and every answer has its call before it', () => {
  fc.assert(
    fc.property(history, messagePolicy, (facts, policy) => {
      const open = new Set<string>()
      for (const message of planOf(materialOf(facts), policy).messages) {
        for (const block of message.blocks) {
          if (block.type === 'call') {
            assert.ok(!open.has(block.call), `call ${block.call} twice before its answer`)
            open.add(block.call)
          }
          if (block.type === 'result') assert.ok(open.delete(block.call), `result ${block.call} before its call`)
        }
        if (message.role === 'user') assert.equal(open.size, 0, 'a person speaks only after all answers')
      }
      assert.equal(open.size, 0)
    }),
    RUNS,
  )
})

test('the new message is sent exactly once, first comes a person, and nothing is empty', () => {
  fc.assert(
    fc.property(history, anyPolicy, (facts, policy) => {
      const { messages } = planOf(materialOf(facts), policy)
      const texts = messages.flatMap(message => message.blocks.map(block => (block.type === 'text' ? block.text : '')))
      assert.equal(texts.join('\n').split(NEW_MESSAGE).length - 1, 1)
      assert.equal(messages[0]?.role, 'user')
      for (const { blocks } of messages) {
        assert.ok(blocks.length > 0)
        for (const block of blocks) if (block.type === 'text') assert.notEqual(block.text.trim(), '')
      }
    }),
    RUNS,
  )
})

const filesIn = (block: Block): readonly FileBlock[] => {
  if (block.type === 'result') return block.images ?? []
  return block.type === 'image' || block.type === 'file' ? [block] : []
}

test('what a message brought is sent with it, whole and in order, and costs what it was taken to', () => {
  fc.assert(
    fc.property(history, messagePolicy, sight, (facts, policy, abilities) => {
      const plan = planOf(materialOf(facts, { model: { name: 'demo', window: 32_000, factor: 1, abilities } }), policy)
      const message = facts.find(fact => fact.type === 'message.received' && fact.text === NEW_MESSAGE)
      const brought = message?.type === 'message.received' ? (message.parts ?? []) : []
      const sent = plan.messages.find(({ blocks }) =>
        blocks.some(block => block.type === 'text' && block.text.includes(NEW_MESSAGE)),
      )
      assert.deepEqual(
        sent?.blocks.slice(0, -1),
        brought.map(file => (file.type === 'text' ? { type: 'text', text: `[File notes.md]\n${file.text}` } : blockOf(file))),
      )
      const shown = plan.messages.flatMap(({ blocks }) => blocks.flatMap(filesIn))
      const results = plan.messages.flatMap(({ blocks }) => blocks.filter(block => block.type === 'result'))
      if (!abilities.images) assert.ok(results.every(({ images }) => images === undefined))
      const cost = (type: string): number =>
        type === 'image' ? (abilities.images ? IMAGE.tokens : 0) : abilities.files ? PAPER.tokens : 0
      assert.equal(
        plan.receipt.tokens.files ?? 0,
        shown.reduce((sum, { type }) => sum + cost(type), 0),
      )
      assert.ok(plan.receipt.tokens.estimated >= (plan.receipt.tokens.files ?? 0))
    }),
    RUNS,
  )
})

test('what is sent, every provider would accept', () => {
  const models = ['anthropic/claude', 'openai/gpt', 'openrouter/a/b', 'compatible/x/y', 'ollama/llama']
  fc.assert(
    fc.property(
      history,
      anyPolicy,
      fc.constantFrom(...models),
      fc.boolean(),
      sight,
      (facts, policy, name, thinking, abilities) => {
        const plan = planOf(materialOf(facts, { model: { name, window: 32_000, factor: 1, abilities }, thinking }), policy)
        assert.deepEqual(refusals(plan), [])
      },
    ),
    RUNS,
  )
})

test('everything said is accounted for exactly once, in or out', () => {
  fc.assert(
    fc.property(history, anyPolicy, (facts, policy) => {
      const material = materialOf(facts)
      const projected = project(material, policy, measure)
      const loose = new Set(projected.left.filter(item => item.reason !== 'out.thinking').map(item => item.from))
      const expected = facts.flatMap((fact, index) =>
        isSaid(fact) || (fact.type === 'tool.settled' && loose.has(index + 1)) ? [index + 1] : [],
      )
      for (const draft of [projected, sanitize(projected)]) assert.deepEqual(accounted(draft), expected)

      // What stands before a window is one line, and one more for each fold; everything else is there by itself.
      const aware = recall(
        { near: windowOf(material, policy), budget: undefined, windowLimit: 0 },
        material,
        settlePolicy(policy, material),
        0,
        measure,
      )
      const line = aware.left.find(item => item.reason === 'out.window' && item.more !== undefined)
      const folded = aware.left.filter(item => item.reason === 'out.folded')
      const inOrOut = [
        ...beatsOf(aware).map(beat => beat.seq),
        ...aware.left
          .filter(item => item.reason !== 'out.thinking' && item !== line && !folded.includes(item))
          .map(item => item.from),
      ]
      const said = expected.filter(seq => facts[seq - 1]?.type !== 'history.folded')
      assert.equal(new Set(inOrOut).size, inOrOut.length, 'nothing twice')
      const isBefore = (seq: number): boolean =>
        line !== undefined && seq >= line.from && seq <= Math.max(line.to, beginsOf(aware, material))
      const covered = said.filter(
        seq => (isBefore(seq) || folded.some(({ from, to }) => from <= seq && seq <= to)) && !inOrOut.includes(seq),
      )
      assert.deepEqual(
        [...inOrOut, ...covered].sort((a, b) => a - b),
        said,
      )
      const begun = covered.filter(seq => beginsMessage(material.events[seq - 1] ?? fail()))
      const counted = [line, ...folded].reduce((sum, item) => sum + (item?.more ?? 0), 0)
      assert.ok(counted <= begun.length, 'the lines count no more than there is')
    }),
    RUNS,
  )
})

function refusals(plan: Plan): readonly string[] {
  if (plan.model.startsWith('anthropic/')) return anthropicRefuses(anthropicWire.encode(plan, FILES).body)
  if (plan.model.startsWith('ollama/')) return ollamaRefuses(ollamaWire.encode(plan, FILES).body)
  const plain = plan.model.startsWith('compatible/')
  return openaiChatRefuses({ plain, strict: !plan.model.startsWith('openai/') })(openaiChatWire.encode(plan, FILES).body)
}

const fail = (): never => assert.fail('a seq beyond the end')

const beginsOf = (placed: PlacedDraft, material: Material): number =>
  placed.past.find(beat => beat.kind !== 'summary')?.seq ?? material.turn.cause

const isSaid = (fact: Parameters<typeof materialOf>[0][number]): boolean =>
  fact.type === 'message.received' ||
  fact.type === 'damaged' ||
  fact.type === 'history.folded' ||
  fact.type === 'reply.finished' ||
  (fact.type === 'reply.broken' && fact.parts.length > 0)

const accounted = ({ beats, others, left }: Draft): number[] =>
  [
    ...beats.map(beat => beat.seq),
    ...others.map(beat => beat.seq),
    ...left.filter(item => item.reason !== 'out.thinking').map(item => item.from),
  ].sort((a, b) => a - b)

test('the lines of a receipt add up to its estimate', () => {
  fc.assert(
    fc.property(history, anyPolicy, fc.double({ min: 0.5, max: 2, noNaN: true }), (facts, policy, factor) => {
      const { receipt } = planOf(materialOf(facts, { model: { name: 'demo', window: 32_000, factor } }), policy)
      assert.equal(
        receipt.tokens.estimated,
        receipt.in.reduce((sum, line) => sum + line.tokens, 0),
      )
      const others = receipt.out.filter(line => line.reason !== 'out.folded')
      assert.equal(new Set(others.map(line => line.reason)).size, others.length, 'one line for each reason')
      assert.ok(receipt.out.length - others.length <= (receipt.window.folds ?? []).length, 'and one for each fold')
    }),
    RUNS,
  )
})

test('a result that belongs to a reply stays with it, every other one is written down', () => {
  fc.assert(
    fc.property(history, facts => {
      const { beats, left } = project(materialOf(facts), presets.full, measure)
      const settled = facts.filter(fact => fact.type === 'tool.settled').length
      const attached = beats.reduce((sum, beat) => sum + (beat.kind === 'said' ? beat.answers.length : 0), 0)
      const loose = left.filter(item => facts[item.from - 1]?.type === 'tool.settled').length
      assert.equal(attached + loose, settled)
    }),
    RUNS,
  )
})

test('sanitizing twice is sanitizing once', () => {
  fc.assert(
    fc.property(history, facts => {
      const once = sanitize(project(materialOf(facts), presets.full, measure))
      assert.deepEqual(sanitize(once), once)
    }),
    RUNS,
  )
})

test('a window keeps or loses a turn whole', () => {
  fc.assert(
    fc.property(history, anyPolicy, (facts, policy) => {
      const material = materialOf(facts)
      const before = sanitize(project(material, policy, measure))
      const kept = new Set(beatsOf(windowOf(material, policy)).map(({ seq }) => seq))
      for (const [, beats] of Map.groupBy(before.beats, messageOf)) {
        const known = beats.filter(({ seq }) => kept.has(seq)).length
        assert.ok(known === 0 || known === beats.length)
      }
    }),
    RUNS,
  )
})

test('a budget is kept or the fault names what is largest; inserted blocks give way before history does', () => {
  const aside: fc.Arbitrary<Aside> = fc.record({
    kind: fc.constant('reference'),
    reason: fc.constant('reference.last-round'),
    text: fc.string({ minLength: 1, maxLength: 200 }).filter(text => text.trim() !== ''),
  })
  fc.assert(
    fc.property(
      history,
      anyPolicy,
      fc.array(aside, { maxLength: 3 }),
      fc.integer({ min: 1, max: 400 }),
      (facts, policy, asides, tokens) => {
        const tight = { ...policy, budget: { tokens, reserve: 10 } }
        const plan = assemble(materialOf(facts, { asides }), tight, measure)
        if (!plan.ok) {
          assert.equal(plan.fault.kind, 'too-long')
          assert.match(plan.fault.message, /the largest part is/)
          return
        }
        const { receipt } = plan.value
        assert.ok(receipt.tokens.estimated <= tokens)
        const without = assemble(materialOf(facts), tight, measure)
        const said = (lines: typeof receipt.in): unknown => lines.filter(({ kind }) => kind !== 'reference')
        const isFirst = policy.render === 'messages' && !receipt.in.some(({ reason }) => reason === 'current.cycle')
        if (without.ok && isFirst)
          assert.deepEqual(said(receipt.in), said(without.value.receipt.in), 'references take nothing from history')
        if (receipt.ladder.length === 0)
          assert.equal(
            receipt.out.some(line => line.reason === 'out.budget'),
            false,
          )
      },
    ),
    RUNS,
  )
})

test('a window that counts whole messages never counts what it leaves out first', () => {
  fc.assert(
    fc.property(history, fc.nat(8), (facts, messages) => {
      const material = materialOf(facts)
      const policy: Policy = { ...presets.recent, window: { kind: 'last', messages } }
      const sound = sanitize(project(material, policy, measure)).beats.filter(
        beat =>
          (beat.kind === 'said' ? beat.turn !== material.turn.id : beat.seq < material.turn.cause) && beat.kind !== 'summary',
      )
      const available = new Set(sound.map(messageOf))
      const kept = new Set(
        windowOf(material, policy)
          .past.filter(beat => beat.kind !== 'summary')
          .map(messageOf),
      )
      // The last exchange is sent whole, also if several answers belong to it.
      const question = [...available].findLastIndex(key => key.startsWith('heard'))
      const exchange = messages < 2 ? 0 : available.size - question
      const most = Math.max(messages, exchange)
      assert.ok(kept.size <= Math.min(most, available.size))
      const last = [...available].slice(Math.max(0, available.size - most))
      assert.deepEqual([...kept], last.slice(last.length - kept.size), 'the last ones, less an answer that would lead')
    }),
    RUNS,
  )
})

test('what the deltas said is what is remembered, however they were cut', () => {
  const piece = fc.record({ type: fc.constantFrom('text' as const, 'think' as const), text: fc.string({ maxLength: 20 }) })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(20), { maxLength: 8 }), (pieces, cuts) => {
      const cut = pieces.flatMap((delta, index) => {
        const at = Math.min(cuts[index] ?? 0, delta.text.length)
        return [
          { ...delta, text: delta.text.slice(0, at) },
          { ...delta, text: delta.text.slice(at) },
        ]
      })
      const write = (deltas: typeof pieces): { parts: ReturnType<typeof partsOf>; heard: Map<number, string> } => {
        let script = emptyReply('trn_1' as TurnId, 1)
        const heard = new Map<number, string>()
        for (const delta of deltas) {
          const [next, said] = addDelta(script, delta)
          script = next
          if (said === undefined) continue
          assert.equal(said.offset, (heard.get(said.part) ?? '').length)
          heard.set(said.part, (heard.get(said.part) ?? '') + said.text)
        }
        return { parts: partsOf(script), heard }
      }
      const whole = write(pieces)
      const inPieces = write(cut)
      assert.deepEqual(inPieces.parts, whole.parts)
      assert.deepEqual(
        inPieces.parts.map(part => ('text' in part ? part.text : '')),
        [...inPieces.heard.values()],
      )
    }),
    RUNS,
  )
})

test('a head of answers alone, whose question was blank, leaves no request that begins with an answer', () => {
  const heard = (text: string): Fact => ({ type: 'message.received', text, from: 'person' })
  const started = (turn: string, cause: number): Fact => ({
    type: 'turn.started',
    turn: turn as TurnId,
    voice: 'assistant',
    cause,
  })
  const called = (turn: string): Fact => ({
    ...{ type: 'reply.finished', turn: turn as TurnId, step: 1, parts: [{ type: 'call', call: 'c4', tool: 'look', args: {} }] },
  })
  const settled = (turn: string): Fact => ({
    ...{ type: 'tool.settled', turn: turn as TurnId, call: 'c4', tool: 'look', ok: true, outcome: 'found', ms: 1 },
  })
  const silent = (turn: string): Fact => ({ type: 'reply.finished', turn: turn as TurnId, step: 2, parts: [] })
  const ended = (turn: string): Fact => ({ type: 'turn.ended', turn: turn as TurnId, voice: 'assistant', reason: 'done' })
  const facts = [
    ...[heard(''), started('trn_0', 1), called('trn_0'), settled('trn_0'), silent('trn_0'), ended('trn_0')],
    ...[heard('x'), heard('!'), started('trn_2', 8), called('trn_2'), heard('steered'), settled('trn_2'), silent('trn_2')],
    ...[ended('trn_2'), heard('the one new message'), started('trn_now', 15)],
  ]
  const policy: Policy = { ...presets['head-tail'], window: { kind: 'head-tail', max: 5, head: 1, recent: 3, noteOver: 3 } }
  assert.equal(planOf(materialOf(facts), policy).messages[0]?.role, 'user')
})
