/** Wraps a provider so that tool calls in its text come out as calls. */
import { setImmediate } from 'node:timers/promises'
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, Provider } from '../../model/provider.ts'
import { finish, isOver, parseReply, start } from './decode.ts'
import { textProtocol } from './encode.ts'

/** How much text a model may make up, and for how long, while we wait for the cost of its reply. */
const MOST_CHARACTERS_AFTER = 64 * 1024
const MOST_MS_AFTER = 2000
/** A model may send a megabyte at once. It is read in slices of this size, so that other work goes on. */
const MOST_AT_ONCE = 8 * 1024

/** Never cuts within a character. */
const cutAt = (text: string, at: number): number => (/[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at)

/** Wraps a provider whose model calls tools in its text, so that it looks like one with tools of its own. */
export function textSpoken(provider: Provider, clock: () => number = () => performance.now()): Provider {
  async function* speak(
    request: Encoded,
    signal: AbortSignal,
    ...waiting: [whose?: string, giveWay?: () => void]
  ): AsyncGenerator<Delta> {
    let reading = start(request.body)
    let overAt: number | undefined
    let charactersAfter = 0
    for await (const delta of provider.speak(request, signal, ...waiting)) {
      if (overAt !== undefined) {
        // The model may go on and make up what comes next. We wait only for the cost.
        if (delta.type === 'done' || delta.type === 'fault') break
        if ('text' in delta) charactersAfter += delta.text.length
        if (delta.type === 'usage') yield delta
        if (charactersAfter > MOST_CHARACTERS_AFTER || clock() - overAt > MOST_MS_AFTER) break
      } else if (delta.type === 'text') {
        for (let from = 0, to = 0; from < delta.text.length && !isOver(reading); from = to) {
          if (from > 0) await setImmediate()
          to = cutAt(delta.text, from + MOST_AT_ONCE)
          const [next, deltas] = parseReply(reading, delta.text.slice(from, to))
          reading = next
          yield* deltas
        }
        if (isOver(reading)) overAt = clock()
      } else {
        if (delta.type === 'done') yield* finish(reading)
        // An unfinished call does not count.
        if (delta.type === 'fault') yield* finish(reading).filter(({ type }) => type !== 'call')
        yield delta
      }
    }
    if (overAt !== undefined) yield { type: 'done' }
  }
  return { ...provider, wire: textProtocol(provider.wire), speak }
}
