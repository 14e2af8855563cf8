/** What Turnwise must know about a provider: each provider's folder exports one descriptor, and `providers.ts` lists them. */
import type { ModelFacts, Provider, ProviderSetting, Timeouts, Wire } from '../model/provider.ts'
import type { SamplingFacts } from '../model/sampling.ts'
import type { ModelList } from './catalog/model-list.ts'

export type ProviderDescriptor = {
  /** The name in `name/model`, and under `providers` in the settings. */
  readonly name: string
  /** How requests are encoded and replies decoded. The decoder also reports errors in the middle of a reply. */
  readonly wire: Wire
  /** Earlier versions of that wire, which still rebuild the requests that they sent. */
  readonly earlierWires?: readonly Wire[]
  /** The URL of its API. Without one the settings must give it, or the provider does not use HTTP at all. */
  readonly baseURL?: string
  /** The variable with its key. Without one it needs no key. */
  readonly keyVariable?: string
  /** The variable with another base URL. */
  readonly baseURLVariable?: string
  /** How the value of that variable is read, if it is not simply a URL. */
  readonly readBaseURL?: (value: string) => string
  /** The headers of every request, besides those that all providers get. The key is empty if none is set. */
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>
  /** Time limits that differ from the usual ones. The settings override them. */
  readonly timeouts?: Partial<Timeouts>
  /** What we assume of its unknown models. */
  readonly assumes?: Partial<ModelFacts>
  /** Its publicly known models, by full name. */
  readonly models?: Readonly<Record<string, ModelFacts>>
  /** The facts of a model that is not in `models`. */
  readonly factsOf?: (name: string) => ModelFacts | undefined
  /** What is known about the sampling of a model, by its full name. */
  readonly samplingOf?: (name: string) => SamplingFacts
  /** How it lists its own models. */
  readonly list?: ModelList
  /** For a person's own server, which is asked for its models. */
  readonly modelServer?: ModelServerKind
  /** Makes a provider that runs inside this process instead of the HTTP client. Its name is its only model. */
  readonly inProcess?: () => Provider
}

export type ModelServerKind = {
  readonly open: (setting: ProviderSetting) => ModelServer
  /** What is missing if no server answers. */
  readonly needs: string
  /** What to do about it. */
  readonly remedy: string
  /** What to do about a model that the server does not have. */
  readonly howToGet: (model: string) => string
  /** A model's name without its default tag. */
  readonly shortName: (model: string) => string
}

/** What a server says of a model, which we would otherwise have to assume. */
export type SaidOfModel = Partial<Pick<ModelFacts, 'window' | 'images' | 'tools' | 'thinking'>>

/** A server that can be asked which models it has. */
export type ModelServer = {
  /** The models for chats, by name, or undefined if the server does not run. The server is asked at most once a minute. */
  readonly installed: () => Promise<ReadonlyMap<string, SaidOfModel> | undefined>
  /**
   * What the server has said of a model so far; this never waits. If the last answer is old, or the server did not run, it is
   * asked again for the next time.
   */
  readonly saidOf: (model: string) => SaidOfModel | undefined
  /**
   * Asks for one model before it is used, unless the server has said what it is. Waits half a second at most: a model that is
   * used before the server answered keeps what we assume of its window until the next start, because the window must not change
   * between requests.
   */
  readonly learn: (model: string) => Promise<void>
}

/** The header in which most providers take a key. A server without a key should not get an empty one. */
export const bearer = (apiKey: string): Readonly<Record<string, string>> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
