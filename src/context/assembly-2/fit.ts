/** Keeps a request within its budget and writes its receipt, by the second version of the assembly. */
import { type Fault, fault } from '../../model/fault.ts'
import type { Material, Plan, PlanItem } from '../../model/plan.ts'
import { err, type Result } from '../../model/result.ts'
import { estimateOf } from '../receipt/lines.ts'
import { isPartlyRead } from '../stages/draft.ts'
import { makePlan } from '../stages/make-plan.ts'
import type { Rendered } from '../stages/render.ts'
import { shortenRequired } from '../stages/required.ts'
import type { Measure } from '../text/tokens.ts'
import type { PolicyBefore } from './assemble.ts'
import { boundsBefore } from './bounds.ts'
import { type FittingBefore, listSkillsBefore, RUNGS_BEFORE } from './ladder.ts'

/** Keeps the plan within its budget. Items give way rung by rung; if that is not enough, the fault names the largest item. */
export function fitBefore(rendered: Rendered, material: Material, policy: PolicyBefore, measure: Measure): Result<Plan, Fault> {
  const { limit, low } = boundsBefore(policy, material.model.window)
  const { factor } = material.model
  let fitting: FittingBefore = { ...rendered, ladder: [], system: material.system, tools: material.tools }
  // The window shows everything, and there was too much to read: the request counts as too long.
  const isOver = policy.window.kind === 'all' && isPartlyRead(material)
  const isLow = (items: readonly PlanItem[]): boolean => estimateOf(items, factor) <= low
  const fits = (): boolean => estimateOf(fitting.items, factor) <= limit
  for (const rung of RUNGS_BEFORE) {
    if (!isOver && fits()) break
    fitting = rung(fitting, isLow, measure, material)
  }
  if (!fits()) fitting = listSkillsBefore(fitting, isLow, measure, material)
  if (!fits() && fitting.items.some(item => item.required !== undefined))
    fitting = {
      ...fitting,
      items: shortenRequired(fitting.items, limit, factor, measure),
      ladder: [...fitting.ladder, 'required'],
    }
  const { items, left, ladder, system, tools } = fitting
  const estimated = estimateOf(items, factor)
  if (estimated > limit) return err(tooLong(items, estimated, limit, material))
  const window = { begins: items.find(item => item.reason === 'recent.window' || item.kind === 'current')?.from ?? null }
  return makePlan({ items, left, system, tools, limit, ladder, window }, material, policy, measure)
}

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
