import type { Signal } from '../../../engine.ts'

/** The signals in a stream of server-sent events, wherever its bytes were cut. */
export async function* signalsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Signal> {
  const decoder = new TextDecoder()
  let waiting = ''
  for await (const bytes of body) {
    const frames = (waiting + decoder.decode(bytes, { stream: true })).split('\n\n')
    waiting = frames.pop() ?? ''
    for (const frame of frames) {
      const signal = signalOf(frame)
      if (signal !== undefined) yield signal
    }
  }
}

/** The other side of the gateway's `frameOf`; a comment is no signal. */
function signalOf(frame: string): Signal | undefined {
  const fields = new Map(frame.split('\n').map(line => line.split(/: (.*)/s, 2) as [string, string]))
  const type = fields.get('event')
  const data = fields.get('data')
  if (type === undefined || data === undefined) return undefined
  const value = JSON.parse(data)
  if (type === 'delta') return { type, delta: value }
  if (type === 'notice') return { type, notice: value }
  if (type === 'fault') return { type, fault: value }
  if (type === 'reset') return { type }
  return { type: 'event', event: { type, tokens: 0, ...value } }
}
