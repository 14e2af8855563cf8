/** Sampling: how a model chooses its words and how hard it thinks, as agents, sessions and requests set it. */

/** How hard a model may think, from not at all to as hard as it can. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

export type Effort = (typeof EFFORTS)[number]

export type Sampling = {
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  /** The reply ends before the first of these. */
  readonly stop?: readonly string[]
  readonly effort?: Effort
}

export type SamplingKey = keyof Sampling

export const SAMPLING_KEYS: readonly SamplingKey[] = ['temperature', 'topP', 'seed', 'stop', 'effort']

/** A change of sampling: what is not named stays, and null takes a setting away. */
export type SamplingPatch = { readonly [Key in SamplingKey]?: Sampling[Key] | null }

/** What one level says about a reply: an agent, a session, or one message. */
export type ReplySettings = {
  readonly sampling?: Sampling | null
  readonly thinking?: boolean | null
  /** The most tokens the reply may have, besides what it thinks with. */
  readonly maxTokens?: number | null
}

/** What a message may ask for its own answer. */
export type MessageSettings = { readonly sampling?: Sampling; readonly maxTokens?: number }

/** The sampling of one turn. */
export type TurnSampling = {
  /** What applies, by the most specific level that says so. */
  readonly given: Sampling
  /** What the model gets of it: with an effort that it has, and without what it never takes. */
  readonly sent: Sampling
}

/** What is known of a model about sampling. What is not known is sent as it is given. */
export type SamplingFacts = {
  /** What it never takes. */
  readonly never?: readonly SamplingKey[]
  /** What it does not take while it thinks. */
  readonly neverThinking?: readonly SamplingKey[]
  /** True if it takes a temperature or topP, not both. */
  readonly isEither?: true
  readonly highestTemperature?: number
  /** True if it refuses stop sequences of white space alone. */
  readonly needsStopWords?: true
  /** The efforts it has, least first. */
  readonly efforts?: readonly Effort[]
}

/** What a model can do, as far as sampling depends on it. */
export type SampledModel = { readonly thinking: boolean; readonly sampling?: SamplingFacts }

/** Why a model does not take a setting. */
export type SamplingRefusal = { readonly key: SamplingKey; readonly why: string }

/** What several levels say together; the first one that sets a key counts. */
export function mergeSampling(...levels: readonly (Sampling | null | undefined)[]): Sampling | undefined {
  const merged: Sampling = Object.assign({}, ...levels.toReversed().map(level => level ?? {}))
  return isEmptySampling(merged) ? undefined : merged
}

/** Sampling after a change; null if nothing is left. */
export function patchedSampling(sampling: Sampling, patch: SamplingPatch): Sampling | null {
  const kept = Object.entries({ ...sampling, ...patch }).filter(([, value]) => value !== null)
  return kept.length === 0 ? null : (Object.fromEntries(kept) as Sampling)
}

export const isEmptySampling = (sampling: Sampling): boolean => Object.keys(sampling).length === 0

/**
 * Whether the model is to think. The first level that says anything about it counts: an effort other than `none` asks for
 * thinking, also beside `thinking: false`.
 */
export function wantsThinking(...levels: readonly ReplySettings[]): boolean {
  for (const { sampling, thinking } of levels) {
    if (sampling?.effort !== undefined) return sampling.effort !== 'none'
    if (typeof thinking === 'boolean') return thinking
  }
  return false
}

/** What applies to a turn, by the most specific level first. A level that only turns thinking on or off overrides later efforts. */
export function samplingOf(...levels: readonly ReplySettings[]): Sampling | undefined {
  const merged = mergeSampling(...levels.map(({ sampling }) => sampling))
  if (merged?.effort === undefined) return merged
  const isThinking = wantsThinking(...levels)
  if (isThinking === (merged.effort !== 'none')) return merged
  const { effort: _, ...rest } = merged
  return isEmptySampling(rest) ? undefined : rest
}

