/** Reads receipts, checkpoints and grants that a database keeps as JSON; a damaged one gives less instead of failing. */

import { hasRunFacts, type RunFacts } from '../model/approval.ts'
import { parseFact } from '../model/event.ts'
import type { Receipt } from '../model/receipt.ts'
import type { Checkpoint } from './ports.ts'

/** A damaged receipt counts as none; the same rule reads receipts in events. */
export function receiptOfBody(body: string): Receipt | undefined {
  const fact = parseFact('context.planned', `{"turn":"","step":1,"receipt":${body}}`)
  return !('why' in fact) && fact.type === 'context.planned' ? fact.receipt : undefined
}

/** A grant with damaged facts still counts, since only its binding decides. A list shows it without details. */
export const grantFacts = (value: unknown): RunFacts =>
  typeof value === 'object' && value !== null && hasRunFacts(value) ? value : {}

/** A checkpoint has the form of a reply; a damaged one counts as none. */
export function checkpointOfBody(body: string): Checkpoint | undefined {
  const fact = parseFact('reply.finished', body)
  if ('why' in fact || fact.type !== 'reply.finished') return undefined
  const isUnheard = 'isUnheard' in fact && fact.isUnheard === true
  return { turn: fact.turn, step: fact.step, parts: fact.parts, ...(isUnheard ? { isUnheard } : {}) }
}
