import assert from 'node:assert/strict'
import fc from 'fast-check'
import { assemble } from '../../src/context/assemble.ts'
import type { Fact, Part } from '../../src/model/event.ts'
import type { TurnId } from '../../src/model/ids.ts'
import type { Aside, Material, Message, Plan } from '../../src/model/plan.ts'
import type { WindowState } from '../../src/model/receipt.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import { materialOf, measure } from './material.ts'

export type Turn = {
  readonly text: string
  readonly aside: string
  readonly steps: readonly { readonly parts: readonly Part[]; readonly steered: boolean }[]
}

const words = fc.integer({ min: 1, max: 30 }).map(count => 'word '.repeat(count).trim())
const call: fc.Arbitrary<Part> = fc.constantFrom('c1', 'c2').map(id => ({ type: 'call', call: id, tool: 'look', args: {} }))
const said: fc.Arbitrary<Part> = words.map(text => ({ type: 'text', text }))
const thought: fc.Arbitrary<Part> = words.map(text => ({ type: 'think', text, signature: 's' }))

/** Conversations in which every turn is answered: with tools, thinking, steering, and something else beside each message. */
export const talk: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    text: words,
    aside: words,
    steps: fc.array(fc.record({ parts: fc.tuple(thought, call, said).map(parts => [...parts]), steered: fc.boolean() }), {
      maxLength: 2,
    }),
  }),
  { minLength: 2, maxLength: 14 },
)

export type Sent = { readonly turn: number; readonly step: number; readonly plan: Plan }

/** Every request of a conversation, each built as the engine would: the window begins where the last receipt says. */
export function requestsOf(turns: readonly Turn[], policy: Policy, given: Partial<Material> = {}): readonly Sent[] {
  const facts: Fact[] = []
  const sent: Sent[] = []
  let last: WindowState | undefined
  for (const [index, { text, aside, steps }] of turns.entries()) {
    const turn = `trn_${index + 1}` as TurnId
    facts.push({ type: 'message.received', text: `${index} ${text}`, from: 'person' })
    const cause = facts.length
    facts.push({ type: 'turn.started', turn, voice: 'assistant', cause })
    const asides: readonly Aside[] = aside === '' ? [] : [{ kind: 'note', reason: 'note.clock', text: `[${index} ${aside}]` }]
    const request = (step: number): void => {
      const plan = assemble(
        materialOf(facts, {
          ...given,
          begins: last?.begins ?? null,
          ...(last === undefined ? {} : { last }),
          asides,
          turn: { id: turn, step, cause, ordinal: index + 1 },
        }),
        policy,
        measure,
      )
      assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
      last = plan.value.receipt.window
      sent.push({ turn: index + 1, step, plan: plan.value })
    }
    for (const [at, { parts, steered }] of steps.entries()) {
      request(at + 1)
      facts.push({ type: 'reply.finished', turn, step: at + 1, parts })
      if (steered) facts.push({ type: 'message.received', text: `steered ${facts.length}`, from: 'person' })
      for (const part of parts) {
        if (part.type === 'call')
          facts.push({
            type: 'tool.settled',
            turn,
            call: part.call,
            tool: 'look',
            ok: true,
            outcome: 'found',
            ms: 1,
          })
      }
    }
    request(steps.length + 1)
    facts.push({ type: 'reply.finished', turn, step: steps.length + 1, parts: [{ type: 'text', text: `answer ${index}` }] })
    facts.push({ type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })
  }
  return sent
}

/** Messages without thinking, which never outlives its turn. */
export const withoutThinking = (messages: readonly Message[]): readonly Message[] =>
  messages.map(message => ({ ...message, blocks: message.blocks.filter(block => block.type !== 'think') }))

/** Whether one list of messages is how another begins. */
export const isPrefix = (start: readonly Message[], whole: readonly Message[]): boolean =>
  JSON.stringify(whole.slice(0, start.length)) === JSON.stringify(start)
