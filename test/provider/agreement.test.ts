// The services' own clients and ours hear the same, on every script.
import assert from 'node:assert/strict'
import type { Delta } from '../../src/model/message/delta.ts'
import { DOORS } from './fakes/door.ts'
import type { Heard } from './fakes/heard.ts'
import { SCRIPTS } from './fakes/scripts.ts'
import { testWith } from './fakes/with-fake.ts'
import { clientFor, collected, type Reply, replyOf, requestTo } from './speaking.ts'

for (const { name, wire, flavour, client } of DOORS) {
  for (const [what, script] of Object.entries(SCRIPTS)) {
    testWith(`${name} and its client agree on ${what}`, { wire, flavour }, async fake => {
      fake.say(script, script)
      const theirs = await client.stream(fake)
      const provider = clientFor(name, fake.url)
      const deltas = await collected(provider.speak(requestTo(name), new AbortController().signal))
      provider.close?.()
      const ours = replyOf(deltas)
      assert.equal(ours.text, theirs.text + (theirs.refusal ?? ''))
      assert.equal(ours.thinking, theirs.thinking)
      assert.deepEqual(
        ours.calls.map(({ id, tool, args }) => ({
          id: theirs.calls.some(call => call.id === id) ? id : '',
          tool,
          args: parsed(args),
        })),
        theirs.calls,
      )
      assert.deepEqual(seals(name, ours), { signatures: theirs.signatures, redacted: theirs.redacted })
      assert.deepEqual(ours.usage, usageOf(name, theirs))
      assert.deepEqual(endOf(deltas), expectedEnd(theirs))
    })
  }
}

const parsed = (args: string): unknown => JSON.parse(args === '' ? '{}' : args)

/** OpenRouter seals everything at once, as the list of details it sent. */
function seals(
  name: string,
  { seals: signatures, redacted }: Reply,
): { signatures: readonly string[]; redacted: readonly string[] } {
  if (name !== 'openrouter') return { signatures, redacted }
  const details = signatures.flatMap(seal => JSON.parse(seal) as { type: string; signature?: string; data?: string }[])
  return {
    signatures: details.flatMap(({ signature = [] }) => signature),
    redacted: details.flatMap(({ type, data = [] }) => (type === 'reasoning.encrypted' ? data : [])),
  }
}

/** What each client was told, in our words. */
function usageOf(name: string, { usage }: Heard): unknown {
  if (name === 'anthropic') return usage
  const { prompt, output, cached = 0, written = 0, cost } = usage as Record<string, number>
  const cost_ = cost === undefined ? {} : { costUsd: cost }
  if (name !== 'ollama')
    return { input: (prompt ?? 0) - cached - written, output, cacheRead: cached, cacheWrite: written, ...cost_ }
  return { input: prompt, output, cacheRead: 0, cacheWrite: 0 }
}

const endOf = (deltas: readonly Delta[]): string => {
  const last = deltas.at(-1)
  if (last?.type === 'fault') return last.fault.kind
  return last?.type === 'done' ? (last.stop ?? 'done') : 'nothing'
}

function expectedEnd({ stop, refusal }: Heard): string {
  if (refusal !== null || stop === 'refusal' || stop === 'content_filter') return 'refused'
  return stop === 'max_tokens' || stop === 'length' ? 'length' : 'done'
}
