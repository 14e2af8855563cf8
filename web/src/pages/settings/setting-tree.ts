// The part of the settings that the page may change, as plain values, and the difference between two of them.
import { isEqualValue } from '../../form/edit.ts'
import type { ListedSetting, ListedSettings, SettingPatch } from '../../wire/settings-api.ts'

/** Plain values in the form of turnwise.json. */
export type SettingValues = { readonly [key: string]: unknown }

/** In place of a secret. It is never sent back. */
export const HIDDEN_VALUE = '(hidden)'

export const isSettingLeaf = (node: ListedSetting | ListedSettings): node is ListedSetting =>
  typeof node.source === 'string' && typeof node.editable === 'boolean'

/** What may be changed here, without where it comes from. Groups without such a key are left out. */
export function editableValues(tree: ListedSettings): SettingValues {
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, node]) => {
      if (isSettingLeaf(node)) return node.editable ? [[key, node.value]] : []
      const inner = editableValues(node)
      return Object.keys(inner).length === 0 ? [] : [[key, inner]]
    }),
  )
}

export type UnchangeableSetting = { readonly path: string; readonly leaf: ListedSetting }

/** What cannot be changed here, each with its path. */
export function unchangeableSettings(tree: ListedSettings, under = ''): readonly UnchangeableSetting[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const path = `${under}${key}`
    if (!isSettingLeaf(node)) return unchangeableSettings(node, `${path}.`)
    return node.editable ? [] : [{ path, leaf: node }]
  })
}

/** The merge patch (RFC 7396) that makes one value the other: only what differs, null for what is gone. */
export function mergePatchBetween(from: SettingValues, to: SettingValues): SettingPatch {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return Object.fromEntries(
    keys.flatMap((key): readonly (readonly [string, unknown])[] => {
      const [before, after] = [own(from, key), own(to, key)]
      if (isEqualValue(before, after)) return []
      if (after === undefined || after === null) return [[key, null]]
      if (!isGroup(after)) return [[key, after]]
      // In place of a list or a plain value, a group is written whole.
      return [[key, mergePatchBetween(isGroup(before) ? before : {}, after)]]
    }),
  )
}

/** What a value is after a merge patch, as the gateway reads one. */
export function withMergePatch(target: unknown, patch: unknown): unknown {
  if (!isGroup(patch)) return patch
  const result = new Map(isGroup(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch))
    if (value === null) result.delete(key)
    else result.set(key, withMergePatch(result.get(key), value))
  return Object.fromEntries(result)
}

/** Where a patch would write the placeholder of a secret, as in `mcp.docs.headers.authorization`. */
export const hiddenPaths = (patch: unknown): readonly string[] => pathsWhere(patch, value => value === HIDDEN_VALUE)

/**
 * Where an edited text says null for a key that was not there. A merge patch cannot say that: null removes a key.
 * So the person is told, and nothing is dropped silently.
 */
export function lostNulls(from: SettingValues, to: SettingValues): readonly string[] {
  return Object.entries(to).flatMap(([key, after]) => {
    const before = own(from, key)
    if (after === null) return before === undefined ? [key] : []
    return isGroup(after) ? lostNulls(isGroup(before) ? before : {}, after).map(path => `${key}.${path}`) : []
  })
}

function pathsWhere(value: unknown, isMeant: (value: unknown) => boolean): readonly string[] {
  if (isMeant(value)) return ['']
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    pathsWhere(each, isMeant).map(path => (path === '' ? key : `${key}.${path}`)),
  )
}

const isGroup = (value: unknown): value is SettingValues => typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (values: SettingValues, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined)

/** A patch for one path, such as `limits.steps`. */
export const patchAt = (path: string, value: unknown): SettingPatch =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as SettingPatch
