// Points at messages in the transcript from the inspector.
import { useSyncExternalStore } from 'react'
import { createCell } from '../store/cell.ts'

/** A stretch of the log. */
export type SeqRange = { readonly from: number; readonly to: number }

/** Where the reader should go; each new jump to the same place is a new object. */
export type Led = { readonly seq: number }

type Pointing = { readonly span: SeqRange | null; readonly led: Led | null }

const cell = createCell<Pointing>({ span: null, led: null })

/** Shows in the transcript what is spoken of beside it; null nothing. */
export const point = (span: SeqRange | null): void => cell.set({ span })

/** Scrolls the transcript to the message at a seq. */
export const lead = (seq: number): void => cell.set({ led: { seq }, span: null })

/** Whether one of these places in the log is pointed at. */
export const usePointed = (seqs: readonly (number | null)[]): boolean =>
  useSyncExternalStore(cell.watch, () => {
    const { span } = cell.get()
    return span !== null && seqs.some(seq => seq !== null && seq >= span.from && seq <= span.to)
  })

export const useLed = (): Led | null => useSyncExternalStore(cell.watch, () => cell.get().led)
