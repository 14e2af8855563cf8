/** The script of a fake provider: what it says, how, and what goes wrong. */

/** Whose API a fake speaks: Anthropic's Messages, OpenAI's chat completions, Ollama's chat. */
export type FakeWire = 'anthropic' | 'openai' | 'ollama'

/** Whose chat completions: OpenRouter adds comments, reasoning and costs. */
export type FakeFlavour = 'openai' | 'openrouter'

/** One thing the model says. `args` is raw text, so that it can be anything a model ever made up. */
export type Said =
  | { readonly type: 'think'; readonly text: string; readonly signature?: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id?: string; readonly tool: string; readonly args: string }

/** `input` is without what was read from or written to the cache; each wire reports the sums its service reports. */
export type FakeUsage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** In dollars; only OpenRouter says it. */
  readonly cost?: number
}

/** Why the model stopped; Ollama cannot say that it refused. */
export type FakeStop = 'end' | 'length' | 'tool' | 'refusal'

/** The answer to one request: what the model says, and what goes wrong while it does. Plain data. */
export type Script = {
  readonly says?: readonly Said[]
  readonly usage?: Partial<FakeUsage>
  /** `tool` if anything is called, else `end`. */
  readonly stop?: FakeStop
  /** Characters for each delta; a few, so that there are many. */
  readonly every?: number
  readonly faults?: readonly FakeFault[]
}

/** Something that goes wrong. A script may have several; frames are counted as `framesOf` gives them, bytes in the body. */
export type FakeFault =
  /** Another status than 200; without a body, the error as the service words it. */
  | {
      readonly type: 'status'
      readonly code: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly html?: string
    }
  /** The request is taken, and nothing is heard for a while. */
  | { readonly type: 'delayHeaders'; readonly ms: number }
  /** How the bytes are cut (sizes in turn, over and over) and the pause after each piece. */
  | { readonly type: 'chunks'; readonly sizes?: readonly number[]; readonly gapMs?: number }
  /** After so many bytes a reset, a polite close of the connection, or an end of the body as if it were whole. */
  | { readonly type: 'cutAt'; readonly byte: number; readonly how?: 'rst' | 'fin' | 'end' }
  /** After so many bytes silence on an open connection. With pings, the frame that would be torn is not begun. */
  | { readonly type: 'stallAt'; readonly byte: number }
  /** A sign of life between frames whenever nothing else was sent for so long. */
  | { readonly type: 'pingEvery'; readonly ms: number }
  /** An error inside the stream instead of this frame and all that follow; without a stream, the status that goes with it. */
  | { readonly type: 'errorEvent'; readonly error: string; readonly at?: number; readonly message?: string }
  /** Every call has the id of the first, in later answers too. */
  | { readonly type: 'dupIds' }
  /** The body ends properly, but nothing says that the reply did; `last` leaves out the very last frame only. */
  | { readonly type: 'noTerminal'; readonly drop?: 'all' | 'last' }
  /** Everything is said, and the connection stays open. */
  | { readonly type: 'afterDoneHang' }
  /** The text goes on until the client goes away. */
  | { readonly type: 'endless' }
  /** One more piece of text, on a line of exactly so many bytes. */
  | { readonly type: 'giantLine'; readonly bytes: number }
  /** The body begins with a byte order mark. */
  | { readonly type: 'bom' }
  /** Lines end in CR LF. */
  | { readonly type: 'crlf' }
  /** Every SSE event on several `data:` lines. */
  | { readonly type: 'manyDataLines' }
  /** So many bytes (1 GiB) of pings in very little gzip, whether or not gzip was asked for. */
  | { readonly type: 'gzipBomb'; readonly bytes?: number }
  /** 401, and the body quotes the key it was sent. */
  | { readonly type: 'echoKey' }
  /** 302 unless said otherwise. */
  | { readonly type: 'redirect'; readonly to: string; readonly code?: number }
  /** A frame that is not JSON, in the middle or before the frame given. */
  | { readonly type: 'badJson'; readonly at?: number }
  /** So many (50) well-formed frames of unknown kinds, after the first. */
  | { readonly type: 'unknownEvents'; readonly count?: number }
  /** The connection is reset as soon as it is accepted. */
  | { readonly type: 'refuseConnections' }
  /** 401 unless this key is sent the way the service wants it. */
  | { readonly type: 'requireKey'; readonly key: string }

/** A script with nothing left open; every call has its id. */
export type Filled = {
  readonly says: readonly (Exclude<Said, { type: 'call' }> | FilledCall)[]
  readonly usage: FakeUsage
  readonly stop: FakeStop
  readonly every: number
}
export type FilledCall = Required<Extract<Said, { type: 'call' }>>

const USAGE: FakeUsage = { input: 12, output: 5, cacheRead: 0, cacheWrite: 0 }
const GREETING: Said = { type: 'text', text: 'Hello from a fake provider.' }

/** `mint` gives the nth call of an answer its id, and the 0th the id that all have when there is only one. */
export function filled(script: Script, mint: (nth: number) => string): Filled {
  const says = script.says ?? [GREETING]
  const needsText = faultOf(script, 'endless') ?? faultOf(script, 'giantLine')
  const spoken = needsText && !says.some(said => said.type === 'text' && said.text !== '') ? [...says, GREETING] : says
  const same = faultOf(script, 'dupIds') && (spoken.find(said => said.type === 'call')?.id ?? mint(0))
  let calls = 0
  const named = spoken.map(said => {
    if (said.type !== 'call') return said
    calls += 1
    return { ...said, id: same ?? said.id ?? mint(calls) }
  })
  return {
    says: named,
    usage: { ...USAGE, ...script.usage },
    stop: script.stop ?? (calls > 0 ? 'tool' : 'end'),
    every: Math.max(1, script.every ?? 4),
  }
}

/** The script's fault of that type, if it has one; of several the last. */
export const faultOf = <Type extends FakeFault['type']>(
  script: Script,
  type: Type,
): Extract<FakeFault, { type: Type }> | undefined =>
  script.faults?.findLast((fault): fault is Extract<FakeFault, { type: Type }> => fault.type === type)

/** Never half a surrogate pair: no service streams one. */
export function inPieces(text: string, every: number): readonly string[] {
  const letters = [...text]
  return Array.from({ length: Math.ceil(letters.length / every) }, (_, index) =>
    letters.slice(index * every, (index + 1) * every).join(''),
  )
}

/** Arguments for wires that send them parsed; what is not JSON goes as the text it is. */
export function argumentsOf(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}
