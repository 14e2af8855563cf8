/** How the fake provider answers as a chat completions API. */
import { type FakeFlavour, type FakeStop, type FakeUsage, type Filled, type FilledCall, inPieces } from '../fake-script.ts'
import { type Asked, CREATED, type Dialect, type FakeFrame } from './dialect.ts'
import { type FlavourWords, openaiFlavour } from './flavour.ts'
import { geminiFlavour } from './gemini.ts'
import { openrouterFlavour } from './openrouter.ts'

type FakePart = Filled['says'][number]

const FLAVOURS: Readonly<Record<FakeFlavour, FlavourWords>> = {
  openai: openaiFlavour,
  openrouter: openrouterFlavour,
  gemini: geminiFlavour,
}

const words = ({ flavour }: Pick<Asked, 'flavour'>): FlavourWords => FLAVOURS[flavour]

/** Chat completions of OpenAI, OpenRouter and Gemini. */
export const openaiDialect: Dialect = {
  path: '/v1/chat/completions',
  contentType: 'text/event-stream; charset=utf-8',
  callPrefix: 'call_',
  keyHeaders: ['authorization'],
  frames,
  whole,
  errorBody: (code, error, asked) => words(asked).errorBody(code, error),
  errorFrame: (error, asked) => {
    const chunk = words(asked).errorChunk(error)
    return data(chunk === null ? openaiFlavour.errorBody(500, error) : { ...chunkOf(asked), ...chunk })
  },
  ping: asked => words(asked).ping,
  unknown: (name, asked) =>
    `event: ${name}\n${data({ ...chunkOf(asked), object: name, choices: [], [name]: { command: 'do as I say' } })}`,
  badJson: 'data: {"id":"chatcmpl-fake","object":"chat.completion.chunk","choices":[{"ind\n\n',
  headers: asked => words(asked).headers(asked),
  missing: (json, asked) => words(asked).missing(json),
}

function frames(script: Filled, asked: Asked): readonly FakeFrame[] {
  const flavour = words(asked)
  const counts = asked.wantsUsage && asked.flavour === 'openai' ? { usage: null } : {}
  const chunk = (delta: object, stop: FakeStop | null = null): string => {
    const choice = { index: 0, delta, logprobs: null, finish_reason: stop && flavour.finish(stop), ...flavour.choice(stop) }
    return data({ ...chunkOf(asked), choices: [choice], ...counts, ...flavour.spoken })
  }
  const field = refused(script, flavour) ? 'refusal' : 'content'
  const around = (piece: string): string => chunk({ [field]: piece })
  const calls = script.says.filter(said => said.type === 'call')
  const speak = (said: FakePart, index: number): readonly FakeFrame[] => {
    if (said.type === 'text') return inPieces(said.text, script.every).map(piece => ({ text: around(piece), around }))
    if (said.type === 'call')
      return callDeltas(extended(said, calls.indexOf(said), flavour), calls.indexOf(said), script.every).map(delta => ({
        text: chunk(delta),
      }))
    return flavour.thinking(said, index, script.every).map(delta => ({ text: chunk(delta) }))
  }
  const speaks = script.says.some(said => said.type === 'text') && field === 'content'
  return [
    ...flavour.before.map(text => ({ text })),
    { text: chunk({ role: 'assistant', content: speaks ? '' : null, refusal: null }) },
    ...script.says.flatMap(speak),
    { text: chunk({}, script.stop), ends: true },
    ...(asked.wantsUsage
      ? [{ text: data({ ...chunkOf(asked), choices: [], usage: usage(script.usage, flavour) }), ends: true as const }]
      : []),
    { text: 'data: [DONE]\n\n', ends: true },
  ]
}

/** Id and name come first, then the arguments piece by piece. */
const callDeltas = ({ id, tool, args, extra }: FilledCall, index: number, every: number): readonly object[] => [
  { tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' }, ...extra }] },
  ...inPieces(args, every).map(piece => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
]

function whole(script: Filled, asked: Asked): object {
  const flavour = words(asked)
  const texts = script.says.flatMap(said => (said.type === 'text' ? [said.text] : []))
  const text = texts.length === 0 ? null : texts.join('')
  const calls = script.says.filter(said => said.type === 'call')
  const refusal = refused(script, flavour)
  const message = {
    role: 'assistant',
    content: refusal ? null : text,
    refusal: refusal ? text : null,
    annotations: [],
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => wholeCall(extended(call, index, flavour))) }),
    ...flavour.thought(script.says),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: flavour.finish(script.stop), ...flavour.choice(script.stop) }
  return { ...chunkOf(asked), object: 'chat.completion', choices: [choice], usage: usage(script.usage, flavour) }
}

/** A call with the fields that its service adds, and those of the script. */
const extended = (call: FilledCall, index: number, flavour: FlavourWords): FilledCall => ({
  ...call,
  extra: { ...flavour.callExtra(call, index), ...call.extra },
})

const wholeCall = ({ id, tool, args, extra }: FilledCall): object => ({
  id,
  type: 'function',
  function: { name: tool, arguments: args },
  ...extra,
})

const refused = ({ stop }: Filled, { refuses }: FlavourWords): boolean => refuses && stop === 'refusal'

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

const chunkOf = (asked: Asked): object => ({
  id: words(asked).id(asked),
  object: 'chat.completion.chunk',
  created: CREATED,
  model: asked.model,
  ...words(asked).chunk,
})

/** Cached tokens are part of the prompt here. */
const usage = (spent: FakeUsage, flavour: FlavourWords): object => {
  const prompt = spent.input + spent.cacheRead + spent.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: spent.output,
    total_tokens: prompt + spent.output,
    prompt_tokens_details: { cached_tokens: spent.cacheRead, cache_write_tokens: spent.cacheWrite, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...flavour.usage(spent),
  }
}
