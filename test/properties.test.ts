import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assemble } from '../src/context/assemble.ts'
import { compress } from '../src/context/compress.ts'
import { type Draft, messageOf } from '../src/context/draft.ts'
import { presets } from '../src/context/presets.ts'
import { project } from '../src/context/project.ts'
import { sanitize } from '../src/context/sanitize.ts'
import { weigh } from '../src/context/tokens.ts'
import { isPast, window } from '../src/context/window.ts'
import { memoryLog } from '../src/log/memory.ts'
import type { Fact } from '../src/model/event.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Aside, Material, Plan } from '../src/model/plan.ts'
import type { Policy } from '../src/model/policy.ts'
import { demoWire } from '../src/provider/demo-wire.ts'
import { blank, partsOf, scribe } from '../src/turn/scribe.ts'
import { history, NEW_MESSAGE } from './support/history.ts'
import { materialOf, measure } from './support/material.ts'

const RUNS = { numRuns: 2000 }
const RENAMED: Fact = { type: 'session.changed', changes: { title: 'renamed' } }

const policy: fc.Arbitrary<Policy> = fc.oneof(
  fc.constant(preset('full')),
  fc.nat(8).map(messages => ({ ...preset('recent'), window: { kind: 'last', messages } as const })),
)

function preset(name: string): Policy {
  const found = presets[name]
  assert.ok(found)
  return found
}

function planOf(material: Material, policy: Policy): Plan {
  const plan = assemble(material, policy, measure)
  assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
  return plan.value
}

test('same input, same bytes', () => {
  fc.assert(
    fc.property(history, policy, (facts, policy) => {
      const first = demoWire.encode(planOf(materialOf(facts), policy))
      const second = demoWire.encode(planOf(materialOf(structuredClone(facts)), structuredClone(policy)))
      assert.equal(first.body, second.body)
    }),
    RUNS,
  )
})

