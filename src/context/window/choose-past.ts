/** Chooses which messages of the past are sent, whole or in part, so that all of them fit. */
import type { Excerpt, FollowState, Gap, WindowState } from '../../model/receipt.ts'
import type { FoldEvent } from '../fold/folds-that-count.ts'
import { fairShare } from '../recall/quote.ts'
import { type SaidBeat, weightOf } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'
import { excerptMessage } from './excerpt-message.ts'
import { type FoldsAtHand, isAsked, isUnder, newestWithin } from './shown-folds.ts'
import { beginsTurn, firstFrom, firstWhere, lastExchange, unitSeq } from './units.ts'
import { type Choice, hearableMessages, type PastBounds, type Unit } from './window-kind.ts'

/** What the past is chosen by. All tokens are as the model counts them. */
export type PastRequest = {
  /** The messages of the past, oldest first. */
  readonly units: readonly Unit[]
  readonly isPinned: (unit: Unit) => boolean
  /** The most tokens of the whole request. */
  readonly limit: number
  /** What is left of that beside system text, tools, the new message and required asides. */
  readonly room: number
  readonly factor: number
  readonly measure: Measure
  /** What of the past was not read. */
  readonly gaps: readonly Gap[]
  /** The past was too long to be read whole, and no earlier request says where to begin. */
  readonly isPartlyRead: boolean
  /** What the request before showed. */
  readonly last: WindowState | undefined
  /** The folds that may be shown; undefined where there are none. */
  readonly folds: FoldsAtHand | undefined
  /** How large the window has become by what replies needed, where it follows that; it changes only at a drop. */
  readonly follow?: (bounds: PastBounds, isDrop: boolean) => FollowState
}

/** The messages of the past that are sent. */
export type ChosenPast = {
  readonly head: readonly Unit[]
  readonly pins: readonly Unit[]
  readonly recent: readonly Unit[]
  readonly excerpts: readonly Excerpt[]
  /** Pinned messages that did not fit, by seq. */
  readonly unpinned: readonly number[]
  /** Steps of answers that are sent in part. */
  readonly hidden: readonly SaidBeat[]
  /** The budget took something that the policy would have sent. */
  readonly isCut: boolean
  /** The folds that are shown, in the order of their stretches. */
  readonly folds: readonly FoldEvent[]
  readonly follow?: FollowState
}

/** What a note costs, with room for its number; in tokens as we count. */
export const NOTE_TOKENS = 16

/** The part of the request beyond which a message may be sent in part, and the most that its excerpt takes. */
const LARGE = 1 / 4
const EXCERPT = 1 / 8
/** The part of the room that pinned messages may take. */
const PINNED = 1 / 2

/** The past as the request before showed it: later steps of a turn, and windows that need not drop. */
export function asBefore(request: PastRequest, last: WindowState, head: number): ChosenPast {
  const { units, isPinned } = request
  const sizes = sizesOf(request)
  const known = new Map((last.excerpts ?? []).map(({ seq, tokens }) => [seq, tokens]))
  const start = last.begins === null ? 0 : firstFrom(units, last.begins)
  const shown = (unit: Unit): Shown => {
    const tokens = known.get(unitSeq(unit))
    return (tokens === undefined ? undefined : sizes.excerpt(unit, tokens)) ?? sizes.whole(unit)
  }
  const unpinned = last.unpinned ?? []
  const first = Math.min(last.head ?? head, start)
  const pins = units.slice(first, start).filter(unit => isPinned(unit) && !unpinned.includes(unitSeq(unit)))
  return chosen(
    { head: units.slice(0, first).map(shown), pins: pins.map(shown), recent: units.slice(start).map(shown) },
    unpinned,
    last.cut === true,
    { folds: request.folds?.same(last.folds ?? []) ?? [], ...(last.follow === undefined ? {} : { follow: last.follow }) },
  )
}

/**
 * A window that grows to `high` and then drops whole turns at once: to right behind a fold, as far as one reaches, else down to
 * `low`. A fold that a person asked for is a drop, too.
 */
