/** A view that is being changed, whose entries are copied once for many changes. */
import type { View, ViewEntry } from './view.ts'

/** A view that is being worked on: however many signals change it, its entries are copied once. */
export type ViewDraft = { view: View; own: ViewEntry[] | null }

export const draftOf = (view: View): ViewDraft => ({ view, own: null })

/** The view as it is now; the same object if nothing changed. */
export const viewOf = ({ view, own }: ViewDraft): View => (own === null ? view : { ...view, entries: own })

export const draftEntries = ({ view, own }: ViewDraft): readonly ViewEntry[] => own ?? view.entries

/** Everything but the entries, which have hands of their own below. */
export function change(draft: ViewDraft, changes: Partial<Omit<View, 'entries'>>): void {
  draft.view = { ...draft.view, ...changes }
}

export function addEntry(draft: ViewDraft, entry: ViewEntry): void {
  owned(draft).push(entry)
}

export function setEntry(draft: ViewDraft, at: number, entry: ViewEntry): void {
  if (draftEntries(draft)[at] !== entry) owned(draft)[at] = entry
}

export function replace(draft: ViewDraft, view: View): void {
  draft.view = view
  draft.own = null
}

function owned(draft: ViewDraft): ViewEntry[] {
  draft.own ??= [...draft.view.entries]
  return draft.own
}
