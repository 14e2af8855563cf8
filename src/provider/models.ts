import type { Fault } from '../model/fault.ts'
import type { ModelFacts, ModelSetting, Provider, ProviderSetting, Wire } from '../model/provider.ts'
import { ok, type Result } from '../model/result.ts'
import { type CatalogSetting, catalogued, KNOWN_PROVIDERS } from './catalog.ts'
import { createClient } from './client.ts'
import { KNOWN_MODELS } from './known-models.ts'
import { installedModels } from './ollama-server.ts'

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
  /** What to set before it can be asked. */
  readonly needs?: string
}

export type Models = {
  readonly named: (name: string) => Result<Model, Fault>
  /** What there is to choose from: what is known of the configured providers, what settings name, what runs on this machine. */
  readonly list: () => Promise<readonly Listed[]>
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
  const servers = Object.keys(providers).filter(name => !isKnown(name))
  const setting: CatalogSetting = { models, servers }
  const clients = new Map<string, Provider>()
  const settingOf = (provider: string): ProviderSetting => ({
    ...(Object.hasOwn(KEY_NAMES, provider) ? { keyName: KEY_NAMES[provider] ?? '' } : {}),
    ...(Object.hasOwn(providers, provider) ? providers[provider] : {}),
  })
  const clientOf = (provider: string, wire: Wire): Provider => {
    const known = clients.get(provider)
    if (known !== undefined) return known
    const client = createClient({ name: provider, wire, setting: settingOf(provider), needsKey: needsKey(provider) })
    clients.set(provider, client)
    return client
  }
  const missing = (provider: string): string | undefined => {
    const { apiKey, keyName } = settingOf(provider)
    return needsKey(provider) && apiKey === undefined ? keyName : undefined
  }
  const listed = (name: string): readonly Listed[] => {
    const entry = catalogued(name, setting)
    if (!entry.ok) return []
    const needs = missing(entry.value.provider)
    return [{ name, ...entry.value.facts, ready: needs === undefined, ...(needs === undefined ? {} : { needs }) }]
  }
  return {
    named: name => {
      const entry = catalogued(name, setting)
      if (!entry.ok) return entry
      const { provider, wire, facts } = entry.value
      const isOurs = name === 'demo'
      const carrier = isOurs ? demo : clientOf(provider, wire)
      return ok({ name, window: facts.window, facts, wire: carrier.wire, provider: carrier })
    },
    list: async () => {
      const installed = await installedModels(settingOf('ollama'))
      const names = [...Object.keys(KNOWN_MODELS), ...Object.keys(models), ...installed.map(name => `ollama/${name}`)]
      return [...new Set(names)].flatMap(listed)
    },
    close: () => {
      for (const client of clients.values()) client.close?.()
      clients.clear()
    },
  }
}

const isKnown = (name: string): boolean => (KNOWN_PROVIDERS as readonly string[]).includes(name)
const needsKey = (provider: string): boolean => Object.hasOwn(KEY_NAMES, provider)