export function growPast(request: PastRequest, given: PastBounds): ChosenPast {
  const { units, isPinned, room, limit, last, isPartlyRead, gaps, folds } = request
  const sizes = sizesOf(request)
  const { leastOfLimit = 0 } = given
  const exchange = lastExchange(units)
  const begins = last?.begins ?? null
  const start = Math.min(begins === null ? 0 : firstFrom(units, begins), exchange)
  const shownFolds = folds?.still(last?.folds ?? []) ?? []
  const { follow: _, ...before } = asBefore(request, { ...last, begins: seqAt(units, start) }, 0)
  const same: ChosenPast = { ...before, folds: shownFolds }
  const total = costOf(same, sizes) + (start > 0 || gaps.length > 0 ? sizes.note : 0) + (folds?.cost(shownFolds) ?? 0)
  const pinned = same.pins.reduce((sum, unit) => sum + sizes.cost(unit), 0)
  // What lies behind a summary was left out for it.
  const isBehindFold = shownFolds.some(({ to }) => firstFrom(units, to + 1) >= start)
  const hidesTooMuch = start > 0 && !isBehindFold && limit - room + total < limit * leastOfLimit
  const asked = behindAsked(request, start, exchange)
  const mustDrop = ({ high }: PastBounds): boolean =>
    isPartlyRead || total > high || pinned > room * PINNED || asked !== undefined
  const isOver = (within: PastBounds): boolean => mustDrop(within) || hidesTooMuch
  const isDrop = isOver(grownBy(given, request.follow?.(given, false), room))
  const follow = request.follow?.(given, isDrop)
  const followed = follow === undefined ? {} : { follow }
  const bounds = grownBy(given, follow, room)
  if (!isDrop || !isOver(bounds)) return { ...same, ...followed }

  // From the newest back, as far as there may be room: what is sure to be dropped need not be shortened.
  const effective = units.map(sizes.whole)
  const most = Math.max(bounds.high, bounds.low, room)
  let reached = 0
  for (let index = units.length - 1; index >= 0; index -= 1) {
    const unit = units[index] as Unit
    if (reached > most && !isPinned(unit)) continue
    if (sizes.isLarge(unit)) effective[index] = sizes.excerpt(unit, sizes.most) ?? sizes.whole(unit)
    reached += effective[index]?.cost ?? 0
  }
  const earliest = asked ?? (hidesTooMuch ? 0 : start)
  const foldsCost = (index: number): number => folds?.cost(foldsBefore(request, { headEnd: 0, from: index, exchange })) ?? 0
  const size = (index: number): number =>
    sizes.note +
    foldsCost(index) +
    effective.reduce((sum, { cost }, at) => sum + (at >= index || isPinned(units[at] as Unit) ? cost : 0), 0)
  const beginnings = units.flatMap((_, index) =>
    index >= earliest && index <= exchange && (index === earliest || index === exchange || beginsTurn(units, index))
      ? [index]
      : [],
  )
  let place = firstWhere(beginnings.length, at => size(beginnings[at] ?? exchange) <= bounds.low)
  if (place === beginnings.length) place = Math.max(0, beginnings.length - 1)
  // Where so little is left that much of the request stays empty, one turn more is better than a longer stable prefix.
  while (place > 0 && limit - room + size(beginnings[place] ?? exchange) < limit * leastOfLimit) {
    if (size(beginnings[place - 1] ?? exchange) > bounds.high) break
    place -= 1
  }
  const isEnough = (index: number): boolean => index === asked || limit - room + size(index) >= limit * leastOfLimit
  const behind = asked === undefined ? behindFolds(request, start, exchange) : [asked]
  const from = behind.find(index => size(index) <= bounds.high && isEnough(index)) ?? beginnings[place] ?? exchange
  // Folds change only where the beginning does.
  if (folds !== undefined && from === start && !mustDrop(bounds)) return { ...same, ...followed }
  const placed = fill(request, sizes, effective, { head: [], from, exchange })
  return { ...placed, ...followed, isCut: (leastOfLimit > 0 && from > 0) || placed.isCut }
}

