// Works out below which row each summary is shown.
import { type FoldingView, type FoldSpan, type FoldsView, foldSpans, type ShownFold } from '../../view/folds.ts'
import type { ViewEntry } from '../../view/view.ts'
import type { TranscriptRowData } from '../rows.ts'

/** The summaries below one row, those being made too, each with the messages that it is about. */
export type PlacedFolds = {
  readonly made: readonly (ShownFold & { readonly span: FoldSpan })[]
  readonly making: readonly (FoldingView & { readonly span: FoldSpan })[]
}

/** By the index of the row: a summary is shown where its stretch ends. */
export function placedFolds(
  rows: readonly TranscriptRowData[],
  entries: readonly ViewEntry[],
  { made, making }: FoldsView,
): ReadonlyMap<number, PlacedFolds> {
  const placed = new Map<number, PlacedFolds>()
  if (made.length + making.length === 0 || rows.length === 0) return placed
  const at = (to: number): number =>
    Math.max(
      0,
      rows.findLastIndex(({ seq }) => seq <= to),
    )
  const spans = foldSpans(entries, [...made, ...making])
  const spanOf = (index: number): FoldSpan => spans[index] ?? { first: 1, last: 1 }
  const before = (row: number): PlacedFolds => placed.get(row) ?? { made: [], making: [] }
  for (const [index, fold] of made.entries()) {
    const row = at(fold.to)
    placed.set(row, { ...before(row), made: [...before(row).made, { ...fold, span: spanOf(index) }] })
  }
  for (const [index, folding] of making.entries()) {
    const row = at(folding.to)
    const span = spanOf(made.length + index)
    placed.set(row, { ...before(row), making: [...before(row).making, { ...folding, span }] })
  }
  return placed
}
