/** Chooses which script answers which request. */
import { answerTo, errorAnswer, type FakeAnswer } from './fake-answer.ts'
import { DIALECTS } from './fake-frames.ts'
import { type FakeChatRequest, keyOf, type RecordedRequest, readChatRequest } from './fake-request.ts'
import { type FakeFault, type FakeFlavour, type FakeWire, type Script, scriptFault } from './fake-script.ts'
import type { Asked } from './providers/dialect.ts'
import { isPublicList, listAnswer } from './providers/model-lists.ts'
import { faultsOf } from './providers/model-name.ts'
import { type FakeModel, modelsAnswer } from './providers/ollama-models.ts'

export type TalkOptions = {
  readonly wire: FakeWire
  /** Only for the wire `openai`. */
  readonly flavour?: FakeFlavour
  /** Answers the first chats, one script each. */
  readonly scripts?: readonly Script[]
  /** Answers every later chat. Without it a fake repeats the last message. */
  readonly script?: Script
  /** Every chat without this key gets a 401. */
  readonly requireKey?: string
  /** Every request without one of these keys gets a 401 that quotes the key it had. */
  readonly keys?: readonly string[]
  /** The models that a fake lists. Without it Ollama shows every model, and others list two. */
  readonly models?: readonly FakeModel[]
}

/** The answer, and the script for sending it. Null if the connection is refused. */
export type FakeReply = { readonly answer: FakeAnswer; readonly script: Script } | null

/** Chooses the answer to each request. */
export type Talk = {
  readonly say: (...scripts: readonly Script[]) => void
  /** True if the next connection is refused. Asking uses up the script. */
  readonly refusesNext: () => boolean
  readonly reply: (request: RecordedRequest) => FakeReply
}

export function createTalk(options: TalkOptions): Talk {
  const { wire, flavour = 'openai', scripts = [], script: usual, requireKey, keys, models } = options
  const dialect = DIALECTS[wire]
  const queue = [...scripts]
  const always: readonly FakeFault[] = requireKey === undefined ? [] : [{ type: 'requireKey', key: requireKey }]
  let chats = 0
  return {
    say: (...more) => void queue.push(...more),
    refusesNext: () => queue[0] !== undefined && isRefused(queue[0]) && queue.shift() !== undefined,
    reply: request => {
      const path = request.path.split('?')[0] ?? ''
      const key = keyOf(request, dialect.keyHeaders)
      if (keys !== undefined && !keys.includes(key ?? '') && !isPublicList(path, { flavour }))
        return { answer: refusal(401, key === undefined ? 'no key was sent' : `Incorrect API key provided: ${key}`), script: {} }
      if (request.method === 'POST' && path === dialect.path) return chatReply(request, readChatRequest(request.json))
      return { answer: modelsReply(request, path) ?? refusal(404, `nothing is at ${request.method} ${path}`), script: {} }
    },
  }

  function chatReply(request: RecordedRequest, chat: FakeChatRequest | null): FakeReply {
    if (chat === null) return { answer: refusal(400, 'a chat needs JSON with a model and messages'), script: {} }
    const said = queue.shift() ?? usual ?? echo(chat)
    const script: Script = { ...said, faults: [...always, ...(said.faults ?? []), ...faultsOf(chat.model)] }
    chats += 1
    if (isRefused(script)) return null
    // OpenRouter always reports usage. Ollama streams by default.
    const asked: Asked = { model: chat.model, ordinal: chats, wantsUsage: chat.wantsUsage || flavour === 'openrouter', flavour }
    return { answer: answerTo(request, script, { dialect, asked, streams: chat.stream ?? wire === 'ollama' }), script }
  }

  function modelsReply({ method, json, path: query }: RecordedRequest, path: string): FakeAnswer | null {
    return wire === 'ollama' ? modelsAnswer(method, path, json, models) : listAnswer(method, query, { wire, flavour, models })
  }

  function refusal(code: number, message: string): FakeAnswer {
    return errorAnswer(dialect, { model: '', ordinal: chats, wantsUsage: false, flavour }, code, { message })
  }
}

const isRefused = (script: Script): boolean => scriptFault(script, 'refuseConnections') !== undefined

/** A short answer that is always the same for the same words. */
const echo = ({ heard }: FakeChatRequest): Script => ({
  says: [{ type: 'text', text: `You said: ${[...heard].slice(0, 80).join('')}` }],
})
