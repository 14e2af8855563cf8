// Fits the weights of recall's features to questions whose evidence is known, and measures how much evidence they find.
import { FEATURES, type Features, scoreOf, WEIGHTS } from '../src/context/recall/score.ts'

/** A message that might be quoted for a question. */
export type Judged = {
  readonly features: Features
  /** What quoting it costs in tokens. */
  readonly cost: number
  readonly isEvidence: boolean
}

/** A question with everything that might be quoted for it, and how many messages its evidence is made of. */
export type JudgedQuestion = { readonly candidates: readonly Judged[]; readonly evidence: number }

/** Of the other candidates each evidence message is compared with the best ones and with some by chance. */
const BEST_OTHERS = 20
const OTHERS_BY_CHANCE = 30
const STEPS = 600
/** How strongly weights are held near the shipped ones: few questions change them little. */
const HELD = 0.001

/** A comparison: the difference of the features, the difference that the costs make, and how much it counts. */
type Pair = { readonly difference: Float64Array; readonly cheaper: number; readonly weight: number }

/** The weights that put evidence before other candidates: logistic regression on pairs, by plain gradient descent. */
export function fitWeights(questions: readonly JudgedQuestion[], seed: number): Features {
  const pairs = pairsOf(questions, seed)
  const shipped = FEATURES.map(name => WEIGHTS[name])
  const weights = Float64Array.from(shipped)
  const total = pairs.reduce((sum, { weight }) => sum + weight, 0) || 1
  // How fast the slope of each weight may change. All weights together never overshoot by steps of this size.
  const bends = weights.map((_, index) => {
    const squares = pairs.reduce((sum, { difference, weight }) => sum + weight * (difference[index] as number) ** 2, 0)
    return (FEATURES.length * squares) / (4 * total) + HELD
  })
  for (let step = 0; step < STEPS; step++) {
    const slope = Float64Array.from(weights, (weight, index) => HELD * (weight - (shipped[index] ?? 0)))
    for (const { difference, cheaper, weight } of pairs) {
      let margin = cheaper
      for (let index = 0; index < weights.length; index++) margin += (weights[index] as number) * (difference[index] as number)
      const push = weight / (total * (1 + Math.exp(margin)))
      for (let index = 0; index < weights.length; index++)
        slope[index] = (slope[index] as number) - push * (difference[index] as number)
    }
    for (let index = 0; index < weights.length; index++)
      weights[index] = (weights[index] as number) - (slope[index] as number) / (bends[index] as number)
  }
  return Object.fromEntries(FEATURES.map((name, index) => [name, weights[index] ?? 0])) as Features
}

/** The share of the evidence that is quoted within so many tokens, on average over the questions. */
export function recallWithin(questions: readonly JudgedQuestion[], weights: Features, tokens: number): number {
  const asked = questions.filter(({ evidence }) => evidence > 0)
  const shares = asked.map(({ candidates, evidence }) => {
    let left = tokens
    let found = 0
    for (const { cost, isEvidence } of inOrderOfValue(candidates, weights)) {
      if (cost > left) continue
      left -= cost
      if (isEvidence) found++
    }
    return found / evidence
  })
  return shares.reduce((sum, each) => sum + each, 0) / Math.max(1, shares.length)
}

function inOrderOfValue(candidates: readonly Judged[], weights: Features): readonly Judged[] {
  return candidates
    .map(candidate => ({ candidate, value: scoreOf(candidate.features, weights) - Math.log(candidate.cost) }))
    .sort((a, b) => b.value - a.value)
    .map(({ candidate }) => candidate)
}

/** Every question counts the same, however many messages its evidence is made of. */
function pairsOf(questions: readonly JudgedQuestion[], seed: number): readonly Pair[] {
  const random = randomFrom(seed)
  return questions.flatMap(({ candidates }) => {
    const evidence = candidates.filter(({ isEvidence }) => isEvidence)
    const others = inOrderOfValue(
      candidates.filter(({ isEvidence }) => !isEvidence),
      WEIGHTS,
    )
    return evidence.flatMap(own => {
      const best = others.slice(0, BEST_OTHERS)
      const rest = others.slice(BEST_OTHERS)
      const byChance = Array.from(
        { length: Math.min(rest.length, OTHERS_BY_CHANCE) },
        () => rest[Math.floor(random() * rest.length)] as Judged,
      )
      const compared = [...best, ...byChance]
      return compared.map(other => ({
        difference: Float64Array.from(FEATURES, name => own.features[name] - other.features[name]),
        cheaper: Math.log(other.cost) - Math.log(own.cost),
        weight: 1 / (evidence.length * compared.length),
      }))
    })
  })
}

/** The same numbers for the same seed, between 0 and 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
