// Turns sampling and the reply limit into form fields and back.
import type { MessageSettings, ReplySettings, Sampling } from '../../../src/model/sampling.ts'

/** Every field is there, and empty if nothing is set. Numbers are as they are written. */
export type SamplingForm = {
  readonly temperature: string
  readonly topP: string
  readonly seed: string
  /** One text on each line. */
  readonly stop: string
  readonly effort: string
  readonly maxTokens: string
}

export const samplingForm = ({ sampling, maxTokens }: Pick<ReplySettings, 'sampling' | 'maxTokens'>): SamplingForm => ({
  temperature: written(sampling?.temperature),
  topP: written(sampling?.topP),
  seed: written(sampling?.seed),
  stop: (sampling?.stop ?? []).join('\n'),
  effort: sampling?.effort ?? '',
  maxTokens: written(maxTokens),
})

/** What is empty is left out. What is not a number is sent as it is written, for the gateway to say so. */
export function settingsFromForm({ temperature, topP, seed, stop, effort, maxTokens }: SamplingForm): MessageSettings {
  const numbers = { temperature, topP, seed }
  const stops = stop.split('\n').filter(line => line !== '')
  const sampling = {
    ...Object.fromEntries(Object.entries(numbers).flatMap(([key, text]) => (text.trim() === '' ? [] : [[key, numberIn(text)]]))),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(effort === '' ? {} : { effort }),
  } as Sampling
  return {
    ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
    ...(maxTokens.trim() === '' ? {} : { maxTokens: numberIn(maxTokens) }),
  }
}

export const SAMPLING_PATHS: readonly string[] = [
  ...['sampling.temperature', 'sampling.topP', 'sampling.seed', 'sampling.stop', 'sampling.effort', 'maxTokens'],
]

const written = (value: number | null | undefined): string => (typeof value === 'number' ? String(value) : '')

const numberIn = (text: string): number => {
  const number = Number(text.trim())
  return Number.isNaN(number) ? (text as unknown as number) : number
}
