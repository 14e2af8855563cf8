// What a person can connect: the vendors, servers on this computer, and any other compatible server.
import type { ConnectedProvider, ListedProviders, ProviderTemplate } from '../wire/providers-api.ts'
import { keyPageOf } from '../words/provider-words.ts'

/** One thing to connect, with what is known of it. */
export type ConnectTarget = {
  /** Empty if the person names it. */
  readonly name: string
  readonly title: string
  /** Null until it was connected once, or while providers were not read. */
  readonly provider: ConnectedProvider | null
  readonly baseURL: string
  readonly needsKey: boolean
  readonly keyPage: string | null
  /** Whether its address is the person's own, and not the vendor's. */
  readonly hasOwnAddress: boolean
}

/** A compatible server that is not known in advance. */
export const OTHER_SERVER = ''

const VENDORS = [
  { name: 'anthropic', title: 'Anthropic' },
  { name: 'openai', title: 'OpenAI' },
  { name: 'openrouter', title: 'OpenRouter' },
] as const

/** As the gateway lists them; the card needs them before it has answered. */
const TEMPLATES: readonly ProviderTemplate[] = [
  template('gemini', 'Gemini', 'https://generativelanguage.googleapis.com/v1beta/openai', 'https://aistudio.google.com/apikey'),
  template('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1', null),
  template('vllm', 'vLLM', 'http://127.0.0.1:8000/v1', null),
  template('llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', null),
]

function template(name: string, title: string, baseURL: string, keyPage: string | null): ProviderTemplate {
  return { name, title, baseURL, keyPage, needsKey: keyPage !== null, isLocal: keyPage === null }
}

/** A gateway lists only those that are not connected yet; what the others need is known all the same. */
function templatesIn(listed: ListedProviders | null): readonly ProviderTemplate[] {
  const given = listed?.templates ?? []
  return [
    ...TEMPLATES.map(known => given.find(({ name }) => name === known.name) ?? known),
    ...given.filter(({ name }) => !TEMPLATES.some(known => known.name === name)),
  ]
}

export type ConnectTargets = { readonly hosted: readonly ConnectTarget[]; readonly local: readonly ConnectTarget[] }

/** Everything on offer: what needs a key, and what runs on a computer of one's own. */
export function connectTargets(listed: ListedProviders | null): ConnectTargets {
  const { items = [] } = listed ?? {}
  const templates = templatesIn(listed)
  const fixed = new Set<string>([...VENDORS.map(({ name }) => name), 'ollama', ...templates.map(({ name }) => name)])
  const target = (name: string): ConnectTarget => targetOf(listed, name)
  return {
    hosted: [...VENDORS, ...templates.filter(({ isLocal }) => !isLocal)].map(({ name }) => target(name)),
    local: [
      target('ollama'),
      ...templates.filter(({ isLocal }) => isLocal).map(({ name }) => target(name)),
      ...items.filter(({ name }) => !fixed.has(name)).map(({ name }) => target(name)),
      target(OTHER_SERVER),
    ],
  }
}

export function targetOf(listed: ListedProviders | null, name: string): ConnectTarget {
  const { items = [] } = listed ?? {}
  const templates = templatesIn(listed)
  const provider = items.find(one => one.name === name) ?? null
  const known = templates.find(one => one.name === name)
  const vendor = VENDORS.find(one => one.name === name)
  const title = provider?.title ?? known?.title ?? vendor?.title ?? (name === 'ollama' ? 'Ollama' : name)
  return {
    name,
    title: name === OTHER_SERVER ? 'Other server' : title,
    provider,
    baseURL: provider?.baseURL ?? known?.baseURL ?? (name === 'ollama' ? 'http://127.0.0.1:11434' : ''),
    needsKey: known?.needsKey ?? provider?.needsKey ?? vendor !== undefined,
    keyPage: known?.keyPage ?? keyPageOf(name),
    hasOwnAddress: vendor === undefined && known?.isLocal !== false,
  }
}
