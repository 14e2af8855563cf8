/** The part of a request that does not depend on the window: system text, tools, the new message, what the request is about. */
import type { Material, SystemPart, ToolSpec } from '../../model/plan.ts'
import type { Measure } from '../text/tokens.ts'
import { type Beat, givenAsides, isOptional, PER_MESSAGE, weightOf } from './draft.ts'
import { systemItem, toolItems } from './plan-items.ts'

/** System text and tools as they are sent, and what the fixed part costs in tokens as the model counts. */
export type FixedPart = {
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  readonly isListed: boolean
  readonly cost: number
}

/** What system text and tools cost alone, in tokens as the model counts. */
export const houseCost = (
  { system, tools }: Pick<FixedPart, 'system' | 'tools'>,
  { model }: Pick<Material, 'model'>,
  measure: Measure,
): number =>
  [...system.map(part => systemItem(part, measure)), ...toolItems(tools, measure)].reduce(
    (sum, item) => sum + Math.ceil(item.tokens * model.factor),
    0,
  )

/** The part of a request that skills in full may take before they are listed. */
const MOST_OF_LIMIT = 1 / 4

/** Lists the skills where their full text takes too much, or where the fixed part would not fit with it. */
export function fixedPart(material: Material, current: readonly Beat[], limit: number, measure: Measure): FixedPart {
  const { listed, model } = material
  const cost = (tokens: number): number => Math.ceil(tokens * model.factor)
  const heard = current.reduce((sum, beat) => sum + (beat.kind === 'said' ? 0 : cost(weightOf(beat))), 0)
  const required = givenAsides(material).filter(aside => !isOptional(aside))
  const asides = required.reduce((sum, aside) => sum + cost(measure.count(aside.text) + PER_MESSAGE), 0)
  const withEquipment = ({ system, tools }: Pick<FixedPart, 'system' | 'tools'>): number =>
    [...system.map(part => systemItem(part, measure)), ...toolItems(tools, measure)].reduce(
      (sum, item) => sum + cost(item.tokens),
      heard + asides,
    )
  const whole = { system: material.system, tools: material.tools }
  const full = material.system.findIndex(part => part.reason === 'skill.full')
  const wholeCost = withEquipment(whole)
  const skills = material.system[full]
  if (listed === undefined || skills === undefined) return { ...whole, isListed: false, cost: wholeCost }
  const isTooMuch = listed.isAuto === true && cost(measure.count(skills.text)) > limit * MOST_OF_LIMIT
  if (!isTooMuch && wholeCost <= limit) return { ...whole, isListed: false, cost: wholeCost }
  const byName = {
    system: material.system.with(full, { source: 'skills', reason: 'skill.listed', text: listed.text } satisfies SystemPart),
    tools: listed.tools,
  }
  return { ...byName, isListed: true, cost: withEquipment(byName) }
}
