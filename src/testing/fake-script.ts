/** The script of a fake provider: what it says, how, and what goes wrong. */

/** The API that a fake speaks: Anthropic's Messages, OpenAI's chat completions, Ollama's chat. */
export type FakeWire = 'anthropic' | 'openai' | 'ollama'

/** The kind of chat completions: OpenRouter adds comments, reasoning and costs, Gemini seals its calls and wants the seals back. */
export type FakeFlavour = 'openai' | 'openrouter' | 'gemini'

/**
 * One thing the model says. `args` is raw text, so that it can be anything a model makes up. `extra` has fields of a call that are
 * the server's own; only chat completions send them.
 */
export type FakePart =
  | { readonly type: 'think'; readonly text: string; readonly signature?: string }
  | { readonly type: 'redacted'; readonly data: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly id?: string; readonly tool: string; readonly args: string; readonly extra?: object }

/** `input` does not include cached tokens. Each wire reports the sums that its service reports. */
export type FakeUsage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** In dollars. Only OpenRouter reports it. */
  readonly cost?: number
}

/** Why the model stopped. Ollama cannot report a refusal. */
export type FakeStop = 'end' | 'length' | 'tool' | 'refusal'

/** The answer to one request: what the model says, and what goes wrong meanwhile. Plain data. */
export type Script = {
  readonly says?: readonly FakePart[]
  readonly usage?: Partial<FakeUsage>
  /** By default `tool` if the script has a call, else `end`. */
  readonly stop?: FakeStop
  /** Characters for each delta. The default is small, so that there are many deltas. */
  readonly every?: number
  readonly faults?: readonly FakeFault[]
}

/** Something that goes wrong. A script may have several. Frames are counted as `framesOf` gives them, bytes in the body. */
export type FakeFault =
  /** Another status than 200. Without a body, the error is worded as by the service. */
  | {
      readonly type: 'status'
      readonly code: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly html?: string
    }
  /** The server takes the request, and sends nothing for a while. */
  | { readonly type: 'delayHeaders'; readonly ms: number }
  /** How the bytes are cut (sizes in turn, over and over), and the pause after each piece. */
  | { readonly type: 'chunks'; readonly sizes?: readonly number[]; readonly gapMs?: number }
  /** After so many bytes: a reset, a polite close of the connection, or an end of the body as if it were whole. */
  | { readonly type: 'cutAt'; readonly byte: number; readonly how?: 'rst' | 'fin' | 'end' }
  /** After so many bytes: silence on an open connection. With pings, a frame that would be torn is not begun. */
  | { readonly type: 'stallAt'; readonly byte: number }
  /** A sign of life between frames whenever nothing else was sent for so long. */
  | { readonly type: 'pingEvery'; readonly ms: number }
  /** An error inside the stream instead of this frame and all later ones. Without a stream, the matching status. */
  | { readonly type: 'errorEvent'; readonly error: string; readonly at?: number; readonly message?: string }
  /** Every call has the id of the first one, in later answers too. */
  | { readonly type: 'dupIds' }
  /** The body ends properly, but no frame ends the reply. `last` leaves out only the very last frame. */
  | { readonly type: 'noTerminal'; readonly drop?: 'all' | 'last' }
  /** The reply is complete, but the connection stays open. */
  | { readonly type: 'afterDoneHang' }
  /** The text goes on until the client leaves. */
  | { readonly type: 'endless' }
  /** One more piece of text, on a line of exactly so many bytes. */
  | { readonly type: 'giantLine'; readonly bytes: number }
  /** The body begins with a byte order mark. */
  | { readonly type: 'bom' }
  /** Lines end in CR LF. */
  | { readonly type: 'crlf' }
  /** Every SSE event on several `data:` lines. */
  | { readonly type: 'manyDataLines' }
  /** So many bytes (1 GiB) of pings in very little gzip, even if the client did not ask for gzip. */
  | { readonly type: 'gzipBomb'; readonly bytes?: number }
  /** 401, and the body quotes the key of the request. */
  | { readonly type: 'echoKey' }
  /** The default is 302. */
  | { readonly type: 'redirect'; readonly to: string; readonly code?: number }
  /** A frame that is not JSON, in the middle or before the given frame. */
  | { readonly type: 'badJson'; readonly at?: number }
  /** So many (50) well-formed frames of unknown kinds, after the first. */
  | { readonly type: 'unknownEvents'; readonly count?: number }
  /** The connection is reset as soon as it is accepted. */
  | { readonly type: 'refuseConnections' }
  /** 401 unless the request has this key in the service's own header. */
  | { readonly type: 'requireKey'; readonly key: string }

/** A script with every default filled in. Every call has its id. */
export type Filled = {
  readonly says: readonly (Exclude<FakePart, { type: 'call' }> | FilledCall)[]
  readonly usage: FakeUsage
  readonly stop: FakeStop
  readonly every: number
}
export type FilledCall = Extract<FakePart, { type: 'call' }> & { readonly id: string }

const USAGE: FakeUsage = { input: 12, output: 5, cacheRead: 0, cacheWrite: 0 }
const GREETING: FakePart = { type: 'text', text: 'Hello from a fake provider.' }

/** `mint` gives the nth call of an answer its id. The 0th id is for all calls, if they share one. */
export function filled(script: Script, mint: (nth: number) => string): Filled {
  const says = script.says ?? [GREETING]
  const needsText = scriptFault(script, 'endless') ?? scriptFault(script, 'giantLine')
  const spoken = needsText && !says.some(said => said.type === 'text' && said.text !== '') ? [...says, GREETING] : says
  const same = scriptFault(script, 'dupIds') && (spoken.find(said => said.type === 'call')?.id ?? mint(0))
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

/** The script's fault of that type, if it has one. If it has several, the last. */
export const scriptFault = <Type extends FakeFault['type']>(
  script: Script,
  type: Type,
): Extract<FakeFault, { type: Type }> | undefined =>
  script.faults?.findLast((fault): fault is Extract<FakeFault, { type: Type }> => fault.type === type)

/** Never cuts a surrogate pair, because no service does. */
export function inPieces(text: string, every: number): readonly string[] {
  const letters = [...text]
  return Array.from({ length: Math.ceil(letters.length / every) }, (_, index) =>
    letters.slice(index * every, (index + 1) * every).join(''),
  )
}

/** Arguments for wires that send them parsed. Text that is not JSON stays text. */
export function parsedArguments(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}
