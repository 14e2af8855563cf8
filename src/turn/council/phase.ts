/** Tells whether an advisor only asks questions yet, or already engages. */
import type { Aside } from '../../model/plan.ts'
import type { Council } from '../../model/settings/council.ts'

/** How far an advisor has come: at first it only asks, then it engages. */
export type Phase = { readonly name: 'early'; readonly turn: number; readonly of: number } | { readonly name: 'ongoing' }

/** Counts finished answers only: an advisor learns nothing from a turn that failed. */
export const phaseOf = ({ early }: Council, answers: number): Phase =>
  answers < early.turns ? { name: 'early', turn: answers + 1, of: early.turns } : { name: 'ongoing' }

/** The turn's number goes beside the new message. In the system text it would change that text every time. */
export const turnNotes = (phase: Phase): readonly Aside[] =>
  phase.name === 'ongoing' ? [] : [{ kind: 'note', reason: 'note.turn', text: `[Turn ${phase.turn} of ${phase.of}]` }]
