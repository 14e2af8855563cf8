/** What is known about sampling on Claude models, as publicly documented in November 2026. */
import type { Effort, SamplingFacts } from '../../model/sampling.ts'
import { habitOf, versionOf } from './thinking-habits.ts'

const NO_SEED = ['seed'] as const
const NO_SAMPLING = ['temperature', 'topP', 'seed'] as const
/** Models that think always have no `none`, and "xhigh" came with 4.7. */
const EFFORTS_4_6: readonly Effort[] = ['none', 'low', 'medium', 'high']
const EFFORTS_4_7: readonly Effort[] = [...EFFORTS_4_6, 'xhigh']

/** The API has no seed. Models since 4.7 choose their words without a person's help, and older ones do while they think. */
export function anthropicSampling(name: string): SamplingFacts {
  const habit = habitOf(name)
  const stops = { needsStopWords: true } as const
  if (habit !== 'by-budget' && versionOf(name) >= 4.07) {
    const efforts = habit === 'always' ? EFFORTS_4_7.filter(each => each !== 'none') : EFFORTS_4_7
    return { ...stops, never: NO_SAMPLING, efforts }
  }
  return {
    ...stops,
    never: NO_SEED,
    neverThinking: ['temperature', 'topP'],
    highestTemperature: 1,
    ...(versionOf(name) >= 4.01 ? { isEither: true } : {}),
    // A budget of tokens may be as large as one likes.
    ...(habit === 'by-budget' ? {} : { efforts: EFFORTS_4_6 }),
  }
}
