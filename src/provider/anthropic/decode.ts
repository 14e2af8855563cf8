/** Reads a streamed reply of Anthropic's Messages API. */
import { fault } from '../../model/fault.ts'
import type { Delta, Usage } from '../../model/message/delta.ts'
import type { Encoded, StreamDecoder } from '../../model/provider.ts'
import { CUT_OFF, eventStream, type FrameDecoder, GARBLED, numberOf, parsedData, recordIn, textIn } from '../transport/frames.ts'
import { errorTrouble } from '../transport/trouble.ts'

type Fields = Readonly<Record<string, unknown>>
type OpenCall = { readonly call: string; readonly tool: string }

/** The state of a reply of Anthropic's Messages API so far. */
type State = {
  readonly calls: ReadonlyMap<unknown, OpenCall>
  readonly usage: Usage
  readonly stop: string
  readonly why: string
}

const NOTHING: State = {
  calls: new Map(),
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  stop: '',
  why: '',
}

const decoder: FrameDecoder<State> = {
  start: () => NOTHING,
  read: (state, { event, data }) => {
    const said = parsedData(data)
    if (said === undefined) return [state, [GARBLED]]
    switch (textIn(said.type) || event) {
      case 'message_start':
        return counted(state, recordIn(recordIn(said.message).usage))
      case 'content_block_start':
        return opened(state, said)
      case 'content_block_delta':
        return [state, added(state, said)]
      case 'message_delta':
        return stopped(state, said)
      case 'message_stop':
        return [state, ending(state)]
      case 'error': {
        const { type, message } = recordIn(said.error)
        return [state, [{ type: 'fault', ...errorTrouble('the provider', textIn(type), textIn(message)) }]]
      }
      default:
        // Pings, ends of blocks, and events that are newer than this decoder are ignored.
        return [state, []]
    }
  },
  end: () => [CUT_OFF],
}

export const decodeAnthropic: (request: Encoded) => StreamDecoder = eventStream(decoder)

function opened(state: State, { index, content_block }: Fields): readonly [State, readonly Delta[]] {
  const block = recordIn(content_block)
  switch (block.type) {
    case 'text':
      return [state, [{ type: 'text', text: textIn(block.text) }]]
    case 'thinking':
      return [state, [{ type: 'think', text: textIn(block.thinking) }, ...sealed(block.signature)]]
    case 'redacted_thinking':
      return [state, [{ type: 'redacted', data: textIn(block.data) }]]
    case 'tool_use': {
      const call = { call: textIn(block.id), tool: textIn(block.name) }
      const given = recordIn(block.input)
      const text = Object.keys(given).length === 0 ? '' : JSON.stringify(given)
      return [{ ...state, calls: new Map([...state.calls, [index, call]]) }, [{ type: 'call', ...call, text }]]
    }
    default:
      return [state, []]
  }
}

function added({ calls }: State, { index, delta }: Fields): readonly Delta[] {
  const piece = recordIn(delta)
  switch (piece.type) {
    case 'text_delta':
      return [{ type: 'text', text: textIn(piece.text) }]
    case 'thinking_delta':
      return [{ type: 'think', text: textIn(piece.thinking) }]
    case 'signature_delta':
      return sealed(piece.signature)
    case 'input_json_delta': {
      const call = calls.get(index)
      return call === undefined ? [] : [{ type: 'call', ...call, text: textIn(piece.partial_json) }]
    }
    default:
      return []
  }
}

const sealed = (signature: unknown): readonly Delta[] =>
  textIn(signature) === '' ? [] : [{ type: 'sealed', signature: textIn(signature) }]

function stopped(state: State, { delta, usage }: Fields): readonly [State, readonly Delta[]] {
  const { stop_reason, stop_details } = recordIn(delta)
  const why = textIn(recordIn(stop_details).explanation)
  return counted({ ...state, stop: textIn(stop_reason) || state.stop, why: why || state.why }, recordIn(usage))
}

/** Counts are sums so far. A count that is left out has not changed. */
function counted(state: State, reported: Fields): readonly [State, readonly Delta[]] {
  const or = (value: unknown, before: number): number => (typeof value === 'number' ? numberOf(value) : before)
  const usage: Usage = {
    input: or(reported.input_tokens, state.usage.input),
    output: or(reported.output_tokens, state.usage.output),
    cacheRead: or(reported.cache_read_input_tokens, state.usage.cacheRead),
    cacheWrite: or(reported.cache_creation_input_tokens, state.usage.cacheWrite),
  }
  return [{ ...state, usage }, [{ type: 'usage', usage }]]
}

function ending({ stop, why }: State): readonly Delta[] {
  if (stop === 'refusal') {
    const says = why === '' ? '' : `: ${why}`
    return [{ type: 'fault', fault: fault('refused', `the model declined to answer${says}`) }]
  }
  const isCut = stop === 'max_tokens' || stop === 'model_context_window_exceeded'
  return [isCut ? { type: 'done', stop: 'length' } : { type: 'done' }]
}
