/** Reads the gateway's event stream in chunks; the frames are the same however the chunks were cut. */
import { createParser } from 'eventsource-parser'

/** One dispatched server-sent event. `id` is null where the frame itself carried none: deltas never move a cursor. */
export type StreamFrame = { readonly event: string; readonly data: string; readonly id: string | null }

export type FrameReader = {
  /** The frames that became complete with this chunk. A reader is fed bytes or text, not both. */
  readonly read: (chunk: Uint8Array | string) => readonly StreamFrame[]
}

export function createFrameReader(): FrameReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let hasBegun = false
  let frames: StreamFrame[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data, id = null }) => frames.push({ event, data, id }),
  })
  return {
    read: chunk => {
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
      if (text === '') return []
      frames = []
      // The parser knows the byte order mark only as three characters.
      parser.feed(hasBegun || !text.startsWith('\uFEFF') ? text : text.slice(1))
      hasBegun = true
      return frames
    },
  }
}
