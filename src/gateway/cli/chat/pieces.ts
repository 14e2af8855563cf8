import type { HeardDelta } from '../../../model/message/delta.ts'

/** What of a delta was not heard yet. Deltas may be missed, events may not: a whole part gives whatever is left of it. */
export type Pieces = (delta: Pick<HeardDelta, 'turn' | 'step' | 'part' | 'offset' | 'text'>) => string

export function createPieces(): Pieces {
  const heard = new Map<string, number>()
  return ({ turn, step, part, offset, text }) => {
    const key = `${turn} ${step} ${part}`
    const before = heard.get(key) ?? 0
    if (offset > before || offset + text.length <= before) return ''
    heard.set(key, offset + text.length)
    return text.slice(before - offset)
  }
}
