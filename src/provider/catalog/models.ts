/** The models there are to choose from, and the client that reaches each of them. */
import { type Fault, fault } from '../../model/fault.ts'
import { COMPATIBLE, readModelName } from '../../model/model-name.ts'
import type { ModelFacts, ModelSetting, Provider, ProviderSetting, Wire } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ModelServer, ModelServerKind, ProviderDescriptor } from '../descriptor.ts'
import { isHosted, PROVIDERS } from '../providers.ts'
import { createClient } from '../transport/client.ts'
import { type CatalogEntry, type CatalogSetting, catalogued, knownFacts } from './catalog.ts'
import type { FoundFacts, ProviderCheck } from './model-list.ts'

/** A model: its wire, its limits, and the provider that carries a request to it. */
export type Model = {
  readonly name: string
  readonly window: number
  readonly facts: ModelFacts
  readonly wire: Wire
  readonly provider: Provider
}

/** A model as people choose it. */
export type Listed = ModelFacts & {
  readonly name: string
  /** The name under `providers` in the settings. */
  readonly provider: string
  /** True if it can be asked now. */
  readonly ready: boolean
  /** What it needs before it can be asked: a variable to set, or a server to run. */
  readonly needs?: string
}

/** A service, and whether it can be reached now. */
export type ListedProvider = {
  readonly name: string
  readonly baseURL: string
  readonly hasKey: boolean
  /** The variable with its key. It is undefined if the service needs no key. */
  readonly keyName?: string
  /** Only for servers that are asked which models they have. */
  readonly isRunning?: boolean
  /** What the service needs before it can be asked, and what to do about a server that does not run. */
  readonly needs?: string
  readonly remedy?: string
}

export type ModelCatalog = {
  readonly named: (name: string) => Result<Model, Fault>
  /** Before a model is used: lets its server say what it is, if there is one to ask that has not said it. */
  readonly learn: (name: string) => Promise<void>
  /** Models to choose from: publicly known ones, those that settings or the caller name, and those that run on this machine. */
  readonly list: (also?: readonly string[]) => Promise<readonly Listed[]>
  readonly providers: () => Promise<readonly ListedProvider[]>
  /** Why a model cannot be asked before something is set, or undefined. */
  readonly whyNotReady: (name: string) => string | undefined
  /** True if a model's server must be asked what the model can do; `list` asks it. */
  readonly asksServer: (name: string) => boolean
  readonly close: () => void
}

export type ModelsSetting = {
  /** Answers as `demo` instead of the built-in script. */
  readonly demo?: Provider
  /** The kinds of providers to use instead of those of this package. */
  readonly descriptors?: readonly ProviderDescriptor[]
  /** Asked again whenever it matters, so that a provider that was just connected can be used. */
  readonly now: () => ReachableProviders
}

/** How providers are reached, what the settings say of models, and what the providers themselves said. */
export type ReachableProviders = {
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly models: Readonly<Record<string, ModelSetting>>
  readonly checked?: ((provider: string) => ProviderCheck | undefined) | undefined
  readonly check?: ((provider: string) => Promise<void>) | undefined
}

type OpenServer = ModelServerKind & { readonly server: ModelServer }

