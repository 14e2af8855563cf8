/** Stage 3, window: keeps the part of the past that the policy's window chooses, as far as it fits. */
import type { Material } from '../../model/plan.ts'
import type { WindowState } from '../../model/receipt.ts'
import type { FoldEvent } from '../fold/folds-that-count.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import { asShown } from '../window/as-shown.ts'
import { asBefore, type ChosenPast, countPast, growPast, type PastRequest } from '../window/choose-past.ts'
import { followingIn } from '../window/following.ts'
import { foldsAtHand, isUnder } from '../window/shown-folds.ts'
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
import { type FixedPart, fixedPart, houseCost } from './fixed.ts'
import { foldsFront, pinnedFront } from './front-blocks.ts'

/** A placed draft with what the rest of the assembly has to know of its window. */
export type Windowed = PlacedDraft & {
  readonly limit: number
  readonly fixed: FixedPart
  readonly state: WindowState
  /**
   * How many messages the voice could have heard, and does not see, not even under a fold; pinned ones that do not fit are not
   * among them.
   */
  readonly omitted: number
  /** How many it sees only under a fold. */
  readonly folded: number
  /** What folds and pins of other chats cost, in tokens as the model counts. */
  readonly frontCost: number
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
  const room = limit - fixed.cost
  const elsewhere = pinnedFront(material, limit - houseCost(fixed, material, measure), room, measure)
  const request: PastRequest = {
    units,
    isPinned: pinnedIn(material),
    limit,
    room: room - elsewhere.cost,
    factor: material.model.factor,
    measure,
    gaps: material.gaps,
    isPartlyRead: isPartlyRead(material),
    last: material.last ?? (material.begins === null ? undefined : { begins: material.begins }),
    folds: foldsAtHand(material, policy, room, measure),
    ...followingIn(material, policy, room - elsewhere.cost),
  }
  const choice = policy.window.choose(units, { material, isTranscript })
  const chosen = choosePast(request, choice, policy, material, fixed.cost + elsewhere.cost)
  // In a transcript everything is one text of a person; after a head the voice has spoken already.
  const mayLead = isTranscript || chosen.head.length > 0
  const head = withoutLeadingAnswers(chosen.head)

  // Where nothing was cut, only answers without their question may be missing, and each thing keeps its own reason.
  const isWhole = material.gaps.length === 0 && chosen.head.length + chosen.pins.length + chosen.recent.length === units.length
  const unpinned = new Set(chosen.unpinned)
  const notIn = (shown: readonly Unit[]): readonly Unit[] => {
    const keys = new Set(shown.map(({ key }) => key))
    return units.filter(unit => !keys.has(unit.key))
  }
  const away = (shown: readonly Unit[], folds: readonly FoldEvent[]): Away => awayFrom(notIn(shown), unpinned, material, folds)
  // A head of answers alone is gone: then nothing comes before, unless there is a note or another text of a person.
  const isAlone = (): boolean => {
    const { omitted, folded } = away([...head, ...chosen.pins, ...chosen.recent], chosen.folds)
    const isCut = chosen.isCut || chosen.pins.length > 0
    const note = noteOf(choice, omitted, { isCut, afterHead: false, isTranscript, material })
    return note === null && folded === 0 && elsewhere.block === null && chosen.pins.length === 0
  }
  const isBare = !isTranscript && head.length === 0 && mayLead && isAlone()
  const recent = mayLead && !isBare ? chosen.recent : withoutLeadingAnswers(chosen.recent)
  const first = away([...head, ...chosen.pins, ...recent], chosen.folds)
  // A pinned answer may come first only after a note, or another text of a person.
  const isNoted = mayLead || elsewhere.block !== null || first.omitted + first.folded > 0
  const pins = isNoted ? chosen.pins : withoutLeadingAnswers(chosen.pins)
  const { under } = away([...head, ...pins, ...recent], chosen.folds)
  // Within a turn a request is only added to; else a fold that stands for nothing has no use.
  const folds = material.turn.step > 1 ? chosen.folds : chosen.folds.filter(fold => (under.get(fold) ?? 0) > 0)
  const hiding = away([...head, ...pins, ...recent], folds)
  const { omitted, folded, dropped } = hiding
  const taken = policy.window.grows === null ? takenByBudget(units, choice, chosen) : new Set<string>()
  const noteFor = (many: number, isCut: boolean): Note | null =>
    noteOf(choice, many, { isCut: isCut || chosen.pins.length > 0, afterHead: head.length > 0, isTranscript, material })
  const begins = recent[0] === undefined ? material.turn.cause : unitSeq(recent[0])
  const flat = (some: readonly Unit[]): Beat[] => some.flatMap(unit => unit.beats).sort((a, b) => orderOf(a) - orderOf(b))
  const answers = answersIn([...[...head, ...pins, ...recent].flatMap(({ beats }) => beats), ...current])
  // An answer that was to be shown in part may have lost its place since: then all of it is left out, and counted once.
  const gone = new Set(dropped.map(({ key }) => key))
  const goneSeqs = new Set(dropped.map(unitSeq))
  const hidden = [...shown.hidden, ...chosen.hidden.filter(beat => !gone.has(beat.message))].map(beat =>
    leftOut(beat, 'out.budget'),
  )
  return {
    head: flat(head),
    note: noteFor(omitted, chosen.isCut),
    pins: flat(pins),
    past: [...summaries, ...flat(recent)],
    current,
    others: draft.others,
    left: [
      ...leaveOut(draft.left, { ...hiding, unpinned, taken, begins: isWhole ? 0 : begins }, material),
      ...hidden,
      ...(elsewhere.missed === 0 ? [] : [{ ...NOWHERE, more: elsewhere.missed } satisfies LeftOut]),
    ],
    pinned: elsewhere.block,
    folds: foldsFront(folds, material),
    limit,
    fixed,
    omitted,
    folded,
    frontCost: elsewhere.cost + (request.folds?.cost(folds) ?? 0),
    noteFor,
    entries: isTranscript ? entriesIn(splitTurn(draft.beats, material).past) + hearableMessages(material.gaps) : 0,
    isCut: chosen.isCut,
    state: {
      begins,
      ...some(
        'excerpts',
        chosen.excerpts.filter(({ seq }) => !goneSeqs.has(seq)),
      ),
      ...(choice.head === 0 && choice.headIfCut === undefined ? {} : { head: chosen.head.length }),
      ...(chosen.isCut ? { cut: true as const } : {}),
      ...some('unpinned', chosen.unpinned),
      ...some(
        'folds',
        folds.map(({ seq }) => seq),
      ),
      ...some('pinned', elsewhere.quotes),
      ...(chosen.follow === undefined ? {} : { follow: chosen.follow }),
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

/** Something that has no place in this conversation. */
const NOWHERE: LeftOut = { from: 0, to: 0, messages: [], reason: 'out.budget' }

/** What is not shown: the messages that were read, how many count as omitted, and how many each fold stands for. */
type Away = {
  readonly dropped: readonly Unit[]
  readonly omitted: number
  readonly folded: number
  readonly under: ReadonlyMap<FoldEvent, number>
  /** The fold that stands for a stretch, if one does. */
  readonly foldOf: (stretch: { readonly from: number; readonly to: number }) => FoldEvent | undefined
}

function awayFrom(
  dropped: readonly Unit[],
  unpinned: ReadonlySet<number>,
  { gaps }: Pick<Material, 'gaps'>,
  folds: readonly FoldEvent[],
): Away {
  const foldOf: Away['foldOf'] = stretch => folds.find(fold => isUnder(fold, stretch))
  const under = new Map<FoldEvent, number>()
  let omitted = 0
  const add = (stretch: { readonly from: number; readonly to: number }, many: number): void => {
    const fold = foldOf(stretch)
    if (fold === undefined) omitted += many
    else under.set(fold, (under.get(fold) ?? 0) + many)
  }
  for (const unit of dropped) if (!unpinned.has(unitSeq(unit))) add({ from: unitSeq(unit), to: unitSeq(unit) }, 1)
  for (const gap of gaps) add(gap, hearableMessages([gap]))
  return { dropped, omitted, folded: [...under.values()].reduce((sum, many) => sum + many, 0), under, foldOf }
}

type Dropped = Away & {
  readonly unpinned: ReadonlySet<number>
  readonly taken: ReadonlySet<string>
  readonly begins: number
}

/**
 * Everything before the window that is not shown becomes one line, and one more for each fold. What was left out there for another
 * reason is part of it, so the line is the same whether that part was read or not.
 */
function leaveOut(
  left: readonly LeftOut[],
  { dropped, unpinned, taken, begins, omitted, under, foldOf }: Dropped,
  { gaps: unread, degraded, isBare }: Material,
): readonly LeftOut[] {
  const isFolded = (unit: Unit): boolean => foldOf({ from: unitSeq(unit), to: unitSeq(unit) }) !== undefined
  const isOver = (unit: Unit): boolean => unpinned.has(unitSeq(unit)) || (taken.has(unit.key) && !isFolded(unit))
  const over = dropped.filter(isOver).flatMap(({ beats }) => beats.map(beat => leftOut(beat, 'out.budget')))
  const more = omitted - dropped.filter(unit => isOver(unit) && !unpinned.has(unitSeq(unit))).length
  const before = left.filter(item => item.from < begins && item.reason !== 'out.excluded')
  const folded = [...under].map(([fold, many]): LeftOut => {
    const own = dropped.filter(unit => foldOf({ from: unitSeq(unit), to: unitSeq(unit) }) === fold)
    // A fold of before may end within an answer.
    const to = own.flatMap(({ beats }) => beats.map(endOf)).reduce((a, b) => Math.max(a, b), fold.to)
    return { from: fold.from, to, messages: [], more: many, reason: 'out.folded', fold: fold.seq }
  })
  const rest = left.filter(item => !before.includes(item) || (foldOf(item) === undefined && more === 0))
  if (more === 0) return [...rest, ...folded, ...over]
  const beats = dropped.filter(unit => !isOver(unit) && !isFolded(unit)).flatMap(unit => unit.beats)
  const swallowed = before.filter(item => foldOf(item) === undefined)
  const gaps = unread.filter(gap => foldOf(gap) === undefined)
  const from = [...beats.map(({ seq }) => seq), ...gaps.map(gap => gap.from), ...swallowed.map(item => item.from)]
  const to = [...beats.map(endOf), ...gaps.map(gap => gap.to)]
  const line: LeftOut = {
    from: from.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    to: to.reduce((a, b) => Math.max(a, b), 0),
    messages: [],
    more,
    reason: degraded !== null || isBare === true ? 'out.store-unavailable' : 'out.window',
  }
  return [...rest, ...folded, line, ...over]
}
