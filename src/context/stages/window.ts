/** Stage 3, window: keeps the part of the past that the policy's window chooses, as far as it fits. */
import type { Material } from '../../model/plan.ts'
import type { WindowState } from '../../model/receipt.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import { asShown } from '../window/as-shown.ts'
import { asBefore, type ChosenPast, countPast, growPast, type PastRequest } from '../window/choose-past.ts'
import { entriesOf } from '../window/transcript-entries.ts'
import { firstFrom, pinnedIn, splitTurn, unitSeq, unitsOf, withoutLeadingAnswers } from '../window/units.ts'
import { type Choice, hearableMessages, type Unit } from '../window/window-kind.ts'
import {
  type Beat,
  type Draft,
  endOf,
  isPartlyRead,
  type LeftOut,
  leftOut,
  type Note,
  omittedNote,
  orderOf,
  type PlacedDraft,
} from './draft.ts'
import { type FixedPart, fixedPart } from './fixed.ts'

/** A placed draft with what the rest of the assembly has to know of its window. */
export type Windowed = PlacedDraft & {
  readonly limit: number
  readonly fixed: FixedPart
  readonly state: WindowState
  /** How many messages the voice could have heard, and does not see; pinned ones that do not fit are not among them. */
  readonly omitted: number
  /** The words for so many omitted messages; `isCut` if the budget took some of them. */
  readonly noteFor: (omitted: number, isCut: boolean) => Note | null
  /** How many entries of a transcript the whole past would be; 0 where it is sent as messages. */
  readonly entries: number
  /** The budget took something that the policy would have sent. */
  readonly isCut: boolean
}

/** Keeps what fits of the part of the past that the policy's window chooses. `limit` is the most tokens of the request. */
export function window(draft: Draft, material: Material, policy: SettledPolicy, limit: number, measure: Measure): Windowed {
  const state = material.last ?? { begins: material.begins }
  const shown = asShown(draft.beats, state, measure)
  const { past, current } = splitTurn(shown.beats, material)
  const units = unitsOf(past.filter(beat => beat.kind !== 'summary'))
  const summaries = past.filter(beat => beat.kind === 'summary')
  const fixed = fixedPart(material, current, limit, measure)
  const isTranscript = policy.render === 'transcript'
  const request: PastRequest = {
    units,
    isPinned: pinnedIn(material),
    limit,
    room: limit - fixed.cost,
    factor: material.model.factor,
    measure,
    hasGaps: material.gaps.length > 0,
    isPartlyRead: isPartlyRead(material),
    last: material.last ?? (material.begins === null ? undefined : { begins: material.begins }),
  }
  const choice = policy.window.choose(units, { material, isTranscript })
  const chosen = choosePast(request, choice, policy, material, fixed.cost)
  // In a transcript everything is one text of a person; after a head the voice has spoken already.
  const mayLead = isTranscript || chosen.head.length > 0
  const head = withoutLeadingAnswers(chosen.head)
  const recent = mayLead ? chosen.recent : withoutLeadingAnswers(chosen.recent)

  // Where nothing was cut, only answers without their question may be missing, and each thing keeps its own reason.
  const isWhole = material.gaps.length === 0 && chosen.head.length + chosen.pins.length + chosen.recent.length === units.length
  const unpinned = new Set(chosen.unpinned)
  const notIn = (shown: readonly Unit[]): readonly Unit[] => {
    const keys = new Set(shown.map(({ key }) => key))
    return units.filter(unit => !keys.has(unit.key))
  }
  const missing = (some: readonly Unit[]): number =>
    some.filter(unit => !unpinned.has(unitSeq(unit))).length + hearableMessages(material.gaps)
  // A pinned answer may come first only after a note.
  const isNoted = mayLead || missing(notIn([...head, ...chosen.pins, ...recent])) > 0
  const pins = isNoted ? chosen.pins : withoutLeadingAnswers(chosen.pins)
  const dropped = notIn([...head, ...pins, ...recent])
  const omitted = missing(dropped)
  const taken = policy.window.grows === null ? takenByBudget(units, choice, chosen) : new Set<string>()
  const noteFor = (many: number, isCut: boolean): Note | null =>
    noteOf(choice, many, { isCut: isCut || chosen.pins.length > 0, afterHead: head.length > 0, isTranscript, material })
  const begins = recent[0] === undefined ? material.turn.cause : unitSeq(recent[0])
  const flat = (some: readonly Unit[]): Beat[] => some.flatMap(unit => unit.beats).sort((a, b) => orderOf(a) - orderOf(b))
  const answers = answersIn([...[...head, ...pins, ...recent].flatMap(({ beats }) => beats), ...current])
  const hidden = [...shown.hidden, ...chosen.hidden].map(beat => leftOut(beat, 'out.budget'))
  return {
    head: flat(head),
    note: noteFor(omitted, chosen.isCut),
    pins: flat(pins),
    past: [...summaries, ...flat(recent)],
    current,
    others: draft.others,
    left: [...leaveOut(draft.left, { dropped, unpinned, taken, begins: isWhole ? 0 : begins, omitted }, material), ...hidden],
    limit,
    fixed,
    omitted,
    noteFor,
    entries: isTranscript ? entriesIn(splitTurn(draft.beats, material).past) + hearableMessages(material.gaps) : 0,
    isCut: chosen.isCut,
    state: {
      begins,
      ...some('excerpts', chosen.excerpts),
      ...(choice.head === 0 && choice.headIfCut === undefined ? {} : { head: chosen.head.length }),
      ...(chosen.isCut ? { cut: true as const } : {}),
      ...some('unpinned', chosen.unpinned),
      ...some(
        'results',
        (state.results ?? []).filter(({ seq }) => answers.has(seq)),
      ),
      ...some(
        'hidden',
        (state.hidden ?? []).filter(({ from }) => from >= begins),
      ),
      ...(material.turn.step === 1 || state.thoughtless === undefined ? {} : { thoughtless: state.thoughtless }),
      ...(material.turn.step === 1 || state.quoted === undefined ? {} : { quoted: state.quoted }),
      ...(material.turn.step === 1 || state.recalled === undefined ? {} : { recalled: state.recalled }),
    },
  }
}

