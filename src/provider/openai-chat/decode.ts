/** Reads a streamed chat completion of OpenAI, OpenRouter or a compatible server. */
import { fault } from '../../model/fault.ts'
import { extraIn } from '../../model/message/call-extra.ts'
import type { Delta, Usage } from '../../model/message/delta.ts'
import type { Encoded, StreamDecoder } from '../../model/provider.ts'
import {
  CUT_OFF,
  eventStream,
  type FrameDecoder,
  GARBLED,
  namesFor,
  numberOf,
  parsedData,
  recordIn,
  textIn,
} from '../transport/frames.ts'
import { errorTrouble } from '../transport/trouble.ts'

type Fields = Readonly<Record<string, unknown>>
/** The most calls, or pieces of thinking, of one reply. A server that sends more must not fill the memory. */
const MOST_PIECES = 1000
const MOST_DETAIL_CHARACTERS = 8 * 2 ** 20
type OpenCall = { readonly index: number | undefined; readonly call: string; readonly tool: string }

/** The state of a chat completion so far. */
type State = {
  readonly nameOf: (index: number) => string
  readonly calls: readonly OpenCall[]
  /** OpenRouter's reasoning details. All of them must go back unchanged, so this is null if they were too many to keep. */
  readonly details: readonly Fields[] | null
  readonly detailCharacters: number
  readonly usage: Usage | undefined
  readonly stop: string
  readonly hasRefused: boolean
}

const decoder: FrameDecoder<State> = {
  start: request => ({
    nameOf: namesFor(request),
    calls: [],
    details: [],
    detailCharacters: 0,
    usage: undefined,
    stop: '',
    hasRefused: false,
  }),
  read: (state, { data }) => {
    if (data === '[DONE]') return [state, ending(state)]
    const said = parsedData(data)
    if (said === undefined) return [state, [GARBLED]]
    const [choice] = Array.isArray(said.choices) ? said.choices.map(recordIn) : []
    const error = said.error ?? choice?.error
    if (error !== undefined && error !== null) return [state, [errorDelta(error)]]
    const usage = usageOf(said) ?? state.usage
    return choice === undefined ? [{ ...state, usage }, []] : chosen({ ...state, usage }, choice)
  },
  // Some servers leave out the final `[DONE]`. A stop reason is enough.
  end: state => (state.stop === '' ? [CUT_OFF] : ending(state)),
}

export const decodeOpenaiChat: (request: Encoded) => StreamDecoder = eventStream(decoder)

function chosen(state: State, choice: Fields): readonly [State, readonly Delta[]] {
  const delta = recordIn(choice.delta)
  const refusal = textIn(delta.refusal)
  const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.map(recordIn) : []
  const [calls, called] = callsOf(state, delta.tool_calls)
  if (calls.length > MOST_PIECES) return [state, [TOO_MANY_CALLS]]
  const detailCharacters = state.detailCharacters + (details.length === 0 ? 0 : JSON.stringify(details).length)
  return [
    {
      ...state,
      calls,
      details: detailCharacters > MOST_DETAIL_CHARACTERS ? null : details.reduce(withDetail, state.details),
      detailCharacters,
      stop: textIn(choice.finish_reason) || state.stop,
      hasRefused: state.hasRefused || refusal !== '',
    },
    [
      ...spoken('think', textIn(delta.reasoning_content) || textIn(delta.reasoning) || details.map(detailText).join('')),
      ...contentOf(delta.content),
      ...spoken('text', refusal),
      ...called,
    ],
  ]
}

const TOO_MANY_CALLS: Delta = {
  type: 'fault',
  fault: fault('too-large', `the provider sent more than ${MOST_PIECES} calls in one reply`),
}

const spoken = (type: 'text' | 'think', text: string): readonly Delta[] => (text === '' ? [] : [{ type, text }])

/** The content is a text, or a list of pieces as Mistral sends it. */
function contentOf(content: unknown): readonly Delta[] {
  if (!Array.isArray(content)) return spoken('text', textIn(content))
  return content.map(recordIn).flatMap(piece => {
    if (piece.type !== 'thinking') return spoken('text', textIn(piece.text))
    const thoughts = Array.isArray(piece.thinking)
      ? piece.thinking.map(each => textIn(recordIn(each).text))
      : [textIn(piece.thinking)]
    return spoken('think', thoughts.join(''))
  })
}