/** Bounds as far as the window has grown by what replies needed. */
function grownBy(bounds: PastBounds, follow: FollowState | undefined, room: number): PastBounds {
  if (follow === undefined || follow.times === 1) return bounds
  return { ...bounds, high: Math.min(bounds.high * follow.times, room), low: Math.min(bounds.low * follow.times, room) }
}

/** The index of the first message behind what a person asked to fold since the last request; undefined if there is none. */
function behindAsked({ units, folds, last }: PastRequest, start: number, exchange: number): number | undefined {
  const shown = new Set(last?.folds ?? [])
  const wanted = (folds?.usable ?? []).filter(
    fold => isAsked(fold) && !shown.has(fold.seq) && (folds?.cost([fold]) ?? 0) <= (folds?.most ?? 0),
  )
  const behind = wanted.map(({ to }) => Math.min(firstFrom(units, to + 1), exchange)).filter(index => index > start)
  return behind.length === 0 ? undefined : Math.max(...behind)
}

/** The indexes right behind folds that leave no hole between them and where the window began; the furthest first. */
function behindFolds({ units, gaps, folds, isPinned }: PastRequest, start: number, exchange: number): readonly number[] {
  const usable = (folds?.usable ?? []).filter(fold => (folds?.cost([fold]) ?? 0) <= (folds?.most ?? 0))
  let covered = start
  const behind = usable
    .toSorted((a, b) => a.to - b.to)
    .flatMap(fold => {
      const stands = (unit: Unit | undefined): boolean =>
        unit !== undefined && (isPinned(unit) || isUnder(fold, { from: unitSeq(unit), to: unitSeq(unit) }))
      while (stands(units[covered])) covered += 1
      const index = firstFrom(units, fold.to + 1)
      const isClose = index > start || (index === 0 && gaps.length > 0 && gaps.every(gap => gap.to <= fold.to))
      return isClose && index <= exchange && covered >= index ? [index] : []
    })
  return behind.toReversed()
}

/** The newest folds before a window that stand for something which is not shown, within their part of the room or less. */
function foldsBefore(
  { units, gaps, folds, isPinned }: PastRequest,
  { headEnd, from, exchange }: { readonly headEnd: number; readonly from: number; readonly exchange: number },
  room: number = Number.POSITIVE_INFINITY,
): readonly FoldEvent[] {
  if (folds === undefined) return []
  const first = seqAt(units, from) ?? Number.POSITIVE_INFINITY
  const hidden = [
    ...units.slice(headEnd, from).flatMap(unit => (isPinned(unit) ? [] : [{ from: unitSeq(unit), to: unitSeq(unit) }])),
    ...gaps.filter(gap => hearableMessages([gap]) > 0),
  ]
  // What a person asked for may reach into the last exchange, which is shown all the same.
  const isBefore = (fold: FoldEvent): boolean => fold.to < first || (from === exchange && isAsked(fold) && fold.from < first)
  const fitting = folds.usable.filter(fold => isBefore(fold) && hidden.some(stretch => isUnder(fold, stretch)))
  return newestWithin(fitting, Math.min(folds.most, room), folds)
}

