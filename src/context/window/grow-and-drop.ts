import type { Material } from '../../model/plan.ts'
import { boundsOf } from '../bounds.ts'
import { PER_MESSAGE, weightOf } from '../stages/draft.ts'
import { givenAsides } from '../stages/recall.ts'
import type { Choosing, Unit } from '../stages/window.ts'
import { canonical } from '../text/canonical.ts'

/** What a note costs, with room for its number. */
const NOTE_TOKENS = 16

/**
 * Where a window that grows begins: where it began last time, until the whole request would have more than `high` tokens;
 * then as many whole turns are dropped from the front as bring it down to `low`. After the first step of a turn it stays.
 * Where no request says where it began and not everything was read, there is more than `high` already.
 */
export function grown(units: readonly Unit[], choosing: Choosing): number {
  const { material, policy, isPinned } = choosing
  const { high, low } = boundsOf(policy, material.model.window)
  const start = material.begins === null ? 0 : firstFrom(units, material.begins)
  if (material.turn.step > 1) return start

  const cost = (tokens: number): number => Math.ceil(tokens * material.model.factor)
  const costs = units.map(unit => unit.beats.reduce((sum, beat) => sum + cost(weightOf(beat)), 0))
  const fixed = fixedCost(choosing, cost)
  const suffix = runningSums(costs.toReversed())
  const fromHere = (index: number): number => suffix[units.length - index - 1] ?? 0
  const pinned = runningSums(units.map((unit, index) => (isPinned(unit) ? (costs[index] ?? 0) : 0)))
  const pinnedBefore = (index: number): number => pinned[index - 1] ?? 0
  const total = (index: number): number => fixed + fromHere(index) + pinnedBefore(index)

  const isOver = isPartlyRead(material) || total(start) > high
  if (!isOver || total(start) <= low) return start
  for (let index = start + 1; index < units.length; index += 1) if (beginsTurn(units, index) && total(index) <= low) return index
  return units.length
}

/** A past too long to be read whole, which nobody has cut yet. */
export const isPartlyRead = ({ begins, gaps, degraded, turn }: Material): boolean =>
  begins === null && gaps.length > 0 && degraded === null && turn.step === 1

/** Everything in a request that is not the past; what others said takes what room is left, and costs nobody a memory. */
function fixedCost({ current, material, measure }: Choosing, cost: (tokens: number) => number): number {
  const system = material.system.reduce((sum, part) => sum + cost(measure.count(part.text)), 0)
  const tools = material.tools.length === 0 ? 0 : cost(measure.count(canonical(material.tools)))
  const asides = givenAsides(material).reduce((sum, aside) => sum + cost(measure.count(aside.text) + PER_MESSAGE), 0)
  return system + tools + asides + current.reduce((sum, beat) => sum + cost(weightOf(beat)), 0) + cost(NOTE_TOKENS)
}

const firstFrom = (units: readonly Unit[], seq: number): number => {
  const index = units.findIndex(unit => (unit.beats[0]?.seq ?? 0) >= seq)
  return index === -1 ? units.length : index
}

/** A turn begins where a person speaks after a voice did. */
function beginsTurn(units: readonly Unit[], index: number): boolean {
  return units[index]?.beats[0]?.kind === 'heard' && units[index - 1]?.beats[0]?.kind !== 'heard'
}

function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0
  return values.map(value => {
    sum += value
    return sum
  })
}
