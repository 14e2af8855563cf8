import type { FakePart, Script } from '../../../src/testing/index.ts'

const usage = { input: 31, output: 17, cacheRead: 1024, cacheWrite: 256, cost: 0.0125 }
const clock: FakePart = { type: 'call', id: 'call_clock', tool: 'clock', args: '{"zone":"Europe/Oslo","with":[1,"ü😀"]}' }
const weather: FakePart = { type: 'call', id: 'call_weather', tool: 'weather', args: '{}' }

/** What a model may say, each with all that a wire can tell of it. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  'a plain text': { says: [{ type: 'text', text: 'It rains in Oslo, and the wind is from the west.' }], usage },
  'thinking with a signature': {
    says: [
      { type: 'think', text: 'They ask for the weather. I know it.', signature: 'EqQBCgIYAhIk+/=' },
      { type: 'text', text: 'Rain.' },
    ],
    usage,
  },
  'redacted thinking': {
    says: [
      { type: 'redacted', data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' },
      { type: 'text', text: 'Rain.' },
    ],
    usage,
  },
  'one call': { says: [{ type: 'text', text: 'I look.' }, clock], usage },
  'two calls at once': { says: [clock, weather], usage },
  'a refusal': { says: [{ type: 'text', text: 'I cannot help with that.' }], stop: 'refusal', usage },
  'a text that was cut short': { says: [{ type: 'text', text: 'One, two, thr' }], stop: 'length', usage },
  'letters of every length': {
    says: [{ type: 'text', text: 'Grüße, 世界! 👩‍👩‍👧‍👦 𝒳 \u2028 "quoted" \\ \n\t end' }],
    every: 1,
    usage,
  },
  'an empty text': { says: [{ type: 'text', text: '' }], usage },
  'nothing at all': { says: [], usage },
  'a large delta': { says: [{ type: 'text', text: 'x'.repeat(100_000) }], every: 65_536, usage },
}
