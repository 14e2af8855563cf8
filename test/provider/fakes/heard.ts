import assert from 'node:assert/strict'
import type { FakePart, Script } from '../../../src/testing/index.ts'

/** What a service's own client makes of an answer, in one form for all of them. */
export type Heard = {
  readonly text: string
  readonly refusal: string | null
  readonly thinking: string
  readonly signatures: readonly string[]
  readonly redacted: readonly string[]
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly args: unknown }[]
  readonly stop: string
  readonly usage: unknown
}

/** What each service can tell of a script. Written by hand from their documentation, not from the fakes. */
export function expected(name: string, script: Script): Heard {
  const says = script.says ?? []
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost } = script.usage ?? {}
  const calls = says.filter(said => said.type === 'call')
  const stop = script.stop ?? (calls.length > 0 ? 'tool' : 'end')
  const text = joined(says, 'text')
  const heard = {
    text,
    refusal: null,
    thinking: joined(says, 'think'),
    signatures: says.flatMap(said => (said.type === 'think' && said.signature !== undefined ? [said.signature] : [])),
    redacted: says.flatMap(said => (said.type === 'redacted' ? [said.data] : [])),
    calls: calls.map(({ id = '', tool, args }) => ({ id, tool, args: JSON.parse(args) })),
  }
  const silent = { thinking: '', signatures: [], redacted: [] }
  const prompt = input + cacheRead + cacheWrite
  const counted = { prompt, output, total: prompt + output, cached: cacheRead, written: cacheWrite }
  switch (name) {
    case 'anthropic': {
      const reasons = { end: 'end_turn', length: 'max_tokens', tool: 'tool_use', refusal: 'refusal' }
      return { ...heard, stop: reasons[stop], usage: { input, output, cacheRead, cacheWrite } }
    }
    case 'openai': {
      const reasons = { end: 'stop', length: 'length', tool: 'tool_calls', refusal: 'stop' }
      const refusal = stop === 'refusal' ? { text: '', refusal: text } : {}
      return { ...heard, ...silent, ...refusal, stop: reasons[stop], usage: counted }
    }
    case 'openrouter': {
      const reasons = { end: 'stop', length: 'length', tool: 'tool_calls', refusal: 'content_filter' }
      return { ...heard, stop: reasons[stop], usage: { ...counted, cost } }
    }
    case 'ollama':
      return {
        ...heard,
        ...silent,
        thinking: heard.thinking,
        stop: stop === 'length' ? 'length' : 'stop',
        usage: { prompt, output },
      }
    default:
      return assert.fail(name)
  }
}

const joined = (says: readonly FakePart[], type: 'text' | 'think'): string =>
  says.flatMap(said => (said.type === type ? [said.text] : [])).join('')
