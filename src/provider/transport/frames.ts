import { fault } from '../../model/fault.ts'
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, Hearing } from '../../model/provider.ts'
import { isTooLong, type Lines, lastLine, linesOf, MOST_LINE_BYTES, NO_LINES } from './lines.ts'

/** One thing a provider says: an event with its data, or a line of JSON. */
export type Frame = { readonly event: string; readonly data: string }

/** A frame that is not whole yet; without data it is none. */
type Framing = { readonly event: string; readonly data: string | null }

const NO_FRAME: Framing = { event: '', data: null }
const MOST_FRAME_CHARACTERS = 4 * MOST_LINE_BYTES

/** What a wire knows of a reply while it hears it. */
export type Dialogue<Own> = {
  readonly start: (request: Encoded) => Own
  readonly hear: (own: Own, frame: Frame) => readonly [Own, readonly Delta[]]
  /** The bytes are over; whatever is not said now never will be. */
  readonly end: (own: Own) => readonly Delta[]
}

export type Heard<Own> = { readonly lines: Lines; readonly framing: Framing; readonly own: Own; readonly isOver: boolean }

/** Server-sent events: a blank line ends a frame, a colon begins a comment. */
export const eventStream = <Own>(dialogue: Dialogue<Own>): Hearing<Heard<Own>> => framed(dialogue, takeEvent)

/** One JSON object to a line. */
export const jsonLines = <Own>(dialogue: Dialogue<Own>): Hearing<Heard<Own>> => framed(dialogue, takeLine)

type Take = (framing: Framing, line: string) => readonly [Framing, Frame | undefined]

function framed<Own>({ start, hear, end }: Dialogue<Own>, take: Take): Hearing<Heard<Own>> {
  const hearLines = (state: Heard<Own>, lines: readonly string[]): readonly [Heard<Own>, readonly Delta[]] => {
    let { framing, own } = state
    const deltas: Delta[] = []
    for (const line of lines) {
      const [next, frame] = take(framing, line)
      framing = next
      if ((framing.data?.length ?? 0) > MOST_FRAME_CHARACTERS)
        return [{ ...state, framing, isOver: true }, [...deltas, TOO_LARGE]]
      if (frame === undefined) continue
      const [after, heard] = hear(own, frame)
      own = after
      for (const delta of heard) {
        deltas.push(delta)
        if (delta.type === 'done' || delta.type === 'fault') return [{ ...state, framing, own, isOver: true }, deltas]
      }
    }
    return [{ ...state, framing, own }, deltas]
  }
  return {
    start: request => ({ lines: NO_LINES, framing: NO_FRAME, own: start(request), isOver: false }),
    step: (state, chunk) => {
      if (state.isOver) return [state, []]
      const [lines, whole] = linesOf(state.lines, chunk)
      const [heard, deltas] = hearLines({ ...state, lines }, whole)
      if (heard.isOver || !isTooLong(lines)) return [heard, deltas]
      return [{ ...heard, isOver: true }, [...deltas, TOO_LARGE]]
    },
    end: state => {
      if (state.isOver) return []
      // Some servers leave out the last break; half of a line says only that the rest never came.
      const [heard, deltas] = hearLines(state, [lastLine(state.lines), ''])
      if (deltas.at(-1) === GARBLED) return end(state.own)
      return heard.isOver ? deltas : [...deltas, ...end(heard.own)]
    },
  }
}

const TOO_LARGE: Delta = { type: 'fault', fault: fault('too-large', 'the provider sent one piece of more than a mebibyte') }

const takeEvent: Take = (framing, line) => {
  const { event, data } = framing
  if (line === '') return [NO_FRAME, data === null ? undefined : { event, data }]
  const colon = line.indexOf(':')
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (name === 'data') return [{ event, data: data === null ? value : `${data}\n${value}` }, undefined]
  return [name === 'event' ? { event: value, data } : framing, undefined]
}

const takeLine: Take = (framing, line) => [framing, line.trim() === '' ? undefined : { event: '', data: line }]

/** What a frame's data says, if it is JSON; a provider that garbles one frame is not believed in the next. */
export function parsed(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export const GARBLED: Delta = { type: 'fault', fault: fault('garbled', 'the provider sent something that is not JSON') }

/** Nothing of a reply was promised to come after this, and yet it did not come. */
export const CUT_OFF: Delta = {
  type: 'fault',
  fault: fault('garbled', 'the reply stopped without saying that it was over'),
  again: true,
}

/** Names for calls that came without one: the same for the same request, another for the next step of the turn. */
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
