import { leftOut, type Placed } from './draft.ts'

/** Believes the newest summary: it stands first, for everything up to where it was folded. */
export function compress(placed: Placed): Placed {
  const summary = placed.past.findLast(beat => beat.kind === 'summary')
  if (summary === undefined) return placed
  const isCovered = (beat: Placed['past'][number]): boolean =>
    beat !== summary && (beat.kind === 'summary' || beat.seq <= summary.through)
  const folded = [...placed.head, ...placed.past].filter(isCovered)
  const head = placed.head.filter(beat => !isCovered(beat))
  return {
    ...placed,
    head,
    // Without a head before it, the note may not stand in the voice's own mouth.
    note: placed.note === null || head.length > 0 ? placed.note : { ...placed.note, role: 'user' },
    past: [summary, ...placed.past.filter(beat => beat !== summary && !isCovered(beat))],
    left: [...placed.left, ...folded.map(beat => leftOut(beat, 'out.folded'))],
  }
}
