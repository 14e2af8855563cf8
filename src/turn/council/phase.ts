import type { Aside } from '../../model/plan.ts'
import type { Council } from '../../model/settings/council.ts'

/** How far an advisor has come: at first it only asks, then it engages. */
export type Phase = { readonly name: 'early'; readonly turn: number; readonly of: number } | { readonly name: 'ongoing' }

/** By how many answers it has finished: what failed taught it nothing. */
export const phaseOf = ({ early }: Council, answers: number): Phase =>
  answers < early.turns ? { name: 'early', turn: answers + 1, of: early.turns } : { name: 'ongoing' }

/** Which turn this is stands beside the new message: in the system text it would change that every time. */
export const turnNotes = (phase: Phase): readonly Aside[] =>
  phase.name === 'ongoing' ? [] : [{ kind: 'note', reason: 'note.turn', text: `[Turn ${phase.turn} of ${phase.of}]` }]
