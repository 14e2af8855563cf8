/** The window of the second version of the assembly: whole messages, chosen by the policy's window. */
import type { Recorded } from '../../model/event.ts'
import type { Material } from '../../model/plan.ts'
import {
  type Beat,
  type Draft,
  endOf,
  type LeftOut,
  leftOut,
  messageOf,
  type Note,
  omittedNote,
  orderOf,
  type PlacedDraft,
} from '../stages/draft.ts'
import { beginsMessage } from '../text/begins-message.ts'
import type { Measure } from '../text/tokens.ts'
import { pinnedIn, splitTurn, unitsOf, withoutLeadingAnswers } from '../window/units.ts'
import { type Unit, unreadMessages } from '../window/window-kind.ts'
import type { PolicyBefore } from './assemble.ts'
import { boundsBefore } from './bounds.ts'
import { type ChoiceBefore, chooseBefore } from './choose.ts'

/** Keeps the part of the past that the policy's window chooses. The running turn is never cut. */
export function windowBefore(draft: Draft, material: Material, policy: PolicyBefore, measure: Measure): PlacedDraft {
  const { past: history, current } = splitTurn(draft.beats, material)
  const units = unitsOf(history.filter(beat => beat.kind !== 'summary'))
  const summaries = history.filter(beat => beat.kind === 'summary')
  const isPinned = pinnedIn(material)

  const choice = chooseBefore(policy.window, units, {
    current,
    material,
    measure,
    bounds: boundsBefore(policy, material.model.window),
    isTranscript: policy.render === 'transcript',
    isPinned,
  })
  const head = withoutLeadingAnswers(units.slice(0, choice.head))
  const between = units.slice(choice.head, choice.recent)
  const pins = between.filter(isPinned)
  const mayNote = choice.note !== null || pins.length > 0
  // In a transcript everything is one text of a person; after a head the voice has spoken already.
  const mayLead = policy.render === 'transcript' || head.length > 0
  const recent = mayLead ? units.slice(choice.recent) : withoutLeadingAnswers(units.slice(choice.recent))

  const shown = [...head, ...pins, ...recent]
  const isCut = choice.recent > 0 || material.gaps.length > 0
  const begins = isCut ? (recent[0]?.beats[0]?.seq ?? material.turn.cause) : null
  const { left, omitted } = leaveOut(draft, units, shown, begins, material)
  const flat = (some: readonly Unit[]): Beat[] => some.flatMap(unit => unit.beats).sort((a, b) => orderOf(a) - orderOf(b))
  return {
    head: flat(head),
    // Without its history a turn is asked with the new message alone.
    note: omitted === 0 || !mayNote || isWithoutPast(material) ? null : noteFor(choice, omitted, head.length > 0),
    pins: flat(pins),
    past: [...summaries, ...flat(recent)],
    current,
    others: draft.others,
    left,
  }
}

/** The store did not answer, now or when the turn began. */
const isWithoutPast = ({ degraded, isBare = false }: Material): boolean => degraded !== null || isBare

/** A note may be in the voice's own words only after a person's message. */
function noteFor({ note }: ChoiceBefore, omitted: number, afterHead: boolean): Note {
  const own = (note ?? omittedNote)(omitted)
  return afterHead ? own : { ...own, role: 'user' }
}

/**
 * Everything before the window that is not shown becomes one line. It is counted by the events that begin messages, so the
 * number is the same whether that part was read or not. If nothing was cut (`begins` is null), there is no such line, and
 * each thing keeps its own reason.
 */
function leaveOut(
  draft: Draft,
  units: readonly Unit[],
  shown: readonly Unit[],
  begins: number | null,
  material: Material,
): { left: readonly LeftOut[]; omitted: number } {
  const stays = new Set(shown)
  const dropped = units.filter(unit => !stays.has(unit)).flatMap(unit => unit.beats)
  if (begins === null) {
    return { left: [...draft.left, ...dropped.map(beat => leftOut(beat, 'out.window'))], omitted: 0 }
  }
  const elsewhere = new Set([
    ...shown.map(unit => unit.key),
    ...draft.left.filter(item => item.reason === 'out.excluded').flatMap(item => item.messages),
    ...draft.others.map(messageOf),
  ])
  const gone = material.events.filter(event => event.seq < begins && beginsMessage(event) && !elsewhere.has(keyOf(event)))
  const gaps = material.gaps.filter(gap => gap.messages > 0)
  const omitted = gone.length + unreadMessages(gaps)
  if (omitted === 0) return { left: [...draft.left, ...dropped.map(beat => leftOut(beat, 'out.window'))], omitted }
  const [others, before] = partition(draft.left, item => item.from >= begins || item.reason === 'out.excluded')
  const line: LeftOut = {
    from: [...gone.map(event => event.seq), ...gaps.map(gap => gap.from), ...before.map(item => item.from)].reduce((a, b) =>
      Math.min(a, b),
    ),
    to: [...gone.map(event => event.seq), ...gaps.map(gap => gap.to), ...dropped.map(endOf)].reduce((a, b) => Math.max(a, b)),
    messages: [],
    more: omitted,
    reason: isWithoutPast(material) ? 'out.store-unavailable' : 'out.window',
  }
  return { left: [...others, line], omitted }
}

const keyOf = (event: Recorded): string => ('turn' in event ? `turn ${event.turn}` : `heard ${event.seq}`)

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(belongs), items.filter(item => !belongs(item))]
}
