// Understands the keys of Port 42's own agents.json.
import { z } from 'zod'
import type { Sampling } from '../../model/sampling.ts'

/** A model of Port 42's list, which agents name by its key. */
type ListedModel = { readonly id: string; readonly name?: string; readonly temperature?: number; readonly rate_limit?: unknown }

/** The keys of the file that only Port 42 has. */
export type Port42Keys = {
  readonly models?: Readonly<Record<string, ListedModel>>
  readonly default_model?: string
  readonly model_config?: { readonly default?: string; readonly temperature?: number; readonly [other: string]: unknown }
}

const temperature = z.number().min(0).max(2)

/** Only `default` and `temperature` of `model_config` mean something here. */
export const port42Shape: {
  readonly models: z.ZodExactOptional<z.ZodType<Readonly<Record<string, ListedModel>>>>
  readonly default_model: z.ZodExactOptional<z.ZodString>
  readonly model_config: z.ZodExactOptional<z.ZodType<NonNullable<Port42Keys['model_config']>>>
} = {
  models: z
    .record(
      z.string(),
      z.strictObject({
        id: z.string().min(1),
        name: z.string().exactOptional(),
        temperature: temperature.exactOptional(),
        rate_limit: z.unknown().exactOptional(),
      }),
    )
    .exactOptional(),
  default_model: z.string().exactOptional(),
  model_config: z.looseObject({ default: z.string().exactOptional(), temperature: temperature.exactOptional() }).exactOptional(),
}

/** Port 42's own temperature of an agent. */
export const temperatureOverride: z.ZodExactOptional<z.ZodNullable<z.ZodNumber>> = temperature.nullable().exactOptional()

/** What an agent of such a file says, and what Port 42 adds to that. */
type FromPort42 = { readonly model?: string; readonly sampling?: Sampling; readonly temperature_override?: number | null }

/** The name of a model as we write it. Port 42 names models by a key of its list or, since it knows only Claude, by Anthropic's name. */
export function modelNamed(name: string, { models = {} }: Port42Keys): string {
  const id = Object.hasOwn(models, name) ? (models[name]?.id ?? name) : name
  return /^claude-/.test(id) ? `anthropic/${id}` : id
}

/** The path and the name of the model of agents that name none. */
export function defaultModel(keys: Port42Keys): { readonly place: string; readonly model: string } | undefined {
  const { default_model: newer, model_config: older } = keys
  if (newer !== undefined) return { place: 'default_model', model: modelNamed(newer, keys) }
  return older?.default === undefined ? undefined : { place: 'model_config.default', model: modelNamed(older.default, keys) }
}

/** The temperature that Port 42 would ask an agent's model with; what our own keys say comes before it. */
export function port42Temperature(agent: FromPort42, keys: Port42Keys): number | undefined {
  const { models = {}, default_model, model_config } = keys
  const listed = agent.model ?? default_model
  const own = listed !== undefined && Object.hasOwn(models, listed) ? models[listed]?.temperature : undefined
  return agent.temperature_override ?? own ?? model_config?.temperature
}

/** The paths of keys that Port 42 has and that mean nothing here. */
export function passedOver({ models = {}, model_config = {} }: Port42Keys, guidance: unknown): readonly string[] {
  const isListed = (key: keyof ListedModel): boolean => Object.values(models).some(model => model[key] !== undefined)
  const { default: _, temperature: __, ...others } = model_config
  const hasArtifacts = typeof guidance === 'object' && guidance !== null && 'artifact_guidance' in guidance
  return [
    ...(isListed('name') ? ['models.*.name'] : []),
    ...(isListed('rate_limit') ? ['models.*.rate_limit'] : []),
    ...(hasArtifacts ? ['base_guidance.artifact_guidance'] : []),
    ...Object.keys(others).map(key => `model_config.${key}`),
  ]
}
