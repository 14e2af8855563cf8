/** Asks a provider for its own list of models, which also shows whether it takes the key. */
import type { ModelFacts, ProviderSetting } from '../../model/provider.ts'
import type { ProviderDescriptor } from '../descriptor.ts'
import { address } from '../transport/address.ts'
import { getJson } from '../transport/get-json.ts'
import { redactor } from '../transport/redactor.ts'
import { errorText } from '../transport/trouble.ts'

/** What a provider's list says of a model, where we would otherwise have to assume it. */
export type FoundFacts = Partial<Pick<ModelFacts, 'window' | 'output' | 'price' | 'images' | 'files' | 'thinking' | 'tools'>>

/** How a provider answered when it was asked for its models. */
export type ProviderCheck = {
  readonly state: 'ready' | 'no-key' | 'bad-key' | 'unreachable'
  /** One sentence for people if the provider is not ready, or its key could not be checked. */
  readonly message: string | null
  /** By the provider's own names of its models. */
  readonly models: ReadonlyMap<string, FoundFacts>
}

/** How a kind of provider lists its models. */
export type ModelList = {
  /** Asked first, if the list itself is public and says nothing about the key. */
  readonly keyPath?: string
  readonly path: string
  /** The models of one answer, and the path of the next part of the list. */
  readonly read: (answer: unknown) => ListPage
}

export type ListPage = { readonly models: ReadonlyMap<string, FoundFacts>; readonly next?: string | undefined }

/** How long all pages of a list together may take. */
const PATIENCE_MS = 5000
const MOST_PAGES = 20
const MOST_MODELS = 5000
const LONGEST_NAME = 300
/** As much of an error as the client reads of one. */
const MOST_ERROR = 65_536
const NO_MODELS: ReadonlyMap<string, FoundFacts> = new Map()

/** `name` is the provider's name in the settings. */
export async function checkProvider(
  name: string,
  descriptor: ProviderDescriptor,
  setting: ProviderSetting,
): Promise<ProviderCheck> {
  const { list } = descriptor
  const base = (setting.baseURL ?? descriptor.baseURL ?? '').replace(/\/$/, '')
  const needed = setting.keyName ?? descriptor.keyVariable
  if (needed !== undefined && setting.apiKey === undefined) return failed('no-key', `${name} has no key yet`)
  if (list === undefined) return { state: 'ready', message: null, models: NO_MODELS }
  const redact = redactor(setting)
  const models = new Map<string, FoundFacts>()
  const deadline = performance.now() + PATIENCE_MS
  let path: string | undefined = list.keyPath ?? list.path
  for (let page = 0; path !== undefined && page < MOST_PAGES; page += 1) {
    const isKeyOnly: boolean = path === list.keyPath
    const answer = await ask(descriptor, path, setting, Math.max(1, Math.round(deadline - performance.now())))
    if (typeof answer === 'string') return failed('unreachable', redact(`${name} could not be reached at ${base}: ${answer}`))
    const { status, text, json } = answer
    const said = status === 200 ? '' : errorText(redact(text.slice(0, MOST_ERROR)))
    const says = said === '' ? '' : `: ${said}`
    if (status === 401 || status === 403) return failed('bad-key', `${name} refused the key (${status})${says}`)
    // The server answers, but has no such list: nothing speaks against it.
    if (status === 404 || status === 405) {
      const untried = setting.apiKey === undefined ? null : `${name} lists no models, so its key could not be checked`
      return { state: 'ready', message: untried, models }
    }
    if (status !== 200) return failed('unreachable', `${name} cannot answer now (${status})${says}`)
    if (json === null || typeof json !== 'object') {
      return failed('unreachable', `${name} did not answer as expected at ${base}; check the address`)
    }
    const { models: found, next }: ListPage = isKeyOnly ? { models: NO_MODELS, next: list.path } : list.read(json)
    for (const [model, facts] of found) if (models.size < MOST_MODELS && model.length <= LONGEST_NAME) models.set(model, facts)
    path = models.size < MOST_MODELS ? next : undefined
  }
  return { state: 'ready', message: null, models }
}

const failed = (state: Exclude<ProviderCheck['state'], 'ready'>, message: string): ProviderCheck => ({
  state,
  message,
  models: NO_MODELS,
})

