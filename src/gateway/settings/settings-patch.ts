/** Applies a JSON merge patch (RFC 7396) to the text of turnwise.json and keeps comments, order and spaces. */
import { isDeepStrictEqual } from 'node:util'
import { withValue } from '../files/jsonc-edit.ts'
import { isRecord } from '../variables.ts'

/** A change of one value in the file. Undefined takes the key out. */
type Change = { readonly path: readonly string[]; readonly value: unknown }

/** `before` is what the text says. */
export function patchedText(text: string, before: unknown, patch: Readonly<Record<string, unknown>>): string {
  return changesOf(before, patch, []).reduce((edited, { path, value }) => withValue(edited, path, value), text)
}

function changesOf(before: unknown, patch: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Change[] {
  return Object.entries(patch).flatMap(([key, value]): readonly Change[] => {
    const here = [...path, key]
    const own = isRecord(before) && Object.hasOwn(before, key) ? before[key] : undefined
    if (value === null) return own === undefined ? [] : [{ path: here, value: undefined }]
    if (isRecord(value) && isRecord(own)) return changesOf(own, value, here)
    const wanted = isRecord(value) ? withoutNulls(value) : value
    return isDeepStrictEqual(own, wanted) ? [] : [{ path: here, value: wanted }]
  })
}

/** In a patch null means "take it out", so a new object has none. */
const withoutNulls = (patch: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(patch).flatMap(([key, value]) =>
      value === null ? [] : [[key, isRecord(value) ? withoutNulls(value) : value]],
    ),
  )

/** The paths of all values that a patch changes, as deep as it goes. */
export const pathsIn = (patch: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  isRecord(patch) && Object.keys(patch).length > 0
    ? Object.entries(patch).flatMap(([key, value]) => pathsIn(value, [...path, key]))
    : [path]
