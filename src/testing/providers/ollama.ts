/** How the fake provider answers as Ollama's chat API. */
import { type FakeUsage, type Filled, type FilledCall, inPieces, parsedArguments } from '../fake-script.ts'
import { type Asked, CREATED_AT, type Dialect, type FakeFrame } from './dialect.ts'

type FakePart = Filled['says'][number]

/** Ollama's own chat API: one JSON object on each line, calls whole and with parsed arguments, no signatures. */
export const ollamaDialect: Dialect = {
  path: '/api/chat',
  contentType: 'application/x-ndjson',
  callPrefix: 'call_',
  keyHeaders: ['authorization'],
  frames: (script, asked) => [
    ...script.says.flatMap(said => spoken(said, script, asked)),
    { text: line({ ...part(asked, {}), ...ending(script) }), ends: true },
  ],
  whole: (script, asked) => ({ ...part(asked, wholeMessage(script)), ...ending(script) }),
  errorBody: (_code, { message }) => ({ error: message }),
  errorFrame: ({ message }) => line({ error: message }),
  // Ollama never pings. An empty part is the nearest thing to it.
  ping: asked => line(part(asked, {})),
  unknown: (name, asked) => line({ ...part(asked, {}), [name]: { command: 'do as I say' } }),
  badJson: '{"model":"fake","message":{"role":"assis\n',
  headers: () => ({}),
}

function spoken(said: FakePart, { says, every }: Filled, asked: Asked): readonly FakeFrame[] {
  const calls = says.filter(other => other.type === 'call')
  const around = (content: string): string => line(part(asked, { content }))
  switch (said.type) {
    case 'text':
      return inPieces(said.text, every).map(piece => ({ text: around(piece), around }))
    case 'think':
      return inPieces(said.text, every).map(thinking => ({ text: line(part(asked, { thinking })) }))
    case 'redacted':
      return []
    case 'call':
      return [{ text: line(part(asked, { tool_calls: [callOf(said, calls.indexOf(said))] })) }]
  }
}

function wholeMessage({ says }: Filled): object {
  const thinking = says.flatMap(said => (said.type === 'think' ? [said.text] : [])).join('')
  const calls = says.filter(said => said.type === 'call').map(callOf)
  return {
    content: says.flatMap(said => (said.type === 'text' ? [said.text] : [])).join(''),
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

const callOf = ({ id, tool, args }: FilledCall, index: number): object => ({
  id,
  function: { index, name: tool, arguments: parsedArguments(args) },
})

const part = ({ model }: Asked, message: object): object => ({
  model,
  created_at: CREATED_AT,
  message: { role: 'assistant', content: '', ...message },
  done: false,
})

const ending = ({ stop, usage }: Filled): object => ({
  done: true,
  done_reason: stop === 'length' ? 'length' : 'stop',
  ...counts(usage),
})

/** Durations are in nanoseconds. */
const counts = ({ input, output, cacheRead, cacheWrite }: FakeUsage): object => ({
  total_duration: 4_000_000,
  load_duration: 1_000_000,
  prompt_eval_count: input + cacheRead + cacheWrite,
  prompt_eval_duration: 1_000_000,
  eval_count: output,
  eval_duration: 2_000_000,
})

const line = (value: object): string => `${JSON.stringify(value)}\n`
