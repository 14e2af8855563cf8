// Saves a draft, and finds out when the original changed meanwhile.
import type { ApiProblem, ApiResult } from '../wire/problem.ts'

/** Something of the workspace that is being changed: as it was read, and as it is to be. */
export type DraftEdit<Value> = {
  /** Null if it is new. */
  readonly base: Value | null
  readonly draft: Value
}

/** Reads and writes what a draft edits; reading something that does not exist is a problem with status 404. */
export type EditSource<Value> = {
  readonly read: (draft: Value) => Promise<ApiResult<Value>>
  readonly write: (draft: Value) => Promise<ApiResult<Value>>
}

export type Saved<Value> =
  | { readonly kind: 'saved'; readonly value: Value }
  /** Another person changed it, created it (if it was to be new) or deleted it (`theirs` is null). */
  | { readonly kind: 'changed'; readonly theirs: Value | null }
  | { readonly kind: 'refused'; readonly problem: ApiProblem }

/** Writes an edit, unless the stored version changed since it was read. */
export async function saveEdit<Value>(
  { base, draft }: DraftEdit<Value>,
  { read, write }: EditSource<Value>,
): Promise<Saved<Value>> {
  const found = await read(draft)
  if (!found.ok && found.problem.status !== 404) return { kind: 'refused', problem: found.problem }
  const theirs = found.ok ? found.value : null
  // If it already is what it should be, writing it again does no harm.
  if (!isEqualValue(theirs, base) && !isEqualValue(theirs, draft)) return { kind: 'changed', theirs }
  return overwrite(draft, write)
}

/** The edit after saving: what the person typed meanwhile is not lost, and not saved yet. */
export const afterSaving = <Value>(now: DraftEdit<Value>, sent: Value, saved: Value): DraftEdit<Value> => ({
  base: saved,
  draft: isEqualValue(now.draft, sent) ? saved : now.draft,
})

/** Writes an edit over the stored version without asking. */
export async function overwrite<Value>(draft: Value, write: EditSource<Value>['write']): Promise<Saved<Value>> {
  const written = await write(draft)
  return written.ok ? { kind: 'saved', value: written.value } : { kind: 'refused', problem: written.problem }
}

/** Whether two values say the same; the order of keys says nothing, and neither does a key that is undefined. */
export function isEqualValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>]
  return [...keys].every(key => isEqualValue(left[key], right[key]))
}
