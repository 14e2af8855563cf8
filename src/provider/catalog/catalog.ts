/** Reads a model's name: its provider, its wire, and its facts. */
import { type Fault, fault } from '../../model/fault.ts'
import { COMPATIBLE, readModelName } from '../../model/model-name.ts'
import type { ModelFacts, ModelSetting, Wire } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ProviderDescriptor } from '../descriptor.ts'
import { isHosted, PROVIDERS } from '../providers.ts'
import { textProtocol } from '../text-protocol/encode.ts'
import { knownIn } from './known-in.ts'

export type CatalogEntry = {
  readonly name: string
  /** The name under `providers` in the settings. */
  readonly provider: string
  readonly descriptor: ProviderDescriptor
  readonly facts: ModelFacts
}

/** What a workspace adds to the publicly known models. */
export type CatalogSetting = {
  readonly models: Readonly<Record<string, ModelSetting>>
  /** Names of OpenAI-compatible servers. */
  readonly servers: readonly string[]
  /** The providers to use instead of those of this package. */
  readonly providers?: readonly ProviderDescriptor[]
}

export const NOTHING_SET: CatalogSetting = { models: {}, servers: [] }

/** Every wire of these providers, in every version, for rebuilding old requests; each also with the text protocol. */
export const wiresOf = (providers: readonly ProviderDescriptor[]): readonly Wire[] =>
  [...new Set(providers.flatMap(({ wire, earlierWires = [] }) => [wire, ...earlierWires]))].flatMap(wire => [
    wire,
    textProtocol(wire),
  ])

/** What we assume of an unknown model until its settings or its server say otherwise. Its provider refuses what it cannot do. */
const UNKNOWN: ModelFacts = { window: 128_000, images: true, files: false, thinking: true, tools: true }

/** The entry for a name of the form `provider/model`, or a fault that says why there is none. */
export function catalogued(name: string, setting: CatalogSetting = NOTHING_SET): Result<CatalogEntry, Fault> {
  const { models, servers, providers = PROVIDERS } = setting
  const { kind, provider, model } = readModelName(name)
  const descriptor = providers.find(each => each.name === kind)
  const isWhole = descriptor?.inProcess === undefined ? model !== '' : name === kind
  if (descriptor === undefined || !isWhole) return err(fault('invalid', strange(name, kind, servers, providers)))
  if (kind === COMPATIBLE && !servers.includes(provider)) return err(fault('invalid', unknownServer(name, provider, servers)))
  const own = Object.hasOwn(models, name) ? models[name] : undefined
  const sampling = descriptor.samplingOf?.(name)
  const facts = {
    ...{ ...UNKNOWN, ...descriptor.assumes, ...knownOf(descriptor, name), ...own },
    ...(sampling === undefined ? {} : { sampling }),
  }
  return ok({ name, provider, descriptor, facts })
}

/** The publicly known facts of a model, by its full name. */
export function knownFacts(name: string, providers: readonly ProviderDescriptor[] = PROVIDERS): ModelFacts | undefined {
  const descriptor = providers.find(each => each.name === readModelName(name).kind)
  return descriptor === undefined ? undefined : knownOf(descriptor, name)
}

const knownOf = ({ models = {}, factsOf }: ProviderDescriptor, name: string): ModelFacts | undefined =>
  knownIn(models, name) ?? factsOf?.(name)

function strange(name: string, kind: string, servers: readonly string[], providers: readonly ProviderDescriptor[]): string {
  if (servers.includes(kind)) return `"${name}" is written "${COMPATIBLE}/${name}"`
  const forms = [
    ...providers.filter(isHosted).map(each => `${each.name}/<model>`),
    ...servers.map(each => `${COMPATIBLE}/${each}/<model>`),
  ]
  return `"${name}" is not a model; write "demo" or provider/model: ${forms.join(', ')}`
}

const unknownServer = (name: string, provider: string, servers: readonly string[]): string =>
  `"${name}" needs a server: ${
    servers.length === 0 ? 'there is none' : `there is only ${servers.join(', ')}`
  }; add "providers": { "${provider || 'name'}": { "baseURL": "http://…/v1" } }`
