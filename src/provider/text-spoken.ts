import type { Delta } from '../model/delta.ts'
import type { Encoded, Provider } from '../model/provider.ts'
import { textProtocol } from './text-protocol.ts'
import { finish, isOver, parse, start } from './text-reply.ts'

/** A provider whose model calls tools in its text; it is heard as one that has tools of its own. */
export function textSpoken(provider: Provider): Provider {
  async function* speak(request: Encoded, signal: AbortSignal): AsyncGenerator<Delta> {
    let reading = start(request.body)
    for await (const delta of provider.speak(request, signal)) {
      if (delta.type === 'text') {
        const [next, deltas] = parse(reading, delta.text)
        reading = next
        yield* deltas
        // The model may go on and make up what comes next; nobody waits for it.
        if (isOver(reading)) return yield { type: 'done' }
      } else {
        if (delta.type === 'done') yield* finish(reading)
        yield delta
      }
    }
  }
  return { ...provider, wire: textProtocol(provider.wire), speak }
}
