import { type Fault, fault } from '../../model/fault.ts'
import type { ModelFacts, ModelSetting, Wire } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { anthropicWire } from '../anthropic/encode.ts'
import { demoWire } from '../demo/wire.ts'
import { ollamaWire } from '../ollama/encode.ts'
import { openaiChatWire } from '../openai-chat/encode.ts'
import { textProtocol } from '../text-protocol/encode.ts'
import { factsOf } from './known-models.ts'

/** A model by its name: who is asked for it, in what dialect, and what is known of it. */
export type CatalogEntry = {
  readonly name: string
  /** As under `providers` in the settings. */
  readonly provider: string
  readonly wire: Wire
  readonly facts: ModelFacts
}

/** What a workspace adds to what is publicly known. */
export type CatalogSetting = {
  readonly models: Readonly<Record<string, ModelSetting>>
  /** Names of OpenAI-compatible servers. */
  readonly servers: readonly string[]
}

export const NOTHING_SET: CatalogSetting = { models: {}, servers: [] }

/** How each kind of provider is spoken to. */
const WIRE_OF: Readonly<Record<string, Wire>> = {
  demo: demoWire,
  anthropic: anthropicWire,
  openai: openaiChatWire,
  openrouter: openaiChatWire,
  compatible: openaiChatWire,
  ollama: ollamaWire,
}

/** The providers that need no address in the settings. */
export const KNOWN_PROVIDERS = ['anthropic', 'openai', 'openrouter', 'ollama'] as const
export type KnownProvider = (typeof KNOWN_PROVIDERS)[number]

export const isKnownProvider = (name: string): name is KnownProvider => (KNOWN_PROVIDERS as readonly string[]).includes(name)

/** Every wire there is, for building old requests again; each is spoken in text too. */
export const WIRES: readonly Wire[] = [...new Set(Object.values(WIRE_OF))].flatMap(wire => [wire, textProtocol(wire)])

/** What a model is taken to be until its settings or its server say otherwise; what it cannot do, its provider will say. */
const UNKNOWN: ModelFacts = { window: 128_000, images: true, files: false, thinking: true, tools: true }
const UNKNOWN_OF: Readonly<Record<string, Partial<ModelFacts>>> = {
  ollama: { window: 8192 },
  anthropic: { files: true, cacheMinimum: 1024 },
}

/** What a name of the form `provider/model` means, or why it means nothing. */
export function catalogued(name: string, { models, servers }: CatalogSetting = NOTHING_SET): Result<CatalogEntry, Fault> {
  const [kind = '', ...rest] = name.split('/')
  const wire = Object.hasOwn(WIRE_OF, kind) ? WIRE_OF[kind] : undefined
  const isCompatible = kind === 'compatible'
  const model = (isCompatible ? rest.slice(1) : rest).join('/')
  if (wire === undefined || (kind === 'demo' ? name !== 'demo' : model === ''))
    return err(fault('invalid', strange(name, kind, servers)))
  const provider = isCompatible ? (rest[0] ?? '') : kind
  if (isCompatible && !servers.includes(provider)) return err(fault('invalid', unknownServer(name, provider, servers)))
  const own = Object.hasOwn(models, name) ? models[name] : undefined
  return ok({ name, provider, wire, facts: { ...UNKNOWN, ...UNKNOWN_OF[kind], ...factsOf(name), ...own } })
}

function strange(name: string, kind: string, servers: readonly string[]): string {
  if (servers.includes(kind)) return `"${name}" is written "compatible/${name}"`
  const forms = [...KNOWN_PROVIDERS.map(each => `${each}/<model>`), ...servers.map(each => `compatible/${each}/<model>`)]
  return `"${name}" is not a model; write "demo" or provider/model: ${forms.join(', ')}`
}

const unknownServer = (name: string, provider: string, servers: readonly string[]): string =>
  `"${name}" needs a server: ${
    servers.length === 0 ? 'there is none' : `there is only ${servers.join(', ')}`
  }; add "providers": { "${provider || 'name'}": { "baseURL": "http://…/v1" } }`
