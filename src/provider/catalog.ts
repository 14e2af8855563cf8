import type { Wire } from '../model/provider.ts'
import { anthropicWire } from './anthropic.ts'
import { demoWire } from './demo-wire.ts'
import { ollamaWire } from './ollama.ts'
import { openaiChatWire } from './openai-chat.ts'

/** What is known about a model without asking it. */
export type CatalogEntry = { readonly name: string; readonly window: number; readonly wire: Wire }

/** How each kind of provider is spoken to. */
const WIRE_OF: Readonly<Record<string, Wire>> = {
  demo: demoWire,
  anthropic: anthropicWire,
  openai: openaiChatWire,
  openrouter: openaiChatWire,
  compatible: openaiChatWire,
  ollama: ollamaWire,
}

const KNOWN_WINDOWS: Readonly<Record<string, number>> = { demo: 32_000 }
/** What a model is taken to hold until its settings or its server say otherwise. */
const UNKNOWN_WINDOW = 128_000
const UNKNOWN_OLLAMA_WINDOW = 8192

/** The models that can be asked without any settings. */
export const CATALOG: readonly { readonly name: string; readonly window: number }[] = [{ name: 'demo', window: 32_000 }]

/** Every wire there is, for building old requests again. */
export const WIRES: readonly Wire[] = [...new Set(Object.values(WIRE_OF))]

/** What a name of the form `provider/model` means; nothing if there is no such provider. */
export function catalogued(name: string): CatalogEntry | undefined {
  const [provider = '', ...model] = name.split('/')
  const wire = Object.hasOwn(WIRE_OF, provider) ? WIRE_OF[provider] : undefined
  if (wire === undefined || (name !== 'demo' && model.join('/') === '')) return undefined
  const unknown = provider === 'ollama' ? UNKNOWN_OLLAMA_WINDOW : UNKNOWN_WINDOW
  return { name, wire, window: Object.hasOwn(KNOWN_WINDOWS, name) ? (KNOWN_WINDOWS[name] ?? unknown) : unknown }
}
