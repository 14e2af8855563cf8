/** A view that is being changed, whose entries are copied once for many changes. */
import type { Entry, View } from './view.ts'

/** A view that is being worked on: however many signals change it, its entries are copied once. */
export type Draft = { view: View; own: Entry[] | null }

export const draftOf = (view: View): Draft => ({ view, own: null })

/** The view as it is now; the very same one where nothing changed. */
export const viewOf = ({ view, own }: Draft): View => (own === null ? view : { ...view, entries: own })

export const entriesOf = ({ view, own }: Draft): readonly Entry[] => own ?? view.entries

/** Everything but the entries, which have hands of their own below. */
export function change(draft: Draft, changes: Partial<Omit<View, 'entries'>>): void {
  draft.view = { ...draft.view, ...changes }
}

export function addEntry(draft: Draft, entry: Entry): void {
  owned(draft).push(entry)
}

export function setEntry(draft: Draft, at: number, entry: Entry): void {
  if (entriesOf(draft)[at] !== entry) owned(draft)[at] = entry
}

export function replace(draft: Draft, view: View): void {
  draft.view = view
  draft.own = null
}

function owned(draft: Draft): Entry[] {
  draft.own ??= [...draft.view.entries]
  return draft.own
}
