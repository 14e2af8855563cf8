/** The models there are to choose from, and the client that reaches each of them. */
import { type Fault, fault } from '../../model/fault.ts'
import { readModelName } from '../../model/model-name.ts'
import type { ModelFacts, ModelSetting, Provider, ProviderSetting, Wire } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ProviderDescriptor } from '../descriptor.ts'
import { isHosted, PROVIDERS } from '../providers.ts'
import { createClient } from '../transport/client.ts'
import { type CatalogEntry, type CatalogSetting, catalogued } from './catalog.ts'

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
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly models: Readonly<Record<string, ModelSetting>>
}

/** Joins the facts of models with the ways to reach them. A client is made when it is first needed. */
export function createModels({ demo, descriptors = PROVIDERS, providers, models }: ModelsSetting): ModelCatalog {
  const servers = Object.keys(providers).filter(name => !descriptors.some(each => each.name === name))
  const setting: CatalogSetting = { models, servers, providers: descriptors }
  const clients = new Map<string, Provider>()
  const descriptorOf = (provider: string): ProviderDescriptor | undefined => descriptors.find(({ name }) => name === provider)
  const settingOf = (provider: string): ProviderSetting => {
    const keyName = descriptorOf(provider)?.keyVariable
    return { ...(keyName === undefined ? {} : { keyName }), ...(Object.hasOwn(providers, provider) ? providers[provider] : {}) }
  }
  const newClient = (name: string, descriptor: ProviderDescriptor): Provider => {
    const own = settingOf(name)
    // If the settings say where the key is, the server needs one.
    return descriptor.inProcess?.() ?? createClient({ name, descriptor, setting: own, needsKey: own.keyName !== undefined })
  }
  const clientOf = (name: string, descriptor: ProviderDescriptor): Provider => {
    if (name === 'demo' && demo !== undefined) return demo
    const client = clients.get(name) ?? newClient(name, descriptor)
    clients.set(name, client)
    return client
  }
  const missingKey = (provider: string): string | undefined => {
    const { apiKey, keyName } = settingOf(provider)
    return apiKey === undefined ? keyName : undefined
  }
  const modelServers = new Map(
    descriptors.flatMap(({ name, modelServer }) =>
      modelServer === undefined ? [] : [[name, { ...modelServer, server: modelServer.open(settingOf(name)) }] as const],
    ),
  )
  /** What a server says of its model overrides what we assume, and the settings override both. */
  const entryOf = (name: string): Result<CatalogEntry, Fault> => {
    const { provider, model } = readModelName(name)
    const said = modelServers.get(provider)?.server.saidOf(model)
    if (said === undefined) return catalogued(name, setting)
    const own = Object.hasOwn(models, name) ? models[name] : undefined
    return catalogued(name, { ...setting, models: { [name]: { ...said, ...own } } })
  }
  /** The models that each server has now. All servers are asked at once. */
  const askServers = async (): Promise<ReadonlyMap<string, Installed>> =>
    new Map(await Promise.all([...modelServers].map(async ([name, { server }]) => [name, await server.installed()] as const)))
  const missingIn = (installed: ReadonlyMap<string, Installed>, name: string): string | undefined => {
    const { provider, model } = readModelName(name)
    const kind = modelServers.get(provider)
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
    const needs = missingKey(provider) ?? missingIn(installed, name)
    return [{ name, ...facts, ready: needs === undefined, ...(needs === undefined ? {} : { needs }) }]
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
      const isSet = Object.hasOwn(models, name) && models[name]?.window !== undefined
      if (kind === provider && model !== '' && !isSet) await modelServers.get(provider)?.server.learn(model)
    },
    list: async (also = []) => {
      const installed = await askServers()
      const known = descriptors.flatMap(each => Object.keys(each.models ?? {}))
      const named = [...also, ...Object.keys(models)]
      const here = [...installed].flatMap(([provider, names]) => {
        const { shortName = same } = modelServers.get(provider) ?? {}
        return [...(names?.keys() ?? [])]
          .filter(name => !named.includes(`${provider}/${name}`))
          .map(name => `${provider}/${shortName(name)}`)
      })
      return [...new Set([...known, ...named, ...here])].flatMap(name => listed(name, installed))
    },
    providers: async () => {
      const installed = await askServers()
      return [...descriptors.filter(isHosted).map(({ name }) => name), ...servers].map(name => {
        const { apiKey, keyName, baseURL = descriptorOf(name)?.baseURL ?? '' } = settingOf(name)
        const kind = modelServers.get(name)
        const isRunning = kind === undefined ? undefined : installed.get(name) !== undefined
        const needs = missingKey(name) ?? (isRunning === false ? kind?.needs : undefined)
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
      const keyName = missingKey(entry.value.provider)
      return keyName === undefined ? undefined : `${entry.value.provider} needs a key; set ${keyName}`
    },
    asksServer: name => modelServers.has(readModelName(name).kind),
    close: () => {
      for (const client of clients.values()) client.close?.()
      clients.clear()
    },
  }
}

type Installed = ReadonlyMap<string, unknown> | undefined

const same = (name: string): string => name
