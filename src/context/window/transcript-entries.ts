/** Counts the entries of a transcript: what windows of kind `last` count when a policy sends one text. */
import type { Beat } from '../stages/draft.ts'
import type { Unit } from './window-kind.ts'

/** How many entries of a transcript a beat becomes: what a person or voice said, each call, each result. */
export function entriesOf(beat: Beat): number {
  if (beat.kind !== 'said') return 1
  const words = beat.parts.some(part => part.type === 'text') ? 1 : 0
  return words + beat.parts.filter(part => part.type === 'call').length + beat.answers.length
}

/** The index of the first unit of the longest end of the past that has at most `most` entries; whole messages only. */
export function lastEntries(units: readonly Unit[], most: number): number {
  let entries = 0
  for (let index = units.length - 1; index >= 0; index -= 1) {
    entries += (units[index]?.beats ?? []).reduce((sum, beat) => sum + entriesOf(beat), 0)
    if (entries > most) return index + 1
  }
  return 0
}
