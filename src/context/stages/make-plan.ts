/** Makes the plan of a request and the account of how it came about. */
import { type Fault, fault } from '../../model/fault.ts'
import type { Abilities, Material, Plan, PlanItem, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { ReceiptDraft, WindowState } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { planSampling } from '../../model/sampling.ts'
import { type Policy, policyLabel } from '../../model/settings/policy.ts'
import { estimateOf, inLines, outLines } from '../receipt/lines.ts'
import { outlined, stable, throughOf } from '../receipt/outline.ts'
import type { ReplyBudget } from '../reply-limit.ts'
import { shownTokens } from '../text/attachments.ts'
import type { Measure } from '../text/tokens.ts'
import type { LeftOut } from './draft.ts'

/** What a request consists of, and what it shows of the conversation. */
export type PlanParts = Pick<ReceiptDraft, 'window' | 'seen' | 'ladder' | 'recall'> & {
  readonly items: readonly PlanItem[]
  readonly left: readonly LeftOut[]
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  /** The most tokens that the request may have. */
  readonly limit: number
}

type Reply = Pick<Policy, 'name' | 'version'> & { readonly budget: ReplyBudget }

/** The plan with its receipt; the items fit already. */
export function makePlan(
  { items, left, system, tools, limit, ladder, ...shown }: PlanParts,
  material: Material,
  policy: Reply,
  measure: Measure,
): Result<Plan, Fault> {
  const { factor } = material.model
  const messages = items.flatMap(item => item.messages)
  if (messages[0]?.role !== 'user') return err(fault('store', 'the message that caused this turn cannot be read'))
  const files = Math.ceil(shownTokens(messages, material) * factor)
  return ok({
    session: material.session,
    model: material.model.name,
    abilities: material.model.abilities ?? PLAIN,
    voice: material.voice,
    ordinal: material.turn.ordinal,
    system: system.map(part => part.text).join('\n\n'),
    tools,
    messages,
    maxTokens: policy.budget.reserve,
    window: material.model.window,
    thinkingTokens: policy.budget.thinking,
    ...planSampling(material, tools.length > 0),
    stableMessages: stable(items).flatMap(item => item.messages).length,
    ...unmarkedBy(shown.window, material),
    through: throughOf(items, factor),
    outline: items.map(outlined),
    items,
    receipt: {
      through: material.through,
      ...shown,
      policy: policyLabel(policy),
      model: material.model.name,
      voice: material.voice,
      tokens: {
        estimated: estimateOf(items, factor),
        reported: null,
        cached: null,
        factor,
        limit,
        reserved: policy.budget.reserve,
        ...(files === 0 ? {} : { files }),
      },
      ...planSampling(material, tools.length > 0),
      degraded: material.degraded,
      ladder,
      in: inLines(items, factor, measure),
      out: outLines(left),
    },
  })
}

/** Quotes are read once, and a narrowed window is the prefix of no later request: neither is worth writing to a cache. */
function unmarkedBy({ narrowed, recalled }: WindowState, { turn }: Material): Pick<Plan, 'unmarked'> {
  if (narrowed === true) return { unmarked: 'messages' }
  // A later step of the same turn reads them again.
  return recalled !== undefined && turn.step === 1 ? { unmarked: 'end' } : {}
}

/** An unknown model gets only texts. */
const PLAIN: Abilities = { images: false, files: false, cacheMinimum: 0 }
