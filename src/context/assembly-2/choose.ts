/** Which messages of the past the second version of the assembly sent, for each kind of window. */

import type { Material } from '../../model/plan.ts'
import type { Window } from '../../model/settings/policy.ts'
import { type Beat, givenAsides, isPartlyRead, type Note, omittedNote, PER_MESSAGE, weightOf } from '../stages/draft.ts'
import { canonical } from '../text/canonical.ts'
import type { Measure } from '../text/tokens.ts'
import { sessionNote } from '../window/head-tail.ts'
import { lastEntries } from '../window/transcript-entries.ts'
import { beginsTurn, firstFrom, runningSums } from '../window/units.ts'
import { type Unit, unreadMessages } from '../window/window-kind.ts'
import type { BoundsBefore } from './bounds.ts'

/** The first `head` messages, then a note, then everything from index `recent` on. */
export type ChoiceBefore = {
  readonly head: number
  readonly recent: number
  readonly note: ((omitted: number) => Note) | null
}

export type ChoosingBefore = {
  readonly current: readonly Beat[]
  readonly material: Material
  readonly measure: Measure
  readonly bounds: BoundsBefore
  readonly isTranscript: boolean
  readonly isPinned: (unit: Unit) => boolean
}

export function chooseBefore(window: Window, units: readonly Unit[], choosing: ChoosingBefore): ChoiceBefore {
  switch (window.kind) {
    case 'all':
      return EVERYTHING
    case 'last': {
      const recent = choosing.isTranscript ? lastEntries(units, window.messages) : Math.max(0, units.length - window.messages)
      return { head: 0, recent, note: null }
    }
    case 'head-tail': {
      const total = units.length + unreadMessages(choosing.material.gaps) + 1
      if (total <= window.max) return EVERYTHING
      const omitted = total - window.head - window.recent
      return {
        head: window.head,
        recent: Math.max(window.head, units.length - (window.recent - 1)),
        note: omitted > window.noteOver ? sessionNote : null,
      }
    }
    case 'tokens':
      return { head: 0, recent: grown(units, choosing), note: omittedNote }
  }
}

const EVERYTHING: ChoiceBefore = { head: 0, recent: 0, note: null }

/** What a note costs, with room for its number. */
const NOTE_TOKENS = 16

/** The index of the first message to send: both bounds counted the whole request, and a drop could leave nothing of the past. */
function grown(units: readonly Unit[], choosing: ChoosingBefore): number {
  const { material, isPinned } = choosing
  const { high, low } = choosing.bounds
  const start = material.begins === null ? 0 : firstFrom(units, material.begins)
  if (material.turn.step > 1) return start

  const cost = (tokens: number): number => Math.ceil(tokens * material.model.factor)
  const costs = units.map(unit => unit.beats.reduce((sum, beat) => sum + cost(weightOf(beat)), 0))
  const fixed = fixedCost(choosing, cost)
  const suffix = runningSums(costs.toReversed())
  const fromHere = (index: number): number => suffix[units.length - index - 1] ?? 0
  const pinned = runningSums(units.map((unit, index) => (isPinned(unit) ? (costs[index] ?? 0) : 0)))
  const pinnedBefore = (index: number): number => pinned[index - 1] ?? 0
  const total = (index: number): number => fixed + fromHere(index) + pinnedBefore(index)

  const isOver = isPartlyRead(material) || total(start) > high
  if (!isOver || total(start) <= low) return start
  for (let index = start + 1; index < units.length; index += 1) if (beginsTurn(units, index) && total(index) <= low) return index
  return units.length
}

function fixedCost({ current, material, measure }: ChoosingBefore, cost: (tokens: number) => number): number {
  const system = material.system.reduce((sum, part) => sum + cost(measure.count(part.text)), 0)
  const tools = material.tools.length === 0 ? 0 : cost(measure.count(canonical(material.tools)))
  const asides = givenAsides(material).reduce((sum, aside) => sum + cost(measure.count(aside.text) + PER_MESSAGE), 0)
  return system + tools + asides + current.reduce((sum, beat) => sum + cost(weightOf(beat)), 0) + cost(NOTE_TOKENS)
}