/** The first setting that a model is known not to take. `whole` is all that applies, of which `sampling` is the part to judge. */
export function refusedSampling(
  sampling: Sampling,
  { thinking, sampling: facts = {} }: SampledModel,
  whole: Sampling = sampling,
  isThinking: boolean = wantsThinking({ sampling: whole }),
): SamplingRefusal | undefined {
  const { never = [], neverThinking = [], isEither, highestTemperature, needsStopWords } = facts
  const given = SAMPLING_KEYS.filter(key => sampling[key] !== undefined && !isNeutral(key, sampling))
  const refused = given.find(key => never.includes(key) && !(key === 'effort' && sampling.effort === 'none'))
  if (refused !== undefined) return { key: refused, why: 'takes none' }
  if (sampling.effort !== undefined && sampling.effort !== 'none' && !thinking) return { key: 'effort', why: 'cannot think' }
  const thoughtless = isThinking && thinking ? given.find(key => neverThinking.includes(key)) : undefined
  if (thoughtless !== undefined) return { key: thoughtless, why: 'takes none while it thinks' }
  if (isEither === true && whole.temperature !== undefined && whole.topP !== undefined && sampling.topP !== undefined)
    return { key: 'topP', why: 'takes a temperature or topP, not both' }
  const { temperature, stop = [] } = sampling
  if (temperature !== undefined && highestTemperature !== undefined && temperature > highestTemperature)
    return { key: 'temperature', why: `takes at most ${highestTemperature}` }
  if (needsStopWords === true && stop.some(each => each.trim() === ''))
    return { key: 'stop', why: 'takes no stop sequence of white space alone' }
  return undefined
}

/** Every model does what these values say, also one that takes no others. */
const isNeutral = (key: SamplingKey, sampling: Sampling): boolean =>
  (key === 'temperature' || key === 'topP') && sampling[key] === 1

/** What a model gets of the settings that apply: nothing that it is known not to take, and an effort that it has. */
export function sentSampling(given: Sampling, model: SampledModel, isThinking: boolean): Sampling {
  const { never = [], neverThinking = [] } = model.sampling ?? {}
  const untaken = isThinking ? [...never, ...neverThinking] : never
  const kept = Object.entries(given).filter(([key]) => !untaken.some(each => each === key && isNeutral(each, given)))
  let sent: Sampling = Object.fromEntries(kept)
  for (;;) {
    const refused = refusedSampling(sent, model, sent, isThinking)
    if (refused === undefined) break
    const { [refused.key]: _, ...rest } = sent
    sent = rest
  }
  if (sent.effort === undefined) return sent
  const { effort, ...rest } = sent
  const nearest = nearestEffort(effort, model)
  return nearest === undefined ? rest : { ...rest, effort: nearest }
}

/** The nearest effort that a model has; of two, the lower one. One that thinks stays one that thinks, where the model has any. */
export function nearestEffort(
  effort: Effort,
  { thinking, sampling: { efforts = EFFORTS } = {} }: SampledModel,
): Effort | undefined {
  // Nothing has to be said to a model that cannot think.
  if (!thinking) return undefined
  const thinkers = efforts.filter(each => each !== 'none')
  const among = effort === 'none' || thinkers.length === 0 ? efforts : thinkers
  const distance = (each: Effort): number => Math.abs(EFFORTS.indexOf(each) - EFFORTS.indexOf(effort))
  return among.reduce<Effort | undefined>(
    (best, each) => (best === undefined || distance(each) < distance(best) ? each : best),
    undefined,
  )
}

/** What a plan says about sampling. A model that must not think beside tools is told so where it has some. */
export function planSampling(
  { sampling, model }: { readonly sampling?: TurnSampling; readonly model: { readonly abilities?: ThinkingAbility } },
  hasTools: boolean,
): { readonly sampling?: Sampling } {
  if (sampling === undefined) return {}
  const { sent } = sampling
  const mustNotThink = model.abilities?.thinkingWithTools === false && hasTools
  return { sampling: sent.effort !== undefined && mustNotThink ? { ...sent, effort: 'none' } : sent }
}

type ThinkingAbility = { readonly thinkingWithTools?: false }
