import assert from 'node:assert/strict'
import { assemble } from '../../../src/context/assemble.ts'
import { presets } from '../../../src/context/presets.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { HistoryFolded } from '../../../src/model/fold.ts'
import type { TurnId } from '../../../src/model/ids.ts'
import type { Material, Plan } from '../../../src/model/plan.ts'
import type { WindowState } from '../../../src/model/receipt.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { materialOf, measure } from '../../support/material.ts'

/** Small enough that some twenty turns are too many; a turn has about fifty tokens. */
export const SMALL: Policy = { ...presets.steady, recall: null, budget: { tokens: 1000, reserve: 100 } }

const WORDS = 'the boat leaves the harbour early and comes back with the tide late in the evening of the day'

/** A conversation that is written turn by turn, and asked as the engine would: each request goes on from the last one. */
export class Chat {
  readonly facts: Fact[] = []
  /** The seqs at which turns begin. */
  readonly begins: number[] = []
  last: WindowState | undefined
  readonly #policy: Policy

  constructor(policy: Policy = SMALL) {
    this.#policy = policy
  }

  /** So many turns that are answered. */
  turns(many: number, words: string = WORDS): this {
    for (let each = 0; each < many; each += 1) {
      const number = this.begins.length + 1
      const turn = `trn_${number}` as TurnId
      this.begins.push(this.facts.length + 1)
      this.facts.push({ type: 'message.received', text: `question ${number}: ${words}`, from: 'person' })
      this.facts.push({ type: 'turn.started', turn, voice: 'assistant', cause: this.facts.length })
      const parts = [{ type: 'text' as const, text: `answer ${number}: ${words}` }]
      this.facts.push({ type: 'reply.finished', turn, step: 1, parts })
      this.facts.push({ type: 'turn.ended', turn, voice: 'assistant', reason: 'done' })
    }
    return this
  }

  /** Folds whole turns, counted from 1, and gives the seq of the fold. */
  fold(first: number, last: number, text: string, over: Partial<HistoryFolded> = {}): number {
    const from = this.begins[first - 1] ?? assert.fail()
    const to = (this.begins[last] ?? this.facts.length + 1) - 1
    this.facts.push({ type: 'history.folded', from, to, text, by: 'extract', ...over })
    return this.facts.length
  }

  mark(target: number, mark: 'exclude' | 'pin' | null): this {
    this.facts.push({ type: 'message.marked', target, mark })
    return this
  }

  material(given: Partial<Material> = {}): Material {
    const cause = this.facts.length + 1
    const asked: Fact[] = [
      ...this.facts,
      { type: 'message.received', text: 'and now?', from: 'person' },
      { type: 'turn.started', turn: 'trn_now' as TurnId, voice: given.voice ?? 'assistant', cause },
    ]
    const last = this.last === undefined ? {} : { last: this.last }
    return materialOf(asked, { begins: this.last?.begins ?? null, ...last, ...given })
  }

  /** The request for a new message; the next one goes on from it. */
  ask(given: Partial<Material> = {}): Plan {
    const plan = assemble(this.material(given), this.#policy, measure)
    assert.ok(plan.ok, plan.ok ? '' : plan.fault.message)
    this.last = plan.value.receipt.window
    return plan.value
  }
}

/** What each message says, one after the other. */
export const textsOf = ({ messages }: Pick<Plan, 'messages'>): readonly string[] =>
  messages.map(({ blocks }) => blocks.map(block => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n'))

export const outOf = ({ receipt }: Plan, reason: string): number =>
  receipt.out.reduce((sum, line) => sum + (line.reason === reason ? line.count : 0), 0)
