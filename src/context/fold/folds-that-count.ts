/** Finds the folds of a session that count: those that no later fold replaces and that hide no excluded message. */
import { type Event, isExcluding } from '../../model/event.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'

/** A fold as the log has it. */
export type FoldEvent = Extract<Event, { type: 'history.folded' }>

/** A mark of a person, as the log has it. */
export type MarkEvent = Extract<Event, { type: 'message.marked' }>

/**
 * The folds that no later one replaces, in the order of their stretches. `folds` are all folds of the session, oldest first.
 * With view `all` those that were made for all count, with view `own` those that were made for this voice.
 */
export function foldsThatCount(folds: readonly FoldEvent[], voice: VoiceId, view: Policy['view']): readonly FoldEvent[] {
  const own = folds.filter(fold => fold.voice === (view === 'all' ? undefined : voice))
  const counting: FoldEvent[] = []
  const replaced = new Set<number>()
  const later = widestRanges()
  for (const fold of own.toReversed()) {
    const isReplaced = replaced.has(fold.seq) || later.contain(fold)
    if (fold.replaces !== undefined) replaced.add(fold.replaces)
    later.add(fold)
    if (!isReplaced && fold.text.trim() !== '') counting.push(fold)
  }
  return counting.sort((a, b) => a.from - b.from || a.to - b.to || a.seq - b.seq)
}

/** Whether a fold that counts can be shown: no message of its stretch was excluded after its words were read. */
export function usableFolds(counting: readonly FoldEvent[], marks: readonly MarkEvent[]): readonly FoldEvent[] {
  const excluded = excludedSince(marks)
  if (excluded.length === 0) return counting
  return counting.filter(
    ({ seq, marksThrough = seq, from, to }) =>
      !excluded.some(mark => mark.seq > marksThrough && mark.target >= from && mark.target <= to),
  )
}

/** The marks that exclude a message now: of several on one message the last one counts. */
function excludedSince(marks: readonly MarkEvent[]): readonly MarkEvent[] {
  const last = new Map<number, MarkEvent>()
  for (const mark of marks.toSorted((a, b) => a.seq - b.seq)) last.set(mark.target, mark)
  return [...last.values()].filter(({ mark }) => isExcluding(mark))
}

type SeqRange = { readonly from: number; readonly to: number }

/**
 * Ranges of which none contains another, in the order of their beginnings and so of their ends, too: of those that begin early
 * enough the last one reaches furthest, and one search tells whether any contains a range.
 */
function widestRanges(): { readonly contain: (range: SeqRange) => boolean; readonly add: (range: SeqRange) => void } {
  const ranges: SeqRange[] = []
  const after = (from: number): number => {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle]?.from ?? 0) <= from) low = middle + 1
      else high = middle
    }
    return low
  }
  const contain = ({ from, to }: SeqRange): boolean => (ranges[after(from) - 1]?.to ?? 0) >= to
  const add = (range: SeqRange): void => {
    if (contain(range)) return
    let first = after(range.from)
    if (ranges[first - 1]?.from === range.from) first -= 1
    let end = first
    while (end < ranges.length && (ranges[end]?.to ?? 0) <= range.to) end += 1
    ranges.splice(first, end - first, range)
  }
  return { contain, add }
}
