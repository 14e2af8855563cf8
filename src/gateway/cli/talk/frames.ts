/** Reads the gateway's event stream back into signals. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { Signal } from '../../../engine.ts'

/** The signals in a stream of server-sent events, however its bytes are split. */
export async function* signalsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Signal> {
  const decoder = new TextDecoder()
  let messages: EventSourceMessage[] = []
  const parser = createParser({ onEvent: message => messages.push(message) })
  for await (const bytes of body) {
    messages = []
    parser.feed(decoder.decode(bytes, { stream: true }))
    for (const message of messages) {
      const signal = signalOf(message)
      if (signal !== undefined) yield signal
    }
  }
}

/** The counterpart of the gateway's `frameOf`. */
function signalOf({ event: type, data }: EventSourceMessage): Signal | undefined {
  if (type === undefined) return undefined
  const value = JSON.parse(data)
  if (type === 'delta') return { type, delta: value }
  if (type === 'notice') return { type, notice: value }
  if (type === 'fault') return { type, fault: value }
  if (type === 'reset') return { type }
  return { type: 'event', event: { type, tokens: 0, ...value } }
}
