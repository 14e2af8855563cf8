/** What each fake API has to define. */
import type { FakeFlavour, Filled } from '../fake-script.ts'

/** The parts of a request that shape its answer. */
export type Asked = {
  readonly model: string
  /** The number of this answer. It makes ids that differ from each other and are the same in every run. */
  readonly ordinal: number
  /** OpenAI reports usage only if the request asks for it. */
  readonly wantsUsage: boolean
  readonly flavour: FakeFlavour
}

export type FakeFrame = {
  readonly text: string
  /** This frame ends the reply. */
  readonly ends?: true
  /** For a piece of the reply's text: makes the same frame around another piece. */
  readonly around?: (piece: string) => string
}

export type ErrorWords = { readonly type?: string; readonly message: string }

/** How one service words an answer. Pure: the same script and request give the same bytes. */
export type Dialect = {
  readonly path: string
  readonly contentType: string
  readonly callPrefix: string
  /** The headers that may carry the key. */
  readonly keyHeaders: readonly ('authorization' | 'x-api-key')[]
  readonly frames: (script: Filled, asked: Asked) => readonly FakeFrame[]
  /** The answer to a request without a stream. */
  readonly whole: (script: Filled, asked: Asked) => object
  /** The body of an answer that is not 200. */
  readonly errorBody: (code: number, words: ErrorWords, asked: Asked) => object
  readonly errorFrame: (words: Required<ErrorWords>, asked: Asked) => string
  readonly ping: (asked: Asked) => string
  /** A well-formed frame of a kind that does not exist. */
  readonly unknown: (name: string, asked: Asked) => string
  readonly badJson: string
  readonly headers: (asked: Asked) => Readonly<Record<string, string>>
  /** What the service misses in a request that it refuses for it. */
  readonly missing?: (json: unknown, asked: Asked) => string | null
}

/** The time in a fake is always the same, so that equal scripts give equal bytes. */
export const CREATED_AT = '2026-01-01T00:00:00Z'
export const CREATED: number = Date.parse(CREATED_AT) / 1000
