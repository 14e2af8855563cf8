// Builds every request of a conversation as the engine would, with or without memory, and adds up what it costs and still shows.
import { assemble } from '../../src/context/assemble.ts'
import { createBilling } from '../../src/context/receipt/billing.ts'
import type { Measure } from '../../src/context/text/tokens.ts'
import type { Plan } from '../../src/model/plan.ts'
import type { WindowState } from '../../src/model/receipt.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import type { VoiceId } from '../../src/model/voice.ts'
import { anthropicWire } from '../../src/provider/anthropic/encode.ts'
import { type Bill, blocksOf, unitsOf } from '../billing.ts'
import { askedOf, type Conversation, materialOf } from '../conversations.ts'
import { type FoldRequest, remembering } from '../remembering.ts'
import { identifiersUsed } from '../traces/identifiers.ts'

/** What the requests of conversations came to. */
export type Priced = {
  requests: number
  tooLong: number
  units: number
  bill: Bill
  /** Identifiers that steps used and that had been seen before, and those of them that the request still showed. */
  used: number
  visible: number
  /** Summaries that were made, the billed units of asking a model for them, which are among all units, and the tokens it would have written. */
  folds: number
  foldUnits: number
  foldTokens: number
  /** Turns; those that hid something, looked back, were narrowed, and quoted, and how many tokens were quoted. */
  turns: number
  hid: number
  lookedBack: number
  narrowed: number
  quoted: number
  quotedTokens: number
  /** Of what is quoted: in turns that do not look back. */
  unaskedTokens: number
  /** Turns whose window had grown by what replies needed. */
  grown: number
  /** Messages that questions are about, and those of them that are in the request; the same for turns that do not look back. */
  evidence: number
  evidenceShown: number
  unaskedEvidence: number
  unaskedEvidenceShown: number
}

/** Where a question is asked, and the texts that answer it: each as a whole, or by the passage that matters. */
export type Evidence = ReadonlyMap<number, readonly { readonly whole: string; readonly passage: string }[]>

export type PricedBy = {
  /** Its memory is what is measured: none, recall alone, or all of it. */
  readonly policy: Policy
  /** How well a message must match where the new one does not look back; the engine's own bound unless given. */
  readonly leastMatch?: number
}

export const nothingPriced = (): Priced => ({
  ...{ requests: 0, tooLong: 0, units: 0, bill: { plain: 0, written: 0, read: 0 }, used: 0, visible: 0 },
  ...{ turns: 0, hid: 0, lookedBack: 0, narrowed: 0, quoted: 0, quotedTokens: 0, unaskedTokens: 0 },
  ...{ folds: 0, foldUnits: 0, foldTokens: 0, grown: 0 },
  ...{ evidence: 0, evidenceShown: 0, unaskedEvidence: 0, unaskedEvidenceShown: 0 },
})

export async function priced(
  conversation: Conversation,
  { policy, leastMatch }: PricedBy,
  measure: Measure,
  evidence: Evidence = new Map(),
): Promise<Priced> {
  const sums = nothingPriced()
  const used = identifiersUsed(conversation)
  const last = new Map<VoiceId, WindowState>()
  const memory = remembering(conversation, policy, { measure, ...(leastMatch === undefined ? {} : { leastMatch }) })
  const charge = createBilling()
  for (const asked of askedOf(conversation)) {
    const plain = materialOf(conversation, asked, last.get(asked.voice))
    const material = await memory.withMemory(plain)
    for (const fold of memory.folded()) addFold(sums, fold, charge)
    const plan = assemble(material, policy, measure)
    if (!plan.ok) {
      sums.tooLong += 1
      continue
    }
    memory.sent(material, plan.value)
    last.set(asked.voice, plan.value.receipt.window)
    const { body } = anthropicWire.encode(plan.value)
    const bill = charge(blocksOf(body, measure.count))
    sums.units += unitsOf(bill)
    sums.bill = addBills(sums.bill, bill)
    sums.requests += 1
    const needs = used.get(asked.reply) ?? []
    sums.used += needs.length
    const messages = body.slice(body.indexOf('"messages":['))
    sums.visible += needs.filter(id => messages.includes(JSON.stringify(id).slice(1, -1))).length
    if (asked.turn.step === 1) addTurn(sums, plan.value, evidence.get(asked.turn.cause) ?? [])
  }
  return sums
}

function addFold(sums: Priced, { blocks, written }: FoldRequest, charge: ReturnType<typeof createBilling>): void {
  sums.folds += 1
  sums.foldTokens += written
  if (blocks === null) return
  const units = unitsOf(charge(blocks))
  sums.foldUnits += units
  sums.units += units
}

function addTurn(sums: Priced, { receipt, messages }: Plan, wanted: NonNullable<ReturnType<Evidence['get']>>): void {
  const { recall, window } = receipt
  const looksBack = recall?.looksBack === true
  sums.turns += 1
  sums.grown += (window.follow?.times ?? 1) > 1 ? 1 : 0
  sums.hid += (recall?.hidden ?? 0) > 0 ? 1 : 0
  sums.lookedBack += looksBack ? 1 : 0
  sums.narrowed += window.narrowed === true ? 1 : 0
  sums.quoted += (recall?.messages ?? 0) > 0 ? 1 : 0
  sums.quotedTokens += recall?.tokens ?? 0
  sums.unaskedTokens += looksBack ? 0 : (recall?.tokens ?? 0)
  if (wanted.length === 0) return
  const text = JSON.stringify(messages)
  const has = (each: string): boolean => text.includes(JSON.stringify(each).slice(1, -1))
  const shown = wanted.filter(({ whole, passage }) => has(whole) || has(passage)).length
  sums.evidence += wanted.length
  sums.evidenceShown += shown
  sums.unaskedEvidence += looksBack ? 0 : wanted.length
  sums.unaskedEvidenceShown += looksBack ? 0 : shown
}

const addBills = (a: Bill, b: Bill): Bill => ({
  ...{ plain: a.plain + b.plain, written: a.written + b.written, read: a.read + b.read },
})

/** All of them together. */
export function sumOf(all: readonly Priced[]): Priced {
  const sum = nothingPriced()
  for (const each of all) {
    sum.bill = addBills(sum.bill, each.bill)
    for (const key of Object.keys(sum) as (keyof Priced)[]) if (key !== 'bill') sum[key] += each[key]
  }
  return sum
}