/**
 * The window of a turn that makes room for quotes: only what comes from a seq on. Where the window begins and what its note says
 * stay as they are, and the next turn goes on from there.
 */
export function narrow(near: Windowed, shows: number): Windowed {
  const units = unitsOf(near.past.filter(beat => beat.kind !== 'summary'))
  const hidden = units.slice(0, firstFrom(units, shows))
  const keys = new Set(hidden.map(({ key }) => key))
  const away = near.past.filter(beat => keys.has(beat.message))
  return {
    ...near,
    past: near.past.filter(beat => !keys.has(beat.message)),
    omitted: near.omitted + hidden.length,
    left: [...near.left, ...away.map(beat => leftOut(beat, 'out.window'))],
    state: { ...near.state, narrowed: true, shows },
  }
}

const entriesIn = (beats: readonly Beat[]): number => beats.reduce((sum, beat) => sum + entriesOf(beat), 0)

/** The seqs of all results that belong to these beats. */
const answersIn = (beats: readonly Beat[]): ReadonlySet<number> =>
  new Set(beats.flatMap(beat => (beat.kind === 'said' ? beat.answers.flatMap(({ seq }) => seq ?? []) : [])))

/** A list under its name, unless it is empty. */
export const some = <Name extends string, Item>(
  name: Name,
  list: readonly Item[],
): { readonly [Key in Name]?: readonly Item[] } =>
  (list.length === 0 ? {} : { [name]: list }) as { readonly [Key in Name]?: readonly Item[] }

function choosePast(
  request: PastRequest,
  choice: Choice,
  { window: rules }: SettledPolicy,
  { turn, last }: Material,
  fixed: number,
): ChosenPast {
  // Within a turn a request is only added to.
  if (turn.step > 1 && last !== undefined) return asBefore(request, last, choice.head)
  const bounds = rules.grows?.({ limit: request.limit, fixed })
  return bounds === undefined ? countPast(request, choice, choice.note !== null) : growPast(request, bounds)
}

type NoteContext = {
  readonly isCut: boolean
  readonly afterHead: boolean
  readonly isTranscript: boolean
  readonly material: Material
}

/** The words about what is omitted. A note may be in the voice's own words only after a person's message. */
function noteOf(
  { note, noteOver = 0 }: Choice,
  omitted: number,
  { isCut, afterHead, isTranscript, material }: NoteContext,
): Note | null {
  const isWithoutPast = material.degraded !== null || material.isBare === true
  // A transcript says it in its own first line. Without its history a turn is asked with the new message alone.
  if (omitted === 0 || isTranscript || isWithoutPast) return null
  if (!isCut && (note === null || omitted <= noteOver)) return null
  const own = (note ?? omittedNote)(omitted)
  return afterHead ? own : { ...own, role: 'user' }
}

/** The messages that the policy counts among those it sends, and that did not fit. */
function takenByBudget(units: readonly Unit[], { head, recent }: Choice, chosen: ChosenPast): ReadonlySet<string> {
  const sent = new Set([...chosen.head, ...chosen.pins, ...chosen.recent].map(({ key }) => key))
  const wanted = [...units.slice(0, head), ...units.slice(recent)]
  return new Set(wanted.map(({ key }) => key).filter(key => !sent.has(key)))
}

type Dropped = {
  readonly dropped: readonly Unit[]
  readonly unpinned: ReadonlySet<number>
  readonly taken: ReadonlySet<string>
  readonly begins: number
  readonly omitted: number
}

/**
 * Everything before the window that is not shown becomes one line. What was left out there for another reason is part of it,
 * so the line is the same whether that part was read or not.
 */
function leaveOut(
  left: readonly LeftOut[],
  { dropped, unpinned, taken, begins, omitted }: Dropped,
  { gaps, degraded, isBare }: Material,
): readonly LeftOut[] {
  const isOver = (unit: Unit): boolean => unpinned.has(unitSeq(unit)) || taken.has(unit.key)
  const over = dropped.filter(isOver).flatMap(({ beats }) => beats.map(beat => leftOut(beat, 'out.budget')))
  const more = omitted - dropped.filter(unit => taken.has(unit.key) && !unpinned.has(unitSeq(unit))).length
  if (more === 0) return [...left, ...over]
  const beats = dropped.filter(unit => !isOver(unit)).flatMap(unit => unit.beats)
  const swallowed = left.filter(item => item.from < begins && item.reason !== 'out.excluded')
  const from = [...beats.map(({ seq }) => seq), ...gaps.map(gap => gap.from), ...swallowed.map(item => item.from)]
  const to = [...beats.map(endOf), ...gaps.map(gap => gap.to)]
  const line: LeftOut = {
    from: from.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    to: to.reduce((a, b) => Math.max(a, b), 0),
    messages: [],
    more,
    reason: degraded !== null || isBare === true ? 'out.store-unavailable' : 'out.window',
  }
  return [...left.filter(item => !swallowed.includes(item)), line, ...over]
}