/** Pieces of calls are matched by their index. Even if a server counts badly, each call gets an id from the state. */
function callsOf(state: State, given: unknown): readonly [readonly OpenCall[], readonly Delta[]] {
  if (!Array.isArray(given)) return [state.calls, []]
  let { calls } = state
  const deltas = given.map(recordIn).map((piece, place): Delta => {
    const { name, arguments: text } = recordIn(piece.function)
    const index = typeof piece.index === 'number' ? piece.index : given.length > 1 ? place : undefined
    const id = textIn(piece.id)
    const known = index === undefined ? calls.at(-1) : calls.findLast(each => each.index === index)
    const open = known !== undefined && (id === '' || id === known.call) ? known : undefined
    const call = open ?? { index, call: id || state.nameOf(calls.length), tool: textIn(name) }
    if (open === undefined) calls = [...calls, call]
    const extra = extraIn(piece)
    return {
      type: 'call',
      call: call.call,
      tool: call.tool,
      text: typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text),
      ...(extra === undefined ? {} : { extra }),
    }
  })
  return [calls, deltas]
}

const detailText = (detail: Fields): string => textIn(detail.text) || textIn(detail.summary)

/** Joins the pieces of one detail. New fields of a later piece are kept, above all its signature. */
function withDetail(details: readonly Fields[] | null, piece: Fields): readonly Fields[] | null {
  if (details === null) return null
  const at = details.findIndex(each => each.type === piece.type && each.index === piece.index && piece.index !== undefined)
  const before = details[at]
  if (before === undefined) return details.length < MOST_PIECES ? [...details, piece] : null
  const sums = ['text', 'summary'].flatMap(key =>
    typeof before[key] === 'string' && typeof piece[key] === 'string' ? [[key, before[key] + piece[key]]] : [],
  )
  // Null means that a later piece has nothing to add.
  const given = Object.entries(piece).filter(([, value]) => value !== null)
  return details.with(at, { ...before, ...Object.fromEntries(given), ...Object.fromEntries(sums) })
}

function errorDelta(error: unknown): Delta {
  const { code, type, message } = typeof error === 'string' ? { message: error } : recordIn(error)
  const named = typeof code === 'number' ? code : textIn(code) || textIn(type) || undefined
  return { type: 'fault', ...errorTrouble('the provider', named, textIn(message)) }
}

function usageOf(said: Fields): Usage | undefined {
  const usage = said.usage ?? recordIn(said.x_groq).usage
  if (usage === undefined || usage === null) return undefined
  const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens, cost } = recordIn(usage)
  const details = recordIn(prompt_tokens_details)
  const cacheRead = numberOf(details.cached_tokens) || numberOf(prompt_cache_hit_tokens)
  const cacheWrite = numberOf(details.cache_write_tokens)
  const input = Math.max(0, numberOf(prompt_tokens) - cacheRead - cacheWrite)
  const paid = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { costUsd: cost } : {}
  return { input, output: numberOf(completion_tokens), cacheRead, cacheWrite, ...paid }
}

function ending({ details, usage, stop, hasRefused }: State): readonly Delta[] {
  return [
    ...(details === null || details.length === 0 ? [] : [{ type: 'sealed' as const, signature: JSON.stringify(details) }]),
    ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
    lastOf(stop, hasRefused),
  ]
}

function lastOf(stop: string, hasRefused: boolean): Delta {
  if (hasRefused) return { type: 'fault', fault: fault('refused', 'the model declined to answer') }
  if (stop === 'content_filter') return { type: 'fault', fault: fault('refused', "the provider's filter stopped the reply") }
  if (stop === 'insufficient_system_resource')
    return { type: 'fault', fault: fault('overloaded', 'the provider ran out of resources for the reply'), again: true }
  if (stop === 'error') return { type: 'fault', ...errorTrouble('the provider', undefined, '') }
  return stop === 'length' ? { type: 'done', stop: 'length' } : { type: 'done' }
}
