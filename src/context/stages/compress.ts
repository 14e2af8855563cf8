/** Stage 4, compress, up to the fourth version: the newest summary replaces everything it covers. Since then a window chooses folds. */
import { type Draft, leftOut, type PlacedDraft } from './draft.ts'

/** Puts the newest summary first and leaves out everything up to where it was folded. */
export function compress(placed: PlacedDraft): PlacedDraft {
  const summary = placed.past.findLast(beat => beat.kind === 'summary')
  if (summary === undefined) return placed
  const isCovered = (beat: PlacedDraft['past'][number]): boolean =>
    beat !== summary && (beat.kind === 'summary' || beat.seq <= summary.through)
  const folded = [...placed.head, ...placed.past].filter(isCovered)
  const head = placed.head.filter(beat => !isCovered(beat))
  return {
    ...placed,
    head,
    // A note may be in the voice's own words only after a person's message.
    note: placed.note === null || head.length > 0 ? placed.note : { ...placed.note, role: 'user' },
    past: [summary, ...placed.past.filter(beat => beat !== summary && !isCovered(beat))],
    left: [...placed.left, ...folded.map(beat => leftOut(beat, 'out.folded'))],
  }
}

/** A conversation for a window that chooses folds: they are read by themselves, wherever they are in the log. */
export const withoutSummaries = (draft: Draft): Draft => ({
  ...draft,
  beats: draft.beats.filter(({ kind }) => kind !== 'summary'),
})
