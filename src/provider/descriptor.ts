/** What Turnwise has to know of a provider: each provider's folder exports one descriptor, and `providers.ts` lists them. */
import type { ModelFacts, Provider, ProviderSetting, Timeouts, Wire } from '../model/provider.ts'

export type ProviderDescriptor = {
  /** As in `name/model`, and under `providers` in the settings. */
  readonly name: string
  /** How requests are encoded and replies decoded. The decoder also says what went wrong in the middle of a reply. */
  readonly wire: Wire
  /** Where its API is. Without one the settings have to give it, or the provider is not reached over HTTP at all. */
  readonly baseURL?: string
  /** The variable that gives its key; without one it needs no key. */
  readonly keyVariable?: string
  /** The variable that gives another base URL, and how its value is read if it is not simply a URL. */
  readonly baseURLVariable?: string
  readonly readBaseURL?: (value: string) => string
  /** Headers of every request beside those that all providers get; the key is empty where none is set. */
  readonly headers: (apiKey: string) => Readonly<Record<string, string>>
  /** Where it needs more time than others; the settings have the last word. */
  readonly timeouts?: Partial<Timeouts>
  /** What its models are taken to be able to do, where nothing is known of one. */
  readonly assumes?: Partial<ModelFacts>
  /** Its models that are publicly known, by their whole name. */
  readonly models?: Readonly<Record<string, ModelFacts>>
  /** What is known of a model that is not in `models`. */
  readonly factsOf?: (name: string) => ModelFacts | undefined
  /** A server of one's own that is asked which models it has. */
  readonly modelServer?: ModelServerKind
  /** A provider that runs inside this process, instead of the HTTP client; its name is its only model. */
  readonly inProcess?: () => Provider
}

export type ModelServerKind = {
  readonly open: (setting: ProviderSetting) => ModelServer
  /** What is missing where no server answers, and what to do about it. */
  readonly needs: string
  readonly remedy: string
  /** What to do about a model that the server does not have. */
  readonly howToGet: (model: string) => string
  /** A model's name without what goes without saying. */
  readonly shortName: (model: string) => string
}

/** What a server says of a model that we would otherwise have to assume. */
export type SaidOfModel = Partial<Pick<ModelFacts, 'window' | 'images' | 'tools' | 'thinking'>>

/** A server that has been asked, or can be, which models it has. */
export type ModelServer = {
  /** The models that one can talk to, by name; nothing where it does not run. Asked at most once a minute. */
  readonly installed: () => Promise<ReadonlyMap<string, SaidOfModel> | undefined>
  /**
   * What it has said of a model by now; this never waits. Once it was asked, and that is long ago or it did not run, it is
   * asked again for the next time.
   */
  readonly saidOf: (model: string) => SaidOfModel | undefined
}

/** The header most providers take a key in; a server that wants no key should not be sent an empty one. */
export const bearer = (apiKey: string): Readonly<Record<string, string>> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
