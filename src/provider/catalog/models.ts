import { type Fault, fault } from '../../model/fault.ts'
import type { ModelFacts, ModelSetting, Provider, ProviderSetting, Wire } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { createOllamaServer, hasModel } from '../ollama/server.ts'
import { BASE_URLS } from '../transport/address-book.ts'
import { createClient } from '../transport/client.ts'
import { type CatalogEntry, type CatalogSetting, catalogued, isKnownProvider, KNOWN_PROVIDERS } from './catalog.ts'
import { KNOWN_MODELS } from './known-models.ts'

/** A model: how it is spoken to, how much it may hold, and who carries a request to it. */
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
  /** Whether it could be asked now. */
  readonly ready: boolean
  /** What it wants before it can be asked: a variable to set, or a thing to be there. */
  readonly needs?: string
}

/** A service, and whether it could be reached now. */
export type ListedProvider = {
  readonly name: string
  readonly baseURL: string
  readonly hasKey: boolean
  /** Where its key is, or would have to be; nothing where it wants none. */
  readonly keyName?: string
  /** Only an Ollama is asked. */
  readonly isRunning?: boolean
}

export type Models = {
  readonly named: (name: string) => Result<Model, Fault>
  /**
   * What there is to choose from: what is publicly known, what settings name, what runs on this machine, and whatever else
   * the caller names.
   */
  readonly list: (also?: readonly string[]) => Promise<readonly Listed[]>
  readonly providers: () => Promise<readonly ListedProvider[]>
  /** Why a model cannot be asked before something is set, or nothing. */
  readonly whyNotReady: (name: string) => string | undefined
  readonly close: () => void
}

export type ModelsSetting = {
  readonly demo: Provider
  readonly providers: Readonly<Record<string, ProviderSetting>>
  readonly models: Readonly<Record<string, ModelSetting>>
}

/** The variables that vendors' own programs read their keys from. */
export const KEY_NAMES: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
}

/** Joins what is known of models with the ways to reach them; a client is made when it is first needed. */
export function createModels({ demo, providers, models }: ModelsSetting): Models {
  const servers = Object.keys(providers).filter(name => !isKnownProvider(name))
  const setting: CatalogSetting = { models, servers }
  const clients = new Map<string, Provider>()
  const settingOf = (provider: string): ProviderSetting => ({
    ...(Object.hasOwn(KEY_NAMES, provider) ? { keyName: KEY_NAMES[provider] ?? '' } : {}),
    ...(Object.hasOwn(providers, provider) ? providers[provider] : {}),
  })
  const clientOf = (provider: string, wire: Wire): Provider => {
    const known = clients.get(provider)
    if (known !== undefined) return known
    const client = createClient({ name: provider, wire, setting: settingOf(provider), needsKey: wantsKey(provider) })
    clients.set(provider, client)
    return client
  }
  /** Whoever writes down where a key is to be found says that one is wanted. */
  const wantsKey = (provider: string): boolean => settingOf(provider).keyName !== undefined
  const missing = (provider: string): string | undefined => {
    const { apiKey, keyName } = settingOf(provider)
    return apiKey === undefined ? keyName : undefined
  }
  const ollama = createOllamaServer(settingOf('ollama'))
  /** What a server says of its model counts for more than what is assumed, and for less than what settings say. */
  const entryOf = (name: string): Result<CatalogEntry, Fault> => {
    const said = name.startsWith(OLLAMA) ? ollama.saidOf(name.slice(OLLAMA.length)) : undefined
    if (said === undefined) return catalogued(name, setting)
    const own = Object.hasOwn(models, name) ? models[name] : undefined
    return catalogued(name, { servers, models: { [name]: { ...said, ...own } } })
  }
  const listed = (name: string, installed: Installed): readonly Listed[] => {
    const entry = entryOf(name)
    if (!entry.ok) return []
    const { provider, facts } = entry.value
    const needs = missing(provider) ?? (provider === 'ollama' ? missingIn(installed, name.slice(OLLAMA.length)) : undefined)
    return [{ name, ...facts, ready: needs === undefined, ...(needs === undefined ? {} : { needs }) }]
  }
  return {
    named: name => {
      const entry = entryOf(name)
      if (!entry.ok) return err(fault(entry.fault.kind, `model: ${entry.fault.message}`))
      const { provider, wire, facts } = entry.value
      const isOurs = name === 'demo'
      const carrier = isOurs ? demo : clientOf(provider, wire)
      return ok({ name, window: facts.window, facts, wire: carrier.wire, provider: carrier })
    },
    list: async (also = []) => {
      const installed = await ollama.installed()
      const named = [...also, ...Object.keys(models)]
      const here = [...(installed?.keys() ?? [])]
        .map(name => `${OLLAMA}${name.replace(/:latest$/, '')}`)
        .filter(name => !named.includes(`${name}:latest`))
      return [...new Set([...Object.keys(KNOWN_MODELS), ...named, ...here])].flatMap(name => listed(name, installed))
    },
    providers: async () => {
      const isRunning = (await ollama.installed()) !== undefined
      return [...KNOWN_PROVIDERS, ...servers].map(name => {
        const { apiKey, keyName, baseURL = isKnownProvider(name) ? BASE_URLS[name] : '' } = settingOf(name)
        return {
          name,
          baseURL,
          hasKey: apiKey !== undefined,
          ...(keyName === undefined ? {} : { keyName }),
          ...(name === 'ollama' ? { isRunning } : {}),
        }
      })
    },
    whyNotReady: name => {
      const entry = entryOf(name)
      if (!entry.ok) return entry.fault.message
      const keyName = missing(entry.value.provider)
      return keyName === undefined ? undefined : `${entry.value.provider} needs a key; set ${keyName}`
    },
    close: () => {
      for (const client of clients.values()) client.close?.()
      clients.clear()
    },
  }
}

const OLLAMA = 'ollama/'

type Installed = ReadonlyMap<string, unknown> | undefined

function missingIn(installed: Installed, model: string): string | undefined {
  if (installed === undefined) return 'a running Ollama'
  return hasModel(installed, model) ? undefined : `"ollama pull ${model}"`
}
