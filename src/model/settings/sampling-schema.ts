/** The schema of sampling, for files, requests and answers. */
import { z } from 'zod'
import { EFFORTS, type Sampling, type SamplingPatch } from '../sampling.ts'

const MOST_STOPS = 4

const shape = {
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1),
  seed: z.int(),
  stop: z.array(z.string().min(1, 'must not be empty').max(200)).min(1).max(MOST_STOPS),
  effort: z.enum(EFFORTS),
}

export const samplingSchema: z.ZodType<Sampling, Sampling> = z.strictObject({
  temperature: shape.temperature.exactOptional(),
  topP: shape.topP.exactOptional(),
  seed: shape.seed.exactOptional(),
  stop: shape.stop.exactOptional(),
  effort: shape.effort.exactOptional(),
})

/** A change of sampling: null takes a setting away. */
export const samplingPatchSchema: z.ZodType<SamplingPatch, SamplingPatch> = z.strictObject({
  temperature: shape.temperature.nullable().exactOptional(),
  topP: shape.topP.nullable().exactOptional(),
  seed: shape.seed.nullable().exactOptional(),
  stop: shape.stop.nullable().exactOptional(),
  effort: shape.effort.nullable().exactOptional(),
})

/** The most tokens that a reply may have. */
export const maxTokensSchema: z.ZodType<number, number> = z.int().min(1)
