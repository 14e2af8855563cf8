/** How the fake provider answers as OpenRouter. */
import { type FakeStop, type Filled, inPieces } from '../fake-script.ts'
import { type FlavourWords, openaiFlavour } from './flavour.ts'

type FakePart = Filled['says'][number]

const COMMENT = ': OPENROUTER PROCESSING\n\n'
const FINISH_REASONS: Readonly<Record<FakeStop, string>> = {
  end: 'stop',
  length: 'length',
  tool: 'tool_calls',
  refusal: 'content_filter',
}
const NATIVE_REASONS: Readonly<Record<FakeStop, string>> = {
  end: 'end_turn',
  length: 'max_tokens',
  tool: 'tool_use',
  refusal: 'refusal',
}

/** Chat completions of OpenRouter, for a model that thinks aloud. */
export const openrouterFlavour: FlavourWords = {
  id: ({ ordinal }) => `gen-fake-${ordinal}`,
  before: [COMMENT, COMMENT],
  chunk: { provider: 'Fake' },
  spoken: {},
  choice: stop => ({ native_finish_reason: stop && NATIVE_REASONS[stop] }),
  finish: stop => FINISH_REASONS[stop],
  thinking: (said, index, every) => {
    if (said.type === 'redacted') return [{ content: '', reasoning: null, reasoning_details: [detail(said, index)] }]
    if (said.type !== 'think') return []
    const pieces = inPieces(said.text, every).map(text => ({
      content: '',
      reasoning: text,
      reasoning_details: [detail({ type: 'think', text }, index)],
    }))
    // The signature comes last and alone, without a text: https://github.com/earendil-works/pi/issues/9534
    const seal = { type: 'reasoning.text', signature: said.signature, format: FORMAT, index }
    return said.signature === undefined ? pieces : [...pieces, { content: '', reasoning: null, reasoning_details: [seal] }]
  },
  thought: says => {
    const thoughts = says.flatMap(said => (said.type === 'think' ? [said.text] : []))
    const details = says.flatMap((said, index) =>
      said.type === 'think' || said.type === 'redacted' ? [detail(said, index)] : [],
    )
    return details.length === 0 ? {} : { reasoning: thoughts.join(''), reasoning_details: details }
  },
  callExtra: openaiFlavour.callExtra,
  missing: openaiFlavour.missing,
  usage: ({ cost = 0 }) => ({ cost, is_byok: false, cost_details: { upstream_inference_cost: null } }),
  refuses: false,
  ping: COMMENT,
  errorBody: (code, { message }) => ({ error: { message, code } }),
  errorChunk: ({ type, message }) => ({
    error: { code: type, message },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
  }),
  headers: ({ ordinal }) => ({ 'x-generation-id': `gen-fake-${ordinal}` }),
}

const FORMAT = 'anthropic-claude-v1'

const detail = (said: Extract<FakePart, { type: 'think' | 'redacted' }>, index: number): object =>
  said.type === 'think'
    ? {
        type: 'reasoning.text',
        text: said.text,
        ...(said.signature === undefined ? {} : { signature: said.signature }),
        format: FORMAT,
        index,
      }
    : { type: 'reasoning.encrypted', data: said.data, format: FORMAT, index }
