/** When a fold is due, which whole turns it stands for, and how long it may be. */
import type { FoldSetting } from '../../model/fold.ts'
import type { Excerpt } from '../../model/receipt.ts'
import { weightOf } from '../stages/draft.ts'
import { beginsTurn, firstFrom, firstWhere, lastExchange, runningSums, unitSeq } from '../window/units.ts'
import type { PastBounds, Unit } from '../window/window-kind.ts'
import type { FoldEvent } from './folds-that-count.ts'

/** A window that has passed this part of its `high` will drop soon. */
const SOON = 0.8
/** The part of the room that all folds of a request may take together. */
export const FOLDS_SHARE = 0.15
/** The part of the room beyond which the oldest folds become one. */
const CROWDED = 0.12
/** A summary has at least so many tokens if the room allows it; below the second number there is no use in one. */
const SHORTEST = 200
const LEAST_USEFUL = 32

/** What tells whether a fold is due. All tokens are as the model counts them. */
export type DueRequest = {
  /** The messages of the past with the new exchange, oldest first, at least from where the last request began. */
  readonly units: readonly Unit[]
  /** Where the last request began, and what of it was shown in part. */
  readonly last: { readonly begins: number | null; readonly excerpts?: readonly Excerpt[] }
  readonly bounds: Pick<PastBounds, 'high' | 'low'>
  /** What a request has for the past beside system text, tools and the new message. */
  readonly room: number
  /** What pins, folds and the note take before the window. */
  readonly before: number
  readonly factor: number
  readonly setting: Pick<FoldSetting, 'tokens'>
  /** The folds that count. */
  readonly folds: readonly FoldEvent[]
}

/** The stretch of a fold that is due: from its first message to just before the next turn, and the most tokens as we count. */
export type DueFold = { readonly from: number; readonly to: number; readonly tokens: number; readonly units: readonly Unit[] }

/**
 * The fold that is due once a window has passed four fifths of its `high`: from where the window begins, or right behind the folds
 * that there are already, up to where the rest has at most `low`. The last exchange stays. Undefined if none is due.
 */
export function foldDue(request: DueRequest): DueFold | undefined {
  const { last, bounds, before, folds } = request
  const start = last.begins === null ? 0 : firstFrom(request.units, last.begins)
  const units = request.units.slice(start)
  const first = units[0]
  if (first === undefined) return undefined
  const rest = restCosts(units, request)
  const size = (index: number): number => before + (rest[index] ?? 0)
  if (size(0) <= bounds.high * SOON) return undefined
  const covered = firstFrom(units, foldedUntil(folds, unitSeq(first)))
  // Behind the folds that are ready, the window will have this much.
  if (covered > 0 && size(covered) <= bounds.high * SOON) return undefined
  const until = lastExchange(units)
  const beginnings = units.flatMap((_, index) => (index > covered && index <= until && beginsTurn(units, index) ? [index] : []))
  const place = firstWhere(beginnings.length, at => size(beginnings[at] ?? until) <= bounds.low)
  const end = beginnings[Math.min(place, beginnings.length - 1)]
  return end === undefined ? undefined : worthwhile(units.slice(covered, end), units[end], request)
}

/** The same for a stretch that a person chose: whole turns from one seq to another, without the last exchange. */
export function foldAsked(request: Omit<DueRequest, 'bounds' | 'last' | 'before' | 'folds'> & AskedRange): DueFold | undefined {
  const { units, from, to } = request
  const begins = (index: number): boolean => index === 0 || beginsTurn(units, index)
  const first = units.findLastIndex((unit, index) => unitSeq(unit) <= Math.max(from, unitSeq(units[0] ?? unit)) && begins(index))
  const until = lastExchange(units)
  const end = units.findIndex(
    (unit, index) => index > first && (index === until || (beginsTurn(units, index) && unitSeq(unit) > to)),
  )
  const next = units[end]
  if (first === -1 || end === -1 || next === undefined) return undefined
  return stretchOf(units.slice(first, end), next, request)
}

type AskedRange = { readonly from: number; readonly to: number }

