/** Stage 5, recall: puts references and gathered texts beside the new message. */
import type { Material } from '../../model/plan.ts'
import { lastRoundAnswers, reference, roomFor } from '../recall/references.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import { type Aware, givenAsides, leftOut, type PlacedDraft, type SaidBeat } from './draft.ts'

/** Puts beside the new message what was gathered for it, and what the other voices said in the last round. */
export function recall(placed: PlacedDraft, material: Material, policy: SettledPolicy, measure: Measure): Aware {
  const given = givenAsides(material)
  const round = lastRoundAnswers(placed.others, material, policy)
  const quotes = round.length === 0 ? undefined : reference(round, roomFor(placed, material, policy, measure), material, measure)
  const quoted = new Set(round)
  const unheard = placed.others.map(said => leftOut(said, quoted.has(said) ? 'out.budget' : 'out.other-voice'))
  const left = quotes === undefined ? unheard : unheard.filter((_, index) => !quoted.has(placed.others[index] as SaidBeat))
  return { ...placed, asides: quotes === undefined ? given : [quotes, ...given], left: [...placed.left, ...left] }
}