/** A window of counted messages: all that the policy names, or as many of them as fit. */
export function countPast(request: PastRequest, given: Choice, mayNote: boolean): ChosenPast {
  const { units, isPinned, room, folds } = request
  const sizes = sizesOf(request)
  const whole = units.map(sizes.whole)
  // What a person asked to fold is left out for as long as the fold is there.
  const asked = behindAsked({ ...request, last: undefined }, 0, lastExchange(units)) ?? 0
  const choice = { ...given, recent: Math.max(given.recent, asked) }
  const head = whole.slice(0, choice.head)
  const pins = whole.slice(choice.head, choice.recent).filter(({ unit }) => isPinned(unit))
  const recent = whole.slice(choice.recent)
  const total = [...head, ...pins, ...recent].reduce((sum, { cost }) => sum + cost, mayNote ? sizes.note : 0)
  const pinned = pins.reduce((sum, { cost }) => sum + cost, 0)
  const exchange = Math.max(lastExchange(units), choice.recent)
  const shown = foldsBefore(request, { headEnd: choice.head, from: choice.recent, exchange })
  if (total + (folds?.cost(shown) ?? 0) <= room && pinned <= room * PINNED)
    return chosen({ head, pins, recent }, [], false, { folds: shown })
  const headEnd = Math.min(choice.head > 0 ? choice.head : (choice.headIfCut ?? 0), exchange)
  const counted = fill(request, sizes, whole, {
    head: whole.slice(0, headEnd),
    from: Math.max(choice.recent, headEnd),
    exchange,
    excerptsLarge: true,
  })
  return { ...counted, isCut: counted.isCut || counted.unpinned.length > 0 }
}

type Filling = {
  readonly head: readonly Shown[]
  /** The index of the first message that the window would show. */
  readonly from: number
  /** The index of the last exchange. */
  readonly exchange: number
  /** A large message that does not fit whole is tried in part. */
  readonly excerptsLarge?: true
}

/** Fills the room: the last exchange first, then pins, then the head, then folds, then the recent messages, newest first. */
function fill(
  request: PastRequest,
  sizes: Sizes,
  units: readonly Shown[],
  { head, from, exchange, excerptsLarge }: Filling,
): ChosenPast {
  const { isPinned, room } = request
  let left = room - sizes.note
  const take = (shown: Shown | undefined): Shown | undefined => {
    if (shown === undefined || shown.cost > left) return undefined
    left -= shown.cost
    return shown
  }
  const excerptOf = ({ whole }: Shown): Shown | undefined => (sizes.isLarge(whole) ? sizes.excerpt(whole, sizes.most) : undefined)
  const orPart = (shown: Shown): Shown | undefined => take(shown) ?? (excerptsLarge === true ? take(excerptOf(shown)) : undefined)

  const latest = units.slice(exchange)
  const fitted = withinRoom(latest, left, sizes)
  left -= fitted.reduce((sum, { cost }) => sum + cost, 0)
  const { pins, unpinned } = fitPins(
    units.slice(head.length, from).filter(({ whole }) => isPinned(whole)),
    Math.min(room * PINNED, left),
    sizes,
  )
  left -= pins.reduce((sum, { cost }) => sum + cost, 0)
  const first = whileFound(head, orPart)
  const folds = foldsBefore(request, { headEnd: first.length, from, exchange }, left)
  left -= request.folds?.cost(folds) ?? 0
  const isWhole = fitted.length === latest.length
  const recent = isWhole ? whileFound(units.slice(from, exchange).toReversed(), orPart).toReversed() : []
  // A pinned message of the window itself that did not fit is still pinned.
  const missed = units.slice(from, exchange - recent.length).filter(({ whole }) => isPinned(whole))
  const more = fitPins(missed, left, sizes)
  return chosen(
    { head: first, pins: [...pins, ...more.pins], recent: [...recent, ...fitted] },
    [...unpinned, ...more.unpinned],
    recent.length < exchange - from || first.length < head.length || !isWhole,
    { folds },
  )
}

/** The last exchange as it fits: whole, large messages in part, or a fair share of each. */
function withinRoom(latest: readonly Shown[], room: number, sizes: Sizes): readonly Shown[] {
  const sum = (some: readonly Shown[]): number => some.reduce((all, { cost }) => all + cost, 0)
  if (sum(latest) <= room) return latest
  const large = latest.map(shown => (sizes.isLarge(shown.whole) ? (sizes.excerpt(shown.whole, sizes.most) ?? shown) : shown))
  if (sum(large) <= room) return large
  const share = fairShare(
    large.map(({ cost }) => cost),
    room,
    Number.POSITIVE_INFINITY,
  )
  const part = (shown: Shown): Shown | undefined =>
    shown.cost <= share ? shown : sizes.excerpt(shown.whole, sizes.tokens(share) - 2)
  // The newest first: without a gap, what is shown ends with the newest.
  return whileFound(large.toReversed(), part).toReversed()
}

