/** Reads a streamed reply of Ollama's chat API. */
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, StreamDecoder } from '../../model/provider.ts'
import {
  CUT_OFF,
  type FrameDecoder,
  GARBLED,
  jsonLines,
  namesFor,
  numberOf,
  parsedData,
  recordIn,
  textIn,
} from '../transport/frames.ts'
import { errorTrouble, innerError } from '../transport/trouble.ts'

type Fields = Readonly<Record<string, unknown>>

/** The state of a reply of Ollama's chat API so far. */
type State = { readonly nameOf: (index: number) => string; readonly calls: number }

const decoder: FrameDecoder<State> = {
  start: request => ({ nameOf: namesFor(request), calls: 0 }),
  read: (state, { data }) => {
    const said = parsedData(data)
    if (said === undefined) return [state, [GARBLED]]
    if (said.error !== undefined) {
      const { code, message } = innerError(textIn(said.error))
      return [state, [{ type: 'fault', ...errorTrouble('the provider', code, message) }]]
    }
    const message = recordIn(said.message)
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(recordIn) : []
    return [
      { ...state, calls: state.calls + calls.length },
      [
        ...spoken('think', message.thinking),
        ...spoken('text', message.content),
        ...calls.map((call, index) => callDelta(call, state.nameOf(state.calls + index))),
        ...(said.done === true ? ending(said) : []),
      ],
    ]
  },
  end: () => [CUT_OFF],
}

export const decodeOllama: (request: Encoded) => StreamDecoder = jsonLines(decoder)

const spoken = (type: 'text' | 'think', text: unknown): readonly Delta[] =>
  textIn(text) === '' ? [] : [{ type, text: textIn(text) }]

/** Older servers give calls no id. */
function callDelta({ id, function: called }: Fields, name: string): Delta {
  const { name: tool, arguments: args } = recordIn(called)
  return {
    type: 'call',
    call: textIn(id) || name,
    tool: textIn(tool),
    text: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }
}

function ending({ prompt_eval_count, prompt_eval_cached_count, eval_count, done_reason }: Fields): readonly Delta[] {
  const cacheRead = Math.min(numberOf(prompt_eval_cached_count), numberOf(prompt_eval_count))
  const usage = { input: numberOf(prompt_eval_count) - cacheRead, output: numberOf(eval_count), cacheRead, cacheWrite: 0 }
  const isKnown = prompt_eval_count !== undefined || eval_count !== undefined
  return [
    ...(isKnown ? [{ type: 'usage' as const, usage }] : []),
    done_reason === 'length' ? { type: 'done', stop: 'length' } : { type: 'done' },
  ]
}
