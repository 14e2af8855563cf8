/** Asks a running Ollama about its installed models. */
import type { ProviderSetting } from '../../model/provider.ts'
import type { ModelList } from '../catalog/model-list.ts'
import { bearer, type ModelServer, type ProviderDescriptor, type SaidOfModel } from '../descriptor.ts'
import { address } from '../transport/address.ts'
import { whyForbidden } from '../transport/addresses.ts'

/** The address of Ollama, and the headers of every request to it. */
export const OLLAMA_API: Required<Pick<ProviderDescriptor, 'baseURL' | 'headers'>> = {
  baseURL: 'http://127.0.0.1:11434',
  headers: apiKey => ({ accept: 'application/json', ...bearer(apiKey) }),
}

const PATIENCE_MS = 500
/** The time limit for the details of all models together. Details that come later stay unknown. */
const DETAILS_MS = 2000
const FRESH_MS = 60_000
const MOST_MODELS = 50
/** The largest window without a word in the settings or the model's own file: more takes memory that many machines lack. */
const MOST_WINDOW = 16_384
const AT_ONCE = 4

export function createOllamaServer(setting: ProviderSetting, clock: () => number = Date.now): ModelServer {
  /** Kept when the server goes away, because a model's window must not change with it. */
  let said: ReadonlyMap<string, SaidOfModel> = new Map()
  let freshUntil = 0
  let wasAsked = false
  let asking: Promise<ReadonlyMap<string, SaidOfModel> | undefined> | undefined
  /** What was said of single models that were about to be used, by the names they were asked for. */
  const shown = new Map<string, SaidOfModel>()
  const learning = new Map<string, Promise<void>>()
  /** Models that were used before the server said anything of them. */
  const unsaid = new Set<string>()
  const ask = async (): Promise<ReadonlyMap<string, SaidOfModel> | undefined> => {
    const found = await askAll(setting, said)
    if (found !== undefined) {
      said = found
      freshUntil = clock() + FRESH_MS
    }
    return found
  }
  const installed: ModelServer['installed'] = () => {
    if (clock() < freshUntil) return Promise.resolve(said)
    wasAsked = true
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
  const known = (model: string): SaidOfModel | undefined => {
    const all = { ...shown.get(model), ...(said.get(model) ?? said.get(`${model}:latest`)) }
    return Object.keys(all).length === 0 ? undefined : all
  }
  const learn = async (model: string): Promise<void> => {
    try {
      const details = detailsIn(await askerOf(setting)('/api/show', { model }))
      if (details !== 'no talker') shown.set(model, details)
    } catch (cause) {
      // If there is no server or no such model, the request fails as well, and the next one may ask again.
      if (cause instanceof DOMException && cause.name === 'TimeoutError') unsaid.add(model)
    }
  }
  return {
    installed,
    saidOf: model => {
      // The next caller that waits for the answer gets the error.
      if (wasAsked) installed().catch(() => undefined)
      const found = known(model)
      if (found === undefined || !unsaid.has(model)) return found
      const { window: _, ...rest } = found
      return rest
    },
    learn: model => {
      if (shown.has(model) || unsaid.has(model) || known(model) !== undefined) return Promise.resolve()
      const asked = learning.get(model) ?? learn(model).finally(() => learning.delete(model))
      learning.set(model, asked)
      return asked
    },
  }
}

const MOST_LISTED = 5000

/** Ollama's own list of models, which it gives without details. */
export const OLLAMA_LIST: ModelList = {
  path: '/api/tags',
  read: answer => {
    const { models } = answer as { models?: unknown }
    const names = (Array.isArray(models) ? models.slice(0, MOST_LISTED) : []).map(
      each => (each as { model?: unknown; name?: unknown }) ?? {},
    )
    return {
      models: new Map(
        names.flatMap(({ model, name }) => {
          const found = model ?? name
          return typeof found === 'string' && found !== '' ? [[shortName(found), {}] as const] : []
        }),
      ),
    }
  },
}

/** Ollama reads a name without a tag as `latest`. */
export const shortName = (model: string): string => model.replace(/:latest$/, '')

/** Sends a request to one path of the API and returns the JSON of the answer. Throws if there is none. */
type Ask = (path: string, body?: object) => Promise<unknown>

async function askAll(
  setting: ProviderSetting,
  before: ReadonlyMap<string, SaidOfModel>,
): Promise<ReadonlyMap<string, SaidOfModel> | undefined> {
  const ask = askerOf(setting)
  const names = await namesOf(ask)
  if (names === undefined) return undefined
  const said = new Map<string, SaidOfModel | 'no talker'>(names.map(name => [name, before.get(name) ?? {}]))
  const queue = names.slice(0, MOST_MODELS)
  const askOne = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const details = await detailsOf(ask, name)
      if (details !== undefined) said.set(name, details)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOne))
  return new Map([...said].flatMap(([name, details]) => (details === 'no talker' ? [] : [[name, details] as const])))
}

function askerOf(setting: ProviderSetting): Ask {
  const all = AbortSignal.timeout(PATIENCE_MS + DETAILS_MS)
  return async (path, body) => {
    const { url, headers } = address(OLLAMA_API, path, setting)
    const forbidden = whyForbidden(url)
    if (forbidden !== undefined) throw new Error(forbidden)
    const signal = AbortSignal.any([all, AbortSignal.timeout(PATIENCE_MS)])
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(url, { ...sent, headers, redirect: 'error', signal })
    if (response.ok) return response.json()
    await response.body?.cancel()
    throw new Error(`Ollama answered ${response.status}`)
  }
}

async function namesOf(ask: Ask): Promise<readonly string[] | undefined> {
  try {
    const { models } = (await ask('/api/tags')) as { models: readonly { model?: string; name: string }[] }
    return models
      .map(({ model, name }) => model ?? name)
      .filter(name => typeof name === 'string' && name !== '')
      .sort()
  } catch {
    return undefined
  }
}

async function detailsOf(ask: Ask, model: string): Promise<SaidOfModel | 'no talker' | undefined> {
  try {
    return detailsIn(await ask('/api/show', { model }))
  } catch {
    return undefined
  }
}

/** A model that only embeds cannot chat. */
function detailsIn(answer: unknown): SaidOfModel | 'no talker' {
  const { capabilities, parameters, model_info } = answer as Readonly<Record<string, unknown>>
  const can = Array.isArray(capabilities) ? new Set<unknown>(capabilities) : undefined
  if (can?.has('embedding') && !can.has('completion')) return 'no talker'
  const abilities = can === undefined ? {} : { images: can.has('vision'), tools: can.has('tools'), thinking: can.has('thinking') }
  const window = windowIn(parameters) ?? lengthIn(model_info)
  return { ...abilities, ...(window === undefined ? {} : { window }) }
}

/** The window that the model's own file sets, one parameter a line. A person who set it knows the machine. */
function windowIn(parameters: unknown): number | undefined {
  const [, given] = typeof parameters === 'string' ? (/^\s*num_ctx\s+"?(\d{1,9})"?\s*$/m.exec(parameters) ?? []) : []
  return given === undefined || Number(given) === 0 ? undefined : Number(given)
}

/** What the model was made for, `<architecture>.context_length`, as far as we use it unasked. */
function lengthIn(info: unknown): number | undefined {
  const entries = Object.entries(typeof info === 'object' && info !== null ? info : {})
  const length: unknown = entries.find(([key]) => key.endsWith('.context_length'))?.[1]
  return typeof length === 'number' && Number.isSafeInteger(length) && length > 0 ? Math.min(length, MOST_WINDOW) : undefined
}
