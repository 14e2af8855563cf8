import type { Part } from '../../src/model/event.ts'
import type { Data, Frame } from '../gateway/http/frames.ts'

/** A reader of one session who comes back as often as the gateway dies, and puts together what it hears. */
export type Hearing = {
  /** Every event, in the order in which it came. */
  readonly events: readonly Data[]
  /** The last id that was heard, to come back with. */
  readonly cursor: () => number
  /** How many replies were heard word by word, and compared with what was written down of them. */
  readonly compared: () => number
  /** What no reader may ever hear. */
  readonly faults: string[]
  readonly connect: () => void
  readonly hear: (frame: Frame) => void
}

type Words = { text: string; connection: number }

export function createHearing(): Hearing {
  const events: Data[] = []
  const faults: string[] = []
  /** What the deltas of a reply say so far, part by part. */
  const replies = new Map<string, Map<number, Words>>()
  let connection = 0
  let compared = 0

  const hearDelta = ({ turn, step, part, offset, text }: Data): void => {
    const parts = replies.get(`${turn} ${step}`) ?? new Map<number, Words>()
    replies.set(`${turn} ${step}`, parts)
    const before = parts.get(part)?.text ?? ''
    if (offset !== 0 && offset !== before.length)
      faults.push(`a delta of step ${step} begins at ${offset}, and ${before.length} were heard: ${JSON.stringify(text)}`)
    parts.set(part, { text: before.slice(0, offset) + text, connection })
  }

  const hearReply = ({ type, turn, step, parts }: Data): void => {
    const heard = replies.get(`${turn} ${step}`)
    replies.delete(`${turn} ${step}`)
    for (const [index, { text, connection: when }] of heard ?? []) {
      const part = (parts as readonly Part[])[index]
      if (part?.type !== 'text') continue
      // Whoever has just come back may have missed the end, and what a dead gateway said last may not have been kept.
      const isWhole = type === 'reply.finished' && when === connection
      const fits = isWhole ? part.text === text : part.text.startsWith(text) || text.startsWith(part.text)
      if (!fits) faults.push(`heard ${JSON.stringify(text)}, written down as ${JSON.stringify(part.text)}`)
      if (isWhole) compared += 1
    }
  }

  return {
    events,
    cursor: () => events.at(-1)?.seq ?? 0,
    compared: () => compared,
    faults,
    connect: () => {
      connection += 1
    },
    hear: ({ id, event, data }) => {
      if (event === 'delta') hearDelta(data)
      if (event === 'reset' || event === 'fault') faults.push(`a ${event}: ${JSON.stringify(data)}`)
      if (id === undefined) return
      const expected = (events.at(-1)?.seq ?? 0) + 1
      if (id !== expected || data.seq !== id) faults.push(`event ${id} came where ${expected} was expected`)
      events.push({ type: event, ...data })
      // Asked once more: whatever was said of it begins anew.
      if (event === 'context.planned') replies.delete(`${data.turn} ${data.step}`)
      if (event === 'reply.finished' || event === 'reply.broken') hearReply({ type: event, ...data })
    },
  }
}
