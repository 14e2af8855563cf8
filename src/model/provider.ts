/** What a provider is to the rest of the program: requests as exact bytes, replies as deltas, and what is known of models. */
import type { Delta } from './message/delta.ts'
import type { Plan } from './plan.ts'
import type { SamplingFacts } from './sampling.ts'

/** The exact bytes of a request, before anything is sent. */
export type Encoded = {
  readonly url: string
  readonly body: string
  /** The model is asked to think first, so its first byte may be long in coming. */
  readonly reasons?: boolean
}

/** Attached files by their hash, in base64: what a plan only names. */
export type Files = ReadonlyMap<string, string>

/**
 * Reads the bytes of one reply as they come. Every cutting of the same bytes gives the same deltas.
 * The last delta, from `read` or from `end`, is `done` or `fault`; nothing comes after it.
 */
export type StreamDecoder = {
  readonly read: (chunk: Uint8Array) => readonly Delta[]
  /** What it means that the bytes end here. */
  readonly end: () => readonly Delta[]
}

/** How a kind of provider is spoken to. Pure: the same plan gives the same bytes, and the same bytes the same deltas. */
export type Wire = {
  readonly name: string
  readonly version: number
  readonly encode: (plan: Plan, files?: Files) => Encoded
  /** Starts to read the reply to a request. Wires whose provider gives deltas by itself have none. */
  readonly decode?: (request: Encoded) => StreamDecoder
}

/**
 * Carries encoded requests to a model and brings back deltas.
 * Must not throw for ordinary trouble: the last delta is `done` or `fault`.
 */
export type Provider = {
  readonly wire: Wire
  /**
   * `whose` is the session that asks: where requests wait, sessions take turns. A request with `giveWay` goes out only when there is
   * room to spare, and is told by it that another one waits for its place.
   */
  readonly speak: (request: Encoded, signal: AbortSignal, whose?: string, giveWay?: () => void) => AsyncIterable<Delta>
  /** Lets go of connections that wait for the next request. */
  readonly close?: () => void
}

export const wireLabel = (wire: Wire): string => `${wire.name}@${wire.version}`

/** How long each part of a request may take. */
export type Timeouts = { readonly connectMs: number; readonly firstByteMs: number; readonly idleMs: number }

/** How a provider is reached. */
export type ProviderSetting = {
  readonly apiKey?: string
  /** The variable a person sets to give the key, for the line that says it is missing. */
  readonly keyName?: string
  readonly baseURL?: string
  /** Requests under way at one time; more wait, and their sessions take turns. */
  readonly concurrency?: number
  readonly timeouts?: Partial<Timeouts>
  readonly headers?: Readonly<Record<string, string>>
  /** Where the key comes from; absent if there is none. */
  readonly keyFrom?: 'environment' | 'secrets' | 'file'
  readonly addressFrom?: 'environment' | 'secrets' | 'file' | 'vendor'
}

type Rates = { readonly input: number; readonly output: number; readonly cacheRead?: number; readonly cacheWrite?: number }

/** Dollars for a million tokens. */
export type Price = Rates & {
  /** What the whole request costs when its prompt, cached parts and all, has more than so many tokens. */
  readonly long?: Rates & { readonly above: number }
}

/** What is known of a model without asking it. */
export type ModelFacts = {
  /** The whole context, in tokens. */
  readonly window: number
  /** The most a reply may have. */
  readonly output?: number
  /** Absent, not 0, if the price is unknown. */
  readonly price?: Price
  readonly images: boolean
  /** PDF files. */
  readonly files: boolean
  /** Can be asked to reason. */
  readonly thinking: boolean
  readonly tools: boolean
  /** Absent unless the two exclude each other. */
  readonly thinkingWithTools?: false
  /** The shortest prefix, in tokens, that its provider's cache keeps. */
  readonly cacheMinimum?: number
  /** Its server keeps one prefix only, the last one that was sent. */
  readonly keepsOnePrefix?: true
  /** What is known of its sampling. */
  readonly sampling?: SamplingFacts
}

/** What settings say of a model. It adds to the known facts or replaces them. */
export type ModelSetting = Partial<Omit<ModelFacts, 'thinkingWithTools' | 'sampling'>>
