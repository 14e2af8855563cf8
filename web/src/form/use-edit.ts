// A form for one thing of the workspace that never overwrites another person's change silently.
import { useCallback, useEffect, useState } from 'react'
import type { ApiProblem } from '../wire/problem.ts'
import { afterSaving, type DraftEdit, type EditSource, isEqualValue, overwrite, type Saved, saveEdit } from './edit.ts'

export type Editing<Value> = {
  readonly draft: Value
  readonly isChanged: boolean
  readonly isSaving: boolean
  /** It was saved, and nothing was changed since. */
  readonly isSaved: boolean
  readonly problem: ApiProblem | null
  /** Another person's change since then; null if there is none, `theirs: null` if they deleted it. */
  readonly meanwhile: { readonly theirs: Value | null } | null
  readonly change: (changes: Partial<Value>) => void
  readonly save: () => Promise<void>
  /** Mine counts. */
  readonly overwrite: () => Promise<void>
  /** Theirs counts. */
  readonly takeTheirs: () => void
  readonly discard: () => void
}

/** Unsaved edits wait here while the person looks at another page. */
const left = new Map<string, DraftEdit<unknown>>()

type EditNeeds<Value> = EditSource<Value> & {
  /** Which thing this is; give the component the same `key`. */
  readonly place: string
  /** As it was read, or what a new one begins with. */
  readonly from: Value
  readonly isNew: boolean
  readonly onSaved?: (value: Value) => void
}

/** A form that edits one thing of the workspace, and asks before it overwrites another person's change. */
export function useEdit<Value extends object>({ place, from, isNew, read, write, onSaved }: EditNeeds<Value>): Editing<Value> {
  const [edit, setEdit] = useState<DraftEdit<Value>>(
    () => (left.get(place) as DraftEdit<Value> | undefined) ?? { base: isNew ? null : from, draft: from },
  )
  const [outcome, setOutcome] = useState<Saved<Value> | null>(null)
  const [isSaving, setSaving] = useState(false)
  const { base, draft } = edit
  const isChanged = !isEqualValue(base ?? from, draft)

  useEffect(() => {
    if (isChanged) left.set(place, { base, draft })
    else left.delete(place)
  }, [place, base, draft, isChanged])
  useLeaving(isChanged)

  const settle = async (saving: Promise<Saved<Value>>): Promise<void> => {
    setSaving(true)
    const saved = await saving
    setSaving(false)
    setOutcome(saved)
    if (saved.kind !== 'saved') return
    left.delete(place)
    // A new one is edited on in a place of its own, which begins with what was saved.
    setEdit(now => (isNew ? { base: saved.value, draft: saved.value } : afterSaving(now, draft, saved.value)))
    onSaved?.(saved.value)
  }
  const startAgain = (value: Value | null): void => {
    setOutcome(null)
    setEdit({ base: value, draft: value ?? from })
  }

  return {
    draft,
    isChanged,
    isSaving,
    isSaved: outcome?.kind === 'saved' && !isChanged,
    problem: outcome?.kind === 'refused' ? outcome.problem : null,
    meanwhile: outcome?.kind === 'changed' ? { theirs: outcome.theirs } : null,
    change: useCallback(changes => {
      setEdit(before => ({ ...before, draft: { ...before.draft, ...changes } }))
      // An earlier conflict may be over, as when another key was chosen; saving checks again.
      setOutcome(before => (before?.kind === 'changed' ? null : before))
    }, []),
    save: () => settle(saveEdit(edit, { read, write })),
    overwrite: () => settle(overwrite(draft, write)),
    takeTheirs: () => startAgain(outcome?.kind === 'changed' ? outcome.theirs : base),
    discard: () => startAgain(base),
  }
}

/** The browser asks before the whole page is left with something unsaved. */
function useLeaving(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
}
