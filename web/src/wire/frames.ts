/** One dispatched server-sent event. `id` is null where the frame itself carried none: deltas never move a cursor. */
export type Frame = { readonly event: string; readonly data: string; readonly id: string | null }

export type FrameReader = {
  /** The frames that became complete with this chunk. A reader is fed bytes or text, not both. */
  readonly read: (chunk: Uint8Array | string) => readonly Frame[]
}

/** Reads an event stream in pieces; where the pieces were cut makes no difference to the frames. */
export function createFrameReader(): FrameReader {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let reading: Reading = BEGINNING
  return {
    read: chunk => {
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
      const step = readText(reading, text)
      reading = step.reading
      return step.frames
    },
  }
}

/** What is known between two chunks: an unfinished line and the fields of an unfinished frame. */
type Reading = {
  readonly begun: boolean
  /** The last line ended with a carriage return; a line feed right after it belongs to the same end. */
  readonly afterReturn: boolean
  readonly line: string
  readonly data: readonly string[]
  readonly event: string
  readonly id: string | null
}

const BEGINNING: Reading = { begun: false, afterReturn: false, line: '', data: [], event: '', id: null }

function readText(before: Reading, chunk: string): { readonly reading: Reading; readonly frames: readonly Frame[] } {
  if (chunk === '') return { reading: before, frames: [] }
  let text = !before.begun && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk
  if (before.afterReturn && text.startsWith('\n')) text = text.slice(1)
  const lines = text.split(/\r\n|\r|\n/)
  lines[0] = before.line + lines[0]
  const rest = lines.pop() ?? ''

  const frames: Frame[] = []
  let fields: Reading = before
  for (const line of lines) {
    if (line !== '') {
      fields = readField(fields, line)
      continue
    }
    // A frame without data is not dispatched, but it ends what was collected.
    if (fields.data.length > 0) frames.push({ event: fields.event || 'message', data: fields.data.join('\n'), id: fields.id })
    fields = BEGINNING
  }
  return { reading: { ...fields, begun: true, afterReturn: text.endsWith('\r'), line: rest }, frames }
}

function readField(fields: Reading, line: string): Reading {
  const colon = line.indexOf(':')
  if (colon === 0) return fields
  const name = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (name === 'data') return { ...fields, data: [...fields.data, value] }
  if (name === 'event') return { ...fields, event: value }
  if (name === 'id' && !value.includes('\0')) return { ...fields, id: value }
  return fields
}