async function ask(descriptor: ProviderDescriptor, path: string, setting: ProviderSetting, patienceMs: number) {
  try {
    const answer = await getJson(address(descriptor, path, setting), patienceMs)
    return answer.ok ? answer.value : answer.fault
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** A list in OpenAI's form, with what many servers add to it. */
export const OPENAI_LIST: ModelList = { path: '/models', read: answer => ({ models: openaiModels(answer) }) }

/** OpenRouter's list is public, so the key is looked at by itself. */
export const OPENROUTER_LIST: ModelList = { ...OPENAI_LIST, keyPath: '/key' }

export const ANTHROPIC_LIST: ModelList = {
  path: '/v1/models?limit=1000',
  read: answer => {
    const { has_more: hasMore, last_id: last } = answer as { has_more?: unknown; last_id?: unknown }
    const next = hasMore === true && typeof last === 'string' ? `&after_id=${encodeURIComponent(last)}` : undefined
    return {
      models: new Map(entriesOf(answer).map(entry => [String(entry.id), anthropicFacts(entry)])),
      next: next === undefined ? undefined : `/v1/models?limit=1000${next}`,
    }
  },
}

/** Names of models that answer no chats. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|transcribe|realtime|-image|imagen|sora|veo|davinci|babbage|audio|aqa|^rerank|computer-use/i

type Entry = Readonly<Record<string, unknown>>

function openaiModels(answer: unknown): ReadonlyMap<string, FoundFacts> {
  const entries = entriesOf(answer)
    // Gemini lists its models under their full path.
    .map(entry => [String(entry.id).replace(/^models\//, ''), entry] as const)
    .filter(([id]) => !NO_CHAT.test(id))
  return new Map(entries.map(([id, entry]) => [id, openaiFacts(entry)]))
}

const entriesOf = (answer: unknown): readonly Entry[] => {
  const { data } = answer as { data?: unknown }
  const entries: readonly unknown[] = Array.isArray(data) ? data : Array.isArray(answer) ? answer : []
  return entries
    .slice(0, MOST_MODELS * 2)
    .filter((entry): entry is Entry => isRecord(entry) && typeof entry.id === 'string' && entry.id !== '')
}

function anthropicFacts({ max_input_tokens: window, max_tokens: output, capabilities }: Entry): FoundFacts {
  const can = (name: string): boolean | undefined => {
    const said = isRecord(capabilities) ? capabilities[name] : undefined
    return isRecord(said) && typeof said.supported === 'boolean' ? said.supported : undefined
  }
  return known({
    window: count(window),
    output: count(output),
    images: can('image_input'),
    files: can('pdf_input'),
    thinking: can('thinking'),
  })
}

/** The fields of OpenRouter, vLLM, Groq, Mistral and their like. */
function openaiFacts(entry: Entry): FoundFacts {
  const { architecture, top_provider: provider, supported_parameters: parameters, pricing } = entry
  const inputs =
    isRecord(architecture) && Array.isArray(architecture.input_modalities) ? architecture.input_modalities : undefined
  const takes = Array.isArray(parameters) ? parameters : undefined
  const window = [entry.context_length, entry.context_window, entry.max_model_len, entry.max_context_length].map(count)
  return known({
    window: window.find(each => each !== undefined),
    output: isRecord(provider) ? count(provider.max_completion_tokens) : undefined,
    price: isRecord(pricing) ? priceIn(pricing) : undefined,
    images: inputs?.includes('image'),
    files: inputs?.includes('file'),
    tools: takes?.includes('tools'),
    thinking: takes?.includes('reasoning'),
  })
}

/** Dollars for one token, as text, become dollars for a million tokens. A negative price means "it depends". */
function priceIn({ prompt, completion, input_cache_read: read, input_cache_write: write }: Entry): FoundFacts['price'] {
  const perMillion = (text: unknown): number | undefined => {
    const price = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN
    return Number.isFinite(price) && price >= 0 ? Math.round(price * 1e12) / 1e6 : undefined
  }
  const input = perMillion(prompt)
  const output = perMillion(completion)
  const cacheRead = perMillion(read)
  const cacheWrite = perMillion(write)
  if (input === undefined || output === undefined) return undefined
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  }
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined

/** Leaves out what is not said. A reply as long as the window would leave no room for a request. */
function known({ output, ...facts }: { readonly [Key in keyof FoundFacts]: FoundFacts[Key] | undefined }): FoundFacts {
  const room = facts.window === undefined || output === undefined || output < facts.window ? output : undefined
  return Object.fromEntries(Object.entries({ ...facts, output: room }).filter(([, value]) => value !== undefined)) as FoundFacts
}

const isRecord = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
