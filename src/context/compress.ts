import type { Material } from '../model/plan.ts'
import { type Draft, leaveOut } from './draft.ts'
import { isPast } from './window.ts'

/** Believes the newest summary: it stands first, for everything up to where it was folded. */
export function compress(draft: Draft, material: Material): Draft {
  const summary = draft.beats.findLast(beat => beat.kind === 'summary')
  if (summary === undefined) return draft
  const folded = leaveOut(draft, beat => {
    if (beat === summary) return undefined
    const covered = beat.kind === 'summary' || (beat.seq <= summary.through && isPast(beat, material))
    return covered ? 'out.folded' : undefined
  })
  return { beats: [summary, ...folded.beats.filter(beat => beat !== summary)], left: folded.left }
}
