/** Which folds a request shows: chosen at a drop, and the same until the next one unless a person changes one. */
import type { Event } from '../../model/event.ts'
import type { Material } from '../../model/plan.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { FOLDS_SHARE } from '../fold/fold-range.ts'
import { type FoldEvent, foldsThatCount, type MarkEvent, usableFolds } from '../fold/folds-that-count.ts'
import { PER_MESSAGE } from '../stages/draft.ts'
import { foldLine, foldsBlock } from '../stages/front-blocks.ts'
import type { Measure } from '../text/tokens.ts'

/** The folds that a request may show. All tokens are as the model counts them. */
export type FoldsAtHand = {
  /** Those that count and can be shown, in the order of their stretches. */
  readonly usable: readonly FoldEvent[]
  /** The most tokens of all that are chosen at a drop. */
  readonly most: number
  readonly cost: (folds: readonly FoldEvent[]) => number
  /** The folds that the step before showed. */
  readonly same: (seqs: readonly number[]) => readonly FoldEvent[]
  /** The folds that the request before showed, as they are now: without removed ones, and as a person has changed them. */
  readonly still: (seqs: readonly number[]) => readonly FoldEvent[]
}

/** Undefined under a policy that does not fold, and where there is nothing folded. */
export function foldsAtHand(
  material: Material,
  { fold, view }: Pick<Policy, 'fold' | 'view'>,
  room: number,
  measure: Measure,
): FoldsAtHand | undefined {
  const { folds = [], voice, voices, events, marksThrough, model } = material
  if (fold === null || fold === undefined || folds.length === 0) return undefined
  const marks = events.filter((event): event is MarkEvent => isMark(event) && event.seq <= marksThrough)
  const names = Object.values(voices)
  const tokens = new Map<number, number>()
  const tokensOf = (event: FoldEvent): number => {
    const known = tokens.get(event.seq) ?? measure.count(foldLine(event, names)) + BETWEEN
    tokens.set(event.seq, known)
    return known
  }
  const around = measure.count(foldsBlock([])) + PER_MESSAGE
  const bySeq = new Map(folds.map(event => [event.seq, event]))
  return {
    usable: usableFolds(foldsThatCount(folds, voice, view), marks),
    most: room * FOLDS_SHARE,
    cost: some =>
      some.length === 0 ? 0 : some.reduce((sum, event) => sum + tokensOf(event) * model.factor + 1, around * model.factor),
    same: seqs => seqs.flatMap(seq => bySeq.get(seq) ?? []),
    still: seqs => seqs.flatMap(seq => usableFolds(asItIsNow(bySeq.get(seq), folds), marks)),
  }
}

/** A blank line. */
const BETWEEN = 1

const isMark = (event: Material['events'][number]): event is Extract<Event, { type: 'message.marked' }> =>
  event.type === 'message.marked'

/** A fold that is shown, after all that came later: none if it was removed. A coarser one takes its place only at a drop. */
function asItIsNow(shown: FoldEvent | undefined, folds: readonly FoldEvent[]): readonly FoldEvent[] {
  if (shown === undefined) return []
  let now: FoldEvent | undefined = shown
  for (const later of folds) {
    const isAbout = later.replaces === now?.seq || (later.from <= shown.from && later.to >= shown.to)
    if (later.seq <= shown.seq || later.voice !== shown.voice || !isAbout) continue
    if (later.text.trim() === '') now = undefined
    else if (later.from === shown.from && later.to === shown.to) now = later
  }
  return now === undefined ? [] : [now]
}

/** A person asked for it, so the window begins right behind it. The old form of folds was made by people alone. */
export const isAsked = ({ asked, by, replaces }: FoldEvent): boolean =>
  asked === true || (by === 'person' && replaces === undefined)

export const isUnder = ({ from, to }: FoldEvent, stretch: { readonly from: number; readonly to: number }): boolean =>
  from <= stretch.from && stretch.to <= to

/** Of folds in the order of their stretches, the newest that fit into so many tokens. One that is too long alone costs no other its place. */
export function newestWithin(
  folds: readonly FoldEvent[],
  most: number,
  { cost }: Pick<FoldsAtHand, 'cost'>,
): readonly FoldEvent[] {
  const newestLast = folds.filter(fold => cost([fold]) <= most).toSorted((a, b) => a.to - b.to || a.from - b.from)
  let first = newestLast.length
  while (first > 0 && cost(newestLast.slice(first - 1)) <= most) first -= 1
  const fitting = new Set(newestLast.slice(first))
  return folds.filter(fold => fitting.has(fold))
}
