// Which of its early turns an advisor is in, when it only asks.
import type { Council } from '../../../src/model/settings/council.ts'
import type { ReplyEntry, ViewEntry } from '../view/view.ts'

/** While an advisor only asks: which of its turns this is, and of how many. */
export type Gathering = { readonly turn: number; readonly of: number | null }

/**
 * Null where an advisor says what it thinks. That it only asks is on its receipt; which turn it is, is how often it has
 * answered before. How many there are, the council knows, unless it was changed since to fewer.
 */
export function gatheringOf(entries: readonly ViewEntry[], entry: ReplyEntry, council: Council | undefined): Gathering | null {
  const receipt = entry.steps.find(step => step.receipt !== null)?.receipt
  if (receipt?.in.some(({ reason }) => reason === 'note.turn') !== true) return null
  const turn = 1 + new Set(entries.flatMap(other => (isEarlierAnswer(other, entry) ? [other.turn] : []))).size
  const of = council?.early.turns ?? 0
  return { turn, of: turn <= of ? of : null }
}

function isEarlierAnswer(other: ViewEntry, { seq, voice, turn }: ReplyEntry): other is ReplyEntry {
  if (other.kind !== 'reply' || other.voice !== voice || other.turn === turn || other.seq > seq) return false
  return other.end !== null && other.end !== 'continued' && other.end.reason === 'done'
}

export const gatheringWords = ({ turn, of }: Gathering): string =>
  `${of === null ? `Turn ${turn}` : `Turn ${turn} of ${of}`} – gathering`

/** What all advisors of a round share, to say it once; null if they differ or none of them only asks. */
export function sharedGathering(all: readonly (Gathering | null)[]): Gathering | null {
  const [first, ...others] = all
  if (first === undefined || first === null) return null
  return others.every(each => each?.turn === first.turn && each.of === first.of) ? first : null
}