test('every call is answered once, and every answer has its call before it', () => {
  fc.assert(
    fc.property(history, policy, (facts, policy) => {
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
    fc.property(history, policy, (facts, policy) => {
      const { messages } = planOf(materialOf(facts), policy)
      const texts = messages.flatMap(message => message.blocks.map(block => (block.type === 'text' ? block.text : '')))
      assert.equal(texts.filter(text => text === NEW_MESSAGE).length, 1)
      assert.equal(messages[0]?.role, 'user')
      for (const { blocks } of messages) {
        assert.ok(blocks.length > 0)
        for (const block of blocks) if (block.type === 'text') assert.notEqual(block.text.trim(), '')
      }
    }),
    RUNS,
  )
})

test('everything said is accounted for exactly once, in or out', () => {
  fc.assert(
    fc.property(history, policy, (facts, policy) => {
      const material = materialOf(facts)
      const projected = project(material)
      const expected = saidSeqs(facts, projected)
      for (const draft of [projected, sanitize(projected), window(sanitize(projected), material, policy)]) {
        assert.deepEqual(accounted(draft), expected)
      }
      const last = compress(window(sanitize(projected), material, policy), material)
      assert.deepEqual(accounted(last), expected)

      const { receipt } = planOf(material, policy)
      const kept = new Set(last.beats.map(beat => (beat.kind === 'said' ? beat.turn : beat.seq))).size
      const lines = receipt.in.filter(line => line.reason === 'recent.window' || line.reason === 'summary.folded')
      assert.ok(lines.reduce((sum, line) => sum + (line.count ?? 0), 0) <= kept)
      for (const [reason, items] of Map.groupBy(last.left, item => item.reason)) {
        const line = receipt.out.find(each => each.reason === reason)
        assert.equal(line?.count, new Set(items.flatMap(item => item.messages)).size, reason)
      }
      assert.equal(receipt.out.length, new Set(last.left.map(item => item.reason)).size)
      assert.equal(
        receipt.tokens.estimated,
        receipt.in.reduce((sum, line) => sum + line.tokens, 0),
      )
    }),
    RUNS,
  )
})

/** The seqs of everything that was said: messages, replies that say something, and results that belong to no reply. */
function saidSeqs(facts: Parameters<typeof materialOf>[0], projected: Draft): number[] {
  const loose = projected.left.filter(item => item.reason !== 'out.thinking').map(item => item.from)
  return facts
    .flatMap((fact, index) => {
      const seq = index + 1
      if (fact.type === 'message.received' || fact.type === 'damaged' || fact.type === 'history.folded') return [seq]
      if (fact.type === 'reply.finished') return [seq]
      if (fact.type === 'reply.broken') return fact.parts.length > 0 ? [seq] : []
      return fact.type === 'tool.settled' && loose.includes(seq) ? [seq] : []
    })
    .sort((a, b) => a - b)
}

const accounted = ({ beats, left }: Draft): number[] =>
  [...beats.map(beat => beat.seq), ...left.filter(item => item.reason !== 'out.thinking').map(item => item.from)].sort(
    (a, b) => a - b,
  )

test('a result that belongs to a reply stays with it, every other one is written down', () => {
  fc.assert(
    fc.property(history, facts => {
      const { beats, left } = project(materialOf(facts))
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
      const once = sanitize(project(materialOf(facts)))
      assert.deepEqual(sanitize(once), once)
    }),
    RUNS,
  )
})

test('a window keeps or loses a turn whole', () => {
  fc.assert(
    fc.property(history, policy, (facts, policy) => {
      const material = materialOf(facts)
      const before = sanitize(project(material))
      const after = window(before, material, policy)
      const turns = (draft: Draft): string[] => draft.beats.flatMap(beat => (beat.kind === 'said' ? [beat.turn] : []))
      const kept = new Set(turns(after))
      assert.deepEqual(
        turns(after),
        turns(before).filter(turn => kept.has(turn as TurnId)),
      )
    }),
    RUNS,
  )
})

test('a budget is kept or the fault names what is largest; inserted blocks give way first', () => {
  const aside: fc.Arbitrary<Aside> = fc.record({
    kind: fc.constant('reference'),
    reason: fc.constant('reference.last-round'),
    text: fc.string({ minLength: 1, maxLength: 200 }).filter(text => text.trim() !== ''),
  })
  fc.assert(
    fc.property(history, fc.array(aside, { maxLength: 3 }), fc.integer({ min: 1, max: 400 }), (facts, asides, tokens) => {
      const tight = { ...preset('full'), budget: { tokens, reserve: 10 } }
      const plan = assemble(materialOf(facts, { asides }), tight, measure)
      const bare = assemble(materialOf(facts), tight, measure)
      if (!plan.ok) {
        assert.equal(plan.fault.kind, 'too-long')
        assert.match(plan.fault.message, /the largest item is/)
        assert.equal(bare.ok, false, 'without its asides it would not have fitted either')
        return
      }
      assert.ok(plan.value.receipt.tokens.estimated <= tokens)
      const dropped = plan.value.receipt.out.find(line => line.reason === 'out.budget')?.count ?? 0
      const inserted = plan.value.receipt.in.filter(line => line.kind === 'reference').length
      assert.equal(dropped + inserted, asides.length)
    }),
    RUNS,
  )
})

test('a window found by index gives the same bytes as one cut from everything', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(6), async (facts, messages) => {
      // Seqs must stay, so what a log cannot be told to write is replaced, not removed.
      const written = facts.map((fact): Fact => (fact.type === 'damaged' || fact.type === 'history.folded' ? RENAMED : fact))
      const log = memoryLog({ clock: () => 0, weigh })
      const id = 'ses_1' as SessionId
      await log.open({ id } as never)
      await log.append(id, written)
      const whole = materialOf(written)
      const tail = await log.tail(id, { messages: messages + 1, before: whole.turn.cause })
      assert.ok(tail.ok)
      const near = { ...whole, events: tail.value.events, unread: tail.value.unread }
      const policy = { ...preset('recent'), window: { kind: 'last', messages } as const }
      // Blank and failed messages fill no window, so enough others must have been read.
      const sound = sanitize(project(near)).beats.filter(beat => isPast(beat, near))
      fc.pre(tail.value.unread === null || new Set(sound.map(messageOf)).size >= messages)
      assert.equal(demoWire.encode(planOf(near, policy)).body, demoWire.encode(planOf(whole, policy)).body)
    }),
    { numRuns: 1000 },
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
        let script = blank('trn_1' as TurnId, 1)
        const heard = new Map<number, string>()
        for (const delta of deltas) {
          const [next, said] = scribe(script, delta)
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