/** Pinned messages within their part of the room: the oldest in part where they do not fit whole, then without the oldest. */
function fitPins(
  pins: readonly Shown[],
  room: number,
  sizes: Sizes,
): { readonly pins: readonly Shown[]; readonly unpinned: readonly number[] } {
  let fitted = [...pins]
  const sum = (): number => fitted.reduce((all, { cost }) => all + cost, 0)
  for (let index = 0; index < fitted.length && sum() > room; index += 1) {
    const { whole } = fitted[index] as Shown
    const part = sizes.excerpt(whole, sizes.most)
    if (part !== undefined) fitted = fitted.with(index, part)
  }
  const unpinned: number[] = []
  while (fitted.length > 0 && sum() > room) unpinned.push(unitSeq((fitted.shift() as Shown).whole))
  return { pins: fitted, unpinned }
}

/** A message as it is shown, with the message it is of and what it costs. */
type Shown = {
  readonly unit: Unit
  readonly whole: Unit
  readonly cost: number
  /** The most tokens of its excerpt, where only part of it is shown. */
  readonly part?: number
  readonly hidden?: readonly SaidBeat[]
}

type Sizes = {
  readonly cost: (unit: Unit) => number
  readonly whole: (unit: Unit) => Shown
  /** The message in at most so many tokens, as we count; nothing where that says nothing. */
  readonly excerpt: (unit: Unit, tokens: number) => Shown | undefined
  readonly isLarge: (unit: Unit) => boolean
  /** The most tokens of an excerpt, as we count. */
  readonly most: number
  readonly note: number
  /** From tokens as the model counts to tokens as we count. */
  readonly tokens: (cost: number) => number
}

function sizesOf({ factor, limit, measure }: PastRequest): Sizes {
  const cost = ({ beats }: Unit): number => beats.reduce((sum, beat) => sum + weightOf(beat), 0) * factor
  const tokens = (of: number): number => Math.floor(of / factor)
  return {
    cost,
    tokens,
    whole: unit => ({ unit, whole: unit, cost: cost(unit) }),
    excerpt: (unit, most) => {
      const part = excerptMessage(unit, most, measure)
      // Two more for the rounding of the lines that it divides.
      return part && { unit: part.unit, whole: unit, cost: cost(part.unit) + 2, part: most, hidden: part.hidden }
    },
    isLarge: unit => cost(unit) > limit * LARGE,
    most: tokens(limit * EXCERPT),
    note: NOTE_TOKENS * factor + 2,
  }
}

function chosen(
  { head, pins, recent }: { head: readonly Shown[]; pins: readonly Shown[]; recent: readonly Shown[] },
  unpinned: readonly number[],
  isCut: boolean,
  also: Pick<ChosenPast, 'folds' | 'follow'>,
): ChosenPast {
  const all = [...head, ...pins, ...recent]
  const units = (some: readonly Shown[]): readonly Unit[] => some.map(({ unit }) => unit)
  return {
    head: units(head),
    pins: units(pins),
    recent: units(recent),
    excerpts: all.flatMap(({ whole, part }) => (part === undefined ? [] : [{ seq: unitSeq(whole), tokens: part }])),
    unpinned,
    hidden: all.flatMap(({ hidden = [] }) => hidden),
    isCut,
    ...also,
  }
}

const costOf = ({ head, pins, recent, excerpts }: ChosenPast, { cost }: Sizes): number =>
  [...head, ...pins, ...recent].reduce((sum, unit) => sum + cost(unit), 2 * excerpts.length)

const seqAt = (units: readonly Unit[], index: number): number | null => {
  const unit = units[index]
  return unit === undefined ? null : unitSeq(unit)
}

function whileFound(items: readonly Shown[], find: (shown: Shown) => Shown | undefined): Shown[] {
  const found: Shown[] = []
  for (const item of items) {
    const next = find(item)
    if (next === undefined) break
    found.push(next)
  }
  return found
}
