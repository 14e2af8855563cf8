import type { Material } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'
import { type Beat, type Draft, leaveOut, messageOf } from './draft.ts'

/** Keeps the part of the past that the policy looks at, whole messages only; the running turn is never cut. */
export function window(draft: Draft, material: Material, policy: Policy): Draft {
  return withoutLeadingAnswer(cut(draft, material, policy), material)
}

function cut(draft: Draft, material: Material, policy: Policy): Draft {
  switch (policy.window.kind) {
    case 'all':
      return draft
    case 'last': {
      const past = [...new Set(draft.beats.filter(beat => isPast(beat, material)).map(messageOf))]
      const kept = new Set(past.slice(Math.max(0, past.length - policy.window.messages)))
      return leaveOut(draft, beat => (isPast(beat, material) && !kept.has(messageOf(beat)) ? 'out.window' : undefined))
    }
  }
}

/** Before the message that caused this turn, and not of this turn. */
export const isPast = (beat: Beat, { turn }: Material): boolean =>
  beat.seq < turn.cause && !(beat.kind === 'said' && beat.turn === turn.id)

/** A conversation begins with a person; an answer whose question is gone goes with it. */
function withoutLeadingAnswer(draft: Draft, material: Material): Draft {
  const first = draft.beats.findIndex(beat => beat.kind !== 'said')
  const leading = new Set(draft.beats.slice(0, first === -1 ? draft.beats.length : first).map(messageOf))
  if (leading.size === 0) return draft
  return leaveOut(draft, beat => (isPast(beat, material) && leading.has(messageOf(beat)) ? 'out.window' : undefined))
}
