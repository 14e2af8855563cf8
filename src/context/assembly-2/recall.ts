/** Puts references and gathered texts beside the new message, by the second version of the assembly. */
import type { Material } from '../../model/plan.ts'
import { lastRoundAnswers, reference } from '../recall/references.ts'
import { type Aware, givenAsides, leftOut, PER_MESSAGE, type PlacedDraft, type SaidBeat, weightOf } from '../stages/draft.ts'
import { canonical } from '../text/canonical.ts'
import type { Measure } from '../text/tokens.ts'
import type { PolicyBefore } from './assemble.ts'
import { boundsBefore } from './bounds.ts'

export function recallBefore(placed: PlacedDraft, material: Material, policy: PolicyBefore, measure: Measure): Aware {
  const given = givenAsides(material)
  const round = lastRoundAnswers(placed.others, material, policy)
  const quotes =
    round.length === 0 ? undefined : reference(round, roomFor(placed, material, policy, measure), material, measure)?.aside
  const quoted = new Set(round)
  const unheard = placed.others.map(said => leftOut(said, quoted.has(said) ? 'out.budget' : 'out.other-voice'))
  const left = quotes === undefined ? unheard : unheard.filter((_, index) => !quoted.has(placed.others[index] as SaidBeat))
  return { ...placed, asides: quotes === undefined ? given : [quotes, ...given], left: [...placed.left, ...left] }
}

/** What the past leaves free below `high`, measured as the turn began. */
function roomFor(placed: PlacedDraft, material: Material, policy: PolicyBefore, measure: Measure): number {
  if (policy.window.kind !== 'tokens') return Number.POSITIVE_INFINITY
  const { factor } = material.model
  const cost = (tokens: number): number => Math.ceil(tokens * factor)
  const texts = [
    ...material.system.map(part => cost(measure.count(part.text))),
    ...(material.tools.length === 0 ? [] : [cost(measure.count(canonical(material.tools)))]),
    ...givenAsides(material).map(aside => cost(measure.count(aside.text) + PER_MESSAGE)),
    ...(placed.note === null ? [] : [cost(measure.count(placed.note.text) + PER_MESSAGE)]),
  ]
  const caused = placed.current.filter(beat => beat.seq === material.turn.cause)
  const beats = [...placed.head, ...placed.pins, ...placed.past, ...caused].map(beat => cost(weightOf(beat)))
  return boundsBefore(policy, material.model.window).high - [...texts, ...beats].reduce((sum, each) => sum + each, 0)
}
