/** Stage 7, fit: keeps the request within its budget and writes its receipt. */
import { type Fault, fault } from '../../model/fault.ts'
import type { Abilities, Material, Plan, PlanItem } from '../../model/plan.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { planSampling } from '../../model/sampling.ts'
import { policyLabel } from '../../model/settings/policy.ts'
import { boundsOf } from '../bounds.ts'
import { estimateOf, inLines, outLines } from '../receipt/lines.ts'
import { outlined, stable, throughOf } from '../receipt/outline.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import { shownTokens } from '../text/attachments.ts'
import type { Measure } from '../text/tokens.ts'
import { isPartlyRead } from './draft.ts'
import { type Fitting, listSkills, RUNGS } from './ladder.ts'
import type { Rendered } from './render.ts'
import { shortenRequired } from './required.ts'

/** Keeps the plan within its budget. Items give way rung by rung; if that is not enough, the fault names the largest item. */
export function fit(rendered: Rendered, material: Material, policy: SettledPolicy, measure: Measure): Result<Plan, Fault> {
  const { limit, low } = boundsOf(policy, material.model.window)
  const { factor } = material.model
  let fitting: Fitting = { ...rendered, ladder: [], system: material.system, tools: material.tools }
  // The window shows everything, and there was too much to read: the request counts as too long.
  const isOver = policy.window.showsEverything && isPartlyRead(material)
  const isLow = (items: readonly PlanItem[]): boolean => estimateOf(items, factor) <= low
  const fits = (): boolean => estimateOf(fitting.items, factor) <= limit
  for (const rung of RUNGS) {
    if (!isOver && fits()) break
    fitting = rung(fitting, isLow, measure, material)
  }
  if (!fits()) fitting = listSkills(fitting, isLow, measure, material)
  if (!fits() && fitting.items.some(item => item.required !== undefined))
    fitting = {
      ...fitting,
      items: shortenRequired(fitting.items, limit, factor, measure),
      ladder: [...fitting.ladder, 'required'],
    }
  const { items, left, ladder, system, tools } = fitting
  const estimated = estimateOf(items, factor)
  if (estimated > limit) return err(tooLong(items, estimated, limit, material))
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
    through: throughOf(items, factor),
    outline: items.map(outlined),
    items,
    receipt: {
      through: material.through,
      window: { begins: items.find(item => item.reason === 'recent.window' || item.kind === 'current')?.from ?? null },
      policy: policyLabel(policy),
      model: material.model.name,
      voice: material.voice,
      tokens: {
        estimated,
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

/** An unknown model gets only texts. */
const PLAIN: Abilities = { images: false, files: false, cacheMinimum: 0 }

/** In a running cycle the largest result is what could have been smaller; else it is the largest of all that is sent. */
function tooLong(items: readonly PlanItem[], tokens: number, limit: number, material: Material): Fault {
  const largest = largestResult(material) ?? largestItem(items)
  return fault('too-long', `${tokens} tokens do not fit into ${limit}; ${largest}`)
}

function largestItem(items: readonly PlanItem[]): string {
  const largest = items.reduce((most, item) => (item.tokens > most.tokens ? item : most))
  const name = largest.from === undefined ? (largest.source ?? largest.kind) : `message ${largest.from}`
  return `the largest item is ${name} with ${largest.tokens}`
}

function largestResult({ events, turn }: Material): string | undefined {
  const results = events.filter(event => event.type === 'tool.settled' && event.turn === turn.id)
  const [largest] = results.toSorted((a, b) => b.tokens - a.tokens)
  if (largest?.type !== 'tool.settled') return undefined
  return `the largest result is that of ${largest.tool} (${largest.seq}) with ${largest.tokens}`
}
