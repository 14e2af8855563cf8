/** Reads the body of a chat completion. */
import { z } from 'zod'
import type { StatelessRequest } from '../../engine.ts'
import { EFFORTS, type Sampling } from '../../model/sampling.ts'
import { statelessMessages } from './messages.ts'
import { refusals } from './parameters.ts'

/** What a client asks for, as far as this door honours it. */
export type CompletionRequest = StatelessRequest & {
  readonly stream: boolean
  readonly includesUsage: boolean
  /** The session that it is said in; without one nothing is kept. */
  readonly session?: string
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/

const tool = z
  .object({
    type: z.literal('function', { error: 'only tools of the type "function" can be passed on' }),
    function: z.object({
      name: z.string().regex(NAME, 'must be 1 to 64 letters, digits, _ or -'),
      description: z.string().nullish(),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    }),
  })
  .transform(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
  }))

const tools = z
  .array(tool)
  .max(128)
  .refine(list => new Set(list.map(({ name }) => name)).size === list.length, 'two of them have one name')

const limit = z.int().min(1).nullish()

const metadata = z.object({ session: z.string().exactOptional() }).nullish()

/** A chat completion as clients ask for it; keys that are not here are harmless, or refused by name. */
export const chatCompletion: z.ZodType<CompletionRequest> = z
  .looseObject({
    model: z.string().min(1),
    messages: statelessMessages,
    stream: z.boolean().nullish(),
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    tools: tools.nullish(),
    tool_choice: z.enum(['auto', 'none'], { error: 'only "auto" and "none" are understood here' }).nullish(),
    max_tokens: limit,
    max_completion_tokens: limit,
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    seed: z.int().nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
    reasoning_effort: z.enum([...EFFORTS, 'max']).nullish(),
    metadata,
  })
  .superRefine(refusals)
  .transform(({ model, messages, stream, stream_options, tools: own, tool_choice, metadata: about, ...rest }) => {
    const maxTokens = rest.max_completion_tokens ?? rest.max_tokens
    const sampling = samplingIn(rest)
    return {
      model,
      messages,
      stream: stream === true,
      includesUsage: stream_options?.include_usage === true,
      ...(own === null || own === undefined || own.length === 0 ? {} : { tools: tool_choice === 'none' ? [] : own }),
      ...(maxTokens === null || maxTokens === undefined ? {} : { maxTokens }),
      ...(Object.keys(sampling).length === 0 ? {} : { sampling }),
      ...(about?.session === undefined ? {} : { session: about.session }),
    }
  })

type Sampled = {
  readonly temperature?: number | null | undefined
  readonly top_p?: number | null | undefined
  readonly seed?: number | null | undefined
  readonly stop?: string | readonly string[] | null | undefined
  readonly reasoning_effort?: NonNullable<Sampling['effort']> | 'max' | null | undefined
}

/** Sampling under our own names. Empty stop sequences ask for nothing, and our highest effort is the most a model has. */
function samplingIn({ temperature, top_p, seed, stop, reasoning_effort: effort }: Sampled): Sampling {
  const stops = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter(each => each !== '')
  return {
    ...(temperature === null || temperature === undefined ? {} : { temperature }),
    ...(top_p === null || top_p === undefined ? {} : { topP: top_p }),
    ...(seed === null || seed === undefined ? {} : { seed }),
    ...(stops.length === 0 ? {} : { stop: stops }),
    ...(effort === null || effort === undefined ? {} : { effort: effort === 'max' ? 'xhigh' : effort }),
  }
}
