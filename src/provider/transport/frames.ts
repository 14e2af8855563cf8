/** Turns the bytes of a streamed reply into frames (server-sent events, or lines of JSON) and frames into deltas. */
import { createParser } from 'eventsource-parser'
import { fault } from '../../model/fault.ts'
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, StreamDecoder } from '../../model/provider.ts'
import { isTooLong, lastLine, MOST_LINE_BYTES, NO_LINES, wholeLines } from './lines.ts'

/** One frame of a provider's reply: an event with its data, or a line of JSON. */
export type ReplyFrame = { readonly event: string; readonly data: string }

/** Decodes one kind of provider's reply, frame by frame. `State` is what it remembers between frames. */
export type FrameDecoder<State> = {
  readonly start: (request: Encoded) => State
  readonly read: (state: State, frame: ReplyFrame) => readonly [State, readonly Delta[]]
  /** The deltas for a reply whose bytes end here. */
  readonly end: (state: State) => readonly Delta[]
}

type DecoderOf = (request: Encoded) => StreamDecoder

/** Server-sent events: a blank line ends a frame, and a colon begins a comment. */
export const eventStream =
  <State>(decoder: FrameDecoder<State>): DecoderOf =>
  request =>
    streamDecoder(decoder, request, eventFrames())

/** One JSON object on each line. */
export const jsonLines =
  <State>(decoder: FrameDecoder<State>): DecoderOf =>
  request =>
    streamDecoder(decoder, request, lineFrames)

/** The frames that a text of whole lines completes. A frame that is too large is the last. */
type FramesIn = (text: string) => readonly (ReplyFrame | 'too-large')[]

function streamDecoder<State>({ start, read, end }: FrameDecoder<State>, request: Encoded, framesIn: FramesIn): StreamDecoder {
  let state = start(request)
  let lines = NO_LINES
  let isOver = false
  const readText = (text: string): readonly Delta[] => {
    const deltas: Delta[] = []
    for (const frame of framesIn(text)) {
      const [next, said]: readonly [State, readonly Delta[]] = frame === 'too-large' ? [state, [TOO_LARGE]] : read(state, frame)
      state = next
      for (const delta of said) {
        deltas.push(delta)
        isOver = delta.type === 'done' || delta.type === 'fault'
        if (isOver) return deltas
      }
    }
    return deltas
  }
  return {
    read: chunk => {
      if (isOver) return []
      const [rest, text] = wholeLines(lines, chunk)
      lines = rest
      const deltas = text === '' ? [] : readText(text)
      if (isOver || !isTooLong(rest)) return deltas
      isOver = true
      return [...deltas, TOO_LARGE]
    },
    end: () => {
      if (isOver) return []
      const before = state
      // Some servers leave out the last line break. If only half of a line came, the rest never did.
      const deltas = readText(`${lastLine(lines)}\n\n`)
      if (deltas.at(-1) === GARBLED) return end(before)
      return isOver ? deltas : [...deltas, ...end(state)]
    },
  }
}

const TOO_LARGE: Delta = { type: 'fault', fault: fault('too-large', 'the provider sent one piece of more than a mebibyte') }

/** The most characters of all data lines of one event. */
const MOST_FRAME_CHARACTERS = 4 * MOST_LINE_BYTES
/** The lines of an event that we need. For every unknown field the parser would make an `Error`. */
const ITS_LINES = /^(?:data|event)(?::|$)|^$/

function eventFrames(): FramesIn {
  let frames: (ReplyFrame | 'too-large')[] = []
  const parser = createParser({
    onEvent: ({ event = '', data }) => frames.push({ event, data }),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') frames.push('too-large')
    },
    maxBufferSize: MOST_FRAME_CHARACTERS,
  })
  return text => {
    frames = []
    // Only line feeds go to the parser: with carriage returns it searches the rest of the text at every line.
    const lines = text.split(/\r\n|\n|\r/)
    parser.feed(lines.filter(line => ITS_LINES.test(line)).join('\n'))
    return frames
  }
}

const lineFrames: FramesIn = text =>
  text.split(/\r\n|\n|\r/).flatMap(line => (line.trim() === '' ? [] : [{ event: '', data: line }]))

/** The JSON of a frame's data, or undefined if it is none. After one garbled frame, the rest of a reply is not trusted. */
export function parsedData(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export const GARBLED: Delta = { type: 'fault', fault: fault('garbled', 'the provider sent something that is not JSON') }

/** The fault for a reply that ended before it was complete. */
export const CUT_OFF: Delta = {
  type: 'fault',
  fault: fault('garbled', 'the reply stopped without saying that it was over'),
  again: true,
}

/** Makes names for calls that came without one: the same for the same request, but others for the next step of the turn. */
export function namesFor({ body }: Encoded): (index: number) => string {
  let root: string | undefined
  return index => {
    root ??= fingerprint(body)
    return `call_${root}_${index + 1}`
  }
}

function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}

export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0)
export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
export const recordIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