/** The first seq that no fold stands for, going from a seq through folds that follow each other without a hole. */
export function foldedUntil(folds: readonly FoldEvent[], begins: number): number {
  let reached = begins
  for (const { from, to } of folds.toSorted((a, b) => a.from - b.from)) if (from <= reached && to >= reached) reached = to + 1
  return reached
}

/** The cost of all messages from each index on. */
function restCosts(units: readonly Unit[], { last, factor }: DueRequest): readonly number[] {
  const shown = new Map((last.excerpts ?? []).map(({ seq, tokens }) => [seq, tokens]))
  const costs = units.map(unit => Math.min(weightOfUnit(unit), shown.get(unitSeq(unit)) ?? Number.POSITIVE_INFINITY) * factor)
  return runningSums(costs.toReversed()).toReversed()
}

const weightOfUnit = ({ beats }: Unit): number => beats.reduce((sum, beat) => sum + weightOf(beat), 0)

function worthwhile(units: readonly Unit[], next: Unit | undefined, request: StretchRequest): DueFold | undefined {
  const due = next === undefined ? undefined : stretchOf(units, next, request)
  if (due === undefined || due.tokens < LEAST_USEFUL) return undefined
  // A summary that is as long as what it stands for is of no use.
  return due.tokens < units.reduce((sum, unit) => sum + weightOfUnit(unit), 0) ? due : undefined
}

type StretchRequest = Pick<DueRequest, 'room' | 'factor' | 'setting'>

function stretchOf(units: readonly Unit[], next: Unit, { setting, room, factor }: StretchRequest): DueFold | undefined {
  const [first] = units
  if (first === undefined) return undefined
  const tokens = units.reduce((sum, unit) => sum + weightOfUnit(unit), 0)
  return { from: unitSeq(first), to: unitSeq(next) - 1, tokens: foldTokens(setting, tokens, room / factor), units }
}

/**
 * The most tokens of a fold for a stretch of so many: a tenth of them, at least 200, and never more than a third of what all folds
 * may take. A number in the policy counts as far as all folds together may be so long. All tokens are as we count.
 */
export function foldTokens({ tokens }: Pick<FoldSetting, 'tokens'>, stretch: number, room: number): number {
  const most = FOLDS_SHARE * room
  if (tokens !== 'auto') return Math.floor(Math.min(tokens, most))
  return Math.floor(Math.min(Math.max(SHORTEST, stretch / 10), most / 3))
}

/** Folds that together become one, the first of them, and the most tokens of that one. */
export type CoarserFold = { readonly from: number; readonly to: number; readonly replaces: number; readonly tokens: number }

/**
 * The coarser fold that is due when the folds that count take more than 12 % of the room: over the oldest ones, up to half of what
 * all take and at least two. What a person wrote stays as it is. `room` is in tokens as we count, as the folds' are.
 */
export function coarserDue(
  folds: readonly FoldEvent[],
  setting: Pick<FoldSetting, 'tokens'>,
  room: number,
): CoarserFold | undefined {
  const total = folds.reduce((sum, { tokens }) => sum + tokens, 0)
  if (total <= CROWDED * room) return undefined
  const oldest = oldestRun(folds)
  const sums = runningSums(oldest.map(({ tokens }) => tokens))
  const many = Math.max(2, sums.filter(sum => sum <= total / 2).length)
  const together = oldest.slice(0, many)
  const [first] = together
  if (first === undefined || together.length < 2) return undefined
  const to = together.reduce((most, fold) => Math.max(most, fold.to), 0)
  const half = (sums[together.length - 1] ?? 0) / 2
  const tokens = Math.min(foldTokens(setting, Number.POSITIVE_INFINITY, room), Math.max(SHORTEST, Math.floor(half)))
  return { from: first.from, to, replaces: first.seq, tokens }
}

/** The oldest folds in a row of which none is a person's words; at least two, if there are two in a row. */
function oldestRun(folds: readonly FoldEvent[]): readonly FoldEvent[] {
  let run: FoldEvent[] = []
  for (const fold of folds) {
    if (fold.by !== 'person') run.push(fold)
    else if (run.length >= 2) break
    else run = []
  }
  return run
}