/** Joins the facts of models with the ways to reach them. A client is made when it is first needed. */
export function createModels({ demo, descriptors = PROVIDERS, now: read }: ModelsSetting): ModelCatalog {
  // A list of models asks for the settings of each, and they are read from files.
  let held: ReachableProviders | undefined
  const now = (): ReachableProviders => held ?? read()
  const holding = <T>(work: () => T): T => {
    const { checked, ...rest } = read()
    const known = new Map<string, ProviderCheck | undefined>()
    held = {
      ...rest,
      checked: provider => {
        if (!known.has(provider)) known.set(provider, checked?.(provider))
        return known.get(provider)
      },
    }
    try {
      return work()
    } finally {
      held = undefined
    }
  }
  const serversOf = (providers: ReachableProviders['providers']): readonly string[] =>
    Object.keys(providers).filter(name => !descriptors.some(each => each.name === name))
  const catalogNow = (): CatalogSetting => {
    const { models, providers } = now()
    return { models, servers: serversOf(providers), providers: descriptors }
  }
  const clients = new Map<string, { readonly client: Provider; readonly of: string }>()
  /** Clients whose settings changed. They may still be answering. */
  const replaced = new Set<Provider>()
  const descriptorOf = (provider: string): ProviderDescriptor | undefined => descriptors.find(({ name }) => name === provider)
  const settingOf = (provider: string): ProviderSetting => {
    const keyName = descriptorOf(provider)?.keyVariable
    const { providers } = now()
    return { ...(keyName === undefined ? {} : { keyName }), ...(Object.hasOwn(providers, provider) ? providers[provider] : {}) }
  }
  const newClient = (name: string, descriptor: ProviderDescriptor, own: ProviderSetting): Provider =>
    // If the settings say where the key is, the server needs one.
    descriptor.inProcess?.() ?? createClient({ name, descriptor, setting: own, needsKey: own.keyName !== undefined })
  const clientOf = (name: string, descriptor: ProviderDescriptor): Provider => {
    if (name === 'demo' && demo !== undefined) return demo
    const own = settingOf(name)
    const of = JSON.stringify(own)
    const kept = clients.get(name)
    if (kept?.of === of) return kept.client
    if (kept !== undefined) replaced.add(kept.client)
    const client = newClient(name, descriptor, own)
    clients.set(name, { client, of })
    return client
  }
  const missingKey = (provider: string): string | undefined => {
    const { apiKey, keyName } = settingOf(provider)
    return apiKey === undefined ? keyName : undefined
  }
  const opened = new Map<string, { readonly server: ModelServer; readonly of: string }>()
  const serverOf = (name: string): OpenServer | undefined => {
    const kind = descriptorOf(name)?.modelServer
    if (kind === undefined) return undefined
    const own = settingOf(name)
    const of = JSON.stringify(own)
    const kept = opened.get(name)
    const server = kept?.of === of ? kept.server : kind.open(own)
    opened.set(name, { server, of })
    return { ...kind, server }
  }
  const modelServers = (): readonly (readonly [string, OpenServer])[] =>
    descriptors.flatMap(({ name }) => {
      const server = serverOf(name)
      return server === undefined ? [] : [[name, server] as const]
    })
  /** What a server says of its model overrides what we assume, and the settings override both. */
  const entryOf = (name: string): Result<CatalogEntry, Fault> => {
    const { provider, model } = readModelName(name)
    const setting = catalogNow()
    const said = serverOf(provider)?.server.saidOf(model) ?? foundOf(name)
    if (said === undefined) return catalogued(name, setting)
    const own = Object.hasOwn(setting.models, name) ? setting.models[name] : undefined
    return catalogued(name, { ...setting, models: { [name]: { ...said, ...own } } })
  }
  /** What a provider's own list says of a model that is not publicly known. */
  const foundOf = (name: string): FoundFacts | undefined => {
    const { provider, model } = readModelName(name)
    return knownFacts(name, descriptors) === undefined ? now().checked?.(provider)?.models.get(model) : undefined
  }
  /** Why a provider that was asked cannot be used, in its own words. */
  const refusedBy = (provider: string): string | undefined => {
    const check = descriptorOf(provider)?.modelServer === undefined ? now().checked?.(provider) : undefined
    return check === undefined || check.state === 'ready' ? undefined : (check.message ?? undefined)
  }
  /** The models that each server has now. All servers are asked at once. */
  const askServers = async (): Promise<ReadonlyMap<string, Installed>> =>
    new Map(await Promise.all(modelServers().map(async ([name, { server }]) => [name, await server.installed()] as const)))
  const missingIn = (installed: ReadonlyMap<string, Installed>, name: string): string | undefined => {
    const { provider, model } = readModelName(name)
    const kind = serverOf(provider)
    if (kind === undefined) return undefined
    const here = installed.get(provider)
    if (here === undefined) return kind.needs
    const isHere = [...here.keys()].some(each => each === model || kind.shortName(each) === model)
    return isHere ? undefined : kind.howToGet(model)
  }
  const listed = (name: string, installed: ReadonlyMap<string, Installed>): readonly Listed[] => {
    const entry = entryOf(name)
    if (!entry.ok) return []
    const { provider, facts } = entry.value
    const needs = missingKey(provider) ?? refusedBy(provider) ?? missingIn(installed, name)
    return [{ name, provider, ...facts, ready: needs === undefined, ...(needs === undefined ? {} : { needs }) }]
  }
  const all = (also: readonly string[], installed: ReadonlyMap<string, Installed>): readonly Listed[] => {
    const { models, providers, checked } = now()
    // A server that is asked for its models leaves out those that answer no chats.
    const listing = descriptors.filter(each => isHosted(each) && each.modelServer === undefined)
    const found = [...listing.map(({ name }) => name), ...serversOf(providers)].flatMap(provider => {
      const prefix = descriptorOf(provider) === undefined ? `${COMPATIBLE}/${provider}` : provider
      return [...(checked?.(provider)?.models.keys() ?? [])].map(model => `${prefix}/${model}`)
    })
    const known = [...descriptors.flatMap(each => Object.keys(each.models ?? {})), ...found]
    const named = [...also, ...Object.keys(models)]
    const here = [...installed].flatMap(([provider, names]) => {
      const { shortName = same } = serverOf(provider) ?? {}
      return [...(names?.keys() ?? [])]
        .filter(name => !named.includes(`${provider}/${name}`))
        .map(name => `${provider}/${shortName(name)}`)
    })
    return [...new Set([...known, ...named, ...here])].flatMap(name => listed(name, installed))
  }
  return {
    named: name => {
      const entry = entryOf(name)
      if (!entry.ok) return err(fault(entry.fault.kind, `model: ${entry.fault.message}`))
      const { provider, descriptor, facts } = entry.value
      const carrier = clientOf(provider, descriptor)
      return ok({ name, window: facts.window, facts, wire: carrier.wire, provider: carrier })
    },
    learn: async name => {
      const { kind, provider, model } = readModelName(name)
      // Where the settings give the window, there is nothing to wait for.
      const { models, check } = now()
      const isSet = Object.hasOwn(models, name) && models[name]?.window !== undefined
      if (model === '' || isSet) return
      const server = kind === provider ? serverOf(provider)?.server : undefined
      if (server !== undefined) await server.learn(model)
      else if (knownFacts(name, descriptors) === undefined) await check?.(provider)
    },
    list: async (also = []) => {
      const installed = await askServers()
      return holding(() => all(also, installed))
    },
    providers: async () => {
      const installed = await askServers()
      return [...descriptors.filter(isHosted).map(({ name }) => name), ...serversOf(now().providers)].map(name => {
        const { apiKey, keyName, baseURL = descriptorOf(name)?.baseURL ?? '' } = settingOf(name)
        const kind = serverOf(name)
        const isRunning = kind === undefined ? undefined : installed.get(name) !== undefined
        const needs = missingKey(name) ?? refusedBy(name) ?? (isRunning === false ? kind?.needs : undefined)
        return {
          name,
          baseURL,
          hasKey: apiKey !== undefined,
          ...(keyName === undefined ? {} : { keyName }),
          ...(isRunning === undefined ? {} : { isRunning }),
          ...(needs === undefined ? {} : { needs }),
          ...(kind === undefined || isRunning === true ? {} : { remedy: kind.remedy }),
        }
      })
    },
    whyNotReady: name => {
      const entry = entryOf(name)
      if (!entry.ok) return entry.fault.message
      const { provider } = entry.value
      const keyName = missingKey(provider)
      return keyName === undefined
        ? refusedBy(provider)
        : `${provider} needs a key; set ${keyName}, or run "turnwise connect ${provider}"`
    },
    asksServer: name => descriptorOf(readModelName(name).kind)?.modelServer !== undefined,
    close: () => {
      for (const client of [...replaced, ...[...clients.values()].map(each => each.client)]) client.close?.()
      clients.clear()
      replaced.clear()
    },
  }
}

type Installed = ReadonlyMap<string, unknown> | undefined

const same = (name: string): string => name
