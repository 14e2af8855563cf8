/** Says of messages whether a planned request has them, and what recall would have needed to quote those that it does not have. */

import { bestFirst, quoteTokens } from '../../context/recall/choose.ts'
import { type Presence, presenceAmong } from '../../context/receipt/presence.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { RecallMaterial } from '../../model/recall.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Services } from '../services.ts'
import type { Prepared } from '../step/prepare-request.ts'
import { recalledIn, subjectAt } from './presence.ts'

/** One message, and whether a request has it: in the window, or quoted beside the new message. */
export type Evidence = Presence & { readonly seq: number; readonly recall?: MissedByRecall }

/** How far a message was from being quoted; absent where nothing was looked up. */
export type MissedByRecall =
  | { readonly isFound: false }
  | {
      readonly isFound: true
      /** Its place among all messages that were found, from 1. */
      readonly rank: number
      readonly of: number
      /** It has a word of the question, a related one, or an author or day that the question names. */
      readonly isRelated: boolean
      /** So many tokens more than the quotes leave free, roughly. */
      readonly needs: number
    }

/** Whether a request has these messages, in their order. */
export async function evidenceIn(
  services: Services,
  id: SessionId,
  { plan, receipt, material }: Pick<Prepared, 'plan' | 'receipt' | 'material'>,
  seqs: readonly number[],
): Promise<Result<readonly Evidence[], Fault>> {
  const found: Evidence[] = []
  for (const seq of seqs) {
    const subject = await subjectAt(services, id, seq)
    if (!subject.ok) return subject
    const presence = recalledIn(receipt, subject.value) ?? presenceAmong(plan.items, receipt, subject.value)
    const missed = presence.in ? undefined : missedBy(material.recall, receipt, material.model.factor, subject.value.message)
    found.push({ seq, ...presence, ...(missed === undefined ? {} : { recall: missed }) })
  }
  return ok(found)
}

function missedBy(
  recall: RecallMaterial | undefined,
  receipt: Receipt,
  factor: number,
  message: readonly number[],
): MissedByRecall | undefined {
  if (recall?.found === undefined || receipt.recall === undefined) return undefined
  const ordered = bestFirst(recall.found.candidates)
  const index = ordered.findIndex(({ seqs }) => seqs.some(seq => message.includes(seq)))
  const candidate = ordered[index]
  if (candidate === undefined) return { isFound: false }
  const { most, tokens } = receipt.recall
  const needs = Math.max(0, Math.ceil(quoteTokens(candidate) * factor) - Math.max(0, most - tokens))
  return { isFound: true, rank: index + 1, of: ordered.length, isRelated: candidate.isRelated, needs }
}
