/** A provider without a network that speaks given replies, one for each request. */
import type { Delta } from '../model/message/delta.ts'
import type { Encoded, Provider } from '../model/provider.ts'
import { type DemoRequest, demoWire } from '../provider/demo/wire.ts'

/** A reply in a script: the deltas, or a function that makes them from the request and may wait in between. */
export type ScriptedReply = readonly Delta[] | ((request: DemoRequest, signal: AbortSignal) => AsyncIterable<Delta>)

export type ScriptedProvider = Provider & {
  /** Every request so far, exactly as it would have gone over the wire. */
  readonly requests: readonly Encoded[]
}

/** Gives the replies one after the other and keeps the requests. An unexpected request is an error, not a guess. */
export function scriptedProvider(replies: readonly ScriptedReply[]): ScriptedProvider {
  const requests: Encoded[] = []
  async function* speak(request: Encoded, signal: AbortSignal): AsyncGenerator<Delta> {
    const reply = replies[requests.length]
    requests.push(request)
    if (reply === undefined) throw new Error(`the script has ${replies.length} replies, this is request ${requests.length}`)
    if (typeof reply === 'function') yield* reply(JSON.parse(request.body) as DemoRequest, signal)
    else yield* reply
  }
  return { wire: demoWire, requests, speak }
}

/** The deltas of a plain reply, one for each piece. */
export const says = (...pieces: readonly string[]): readonly Delta[] => [
  ...pieces.map(text => ({ type: 'text', text }) as const),
  { type: 'done' },
]

/** The deltas of a reply that calls a tool. */
export const calls = (tool: string, args: unknown, call = 'c1'): readonly Delta[] => [
  { type: 'call', call, tool, text: JSON.stringify(args) },
  { type: 'done' },
]
