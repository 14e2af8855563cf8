// Reads the settings that were edited as JSON, and says why they cannot be saved.
import type { SettingPatch } from '../../wire/settings-api.ts'
import { hiddenPaths, lostNulls, mergePatchBetween, type SettingValues } from './setting-tree.ts'

export type JsonDraft = { readonly ok: true; readonly patch: SettingPatch } | { readonly ok: false; readonly why: string }

export const jsonOf = (values: SettingValues): string => JSON.stringify(values, null, 2)

/** The change that an edited text asks for, or what is wrong with the text. */
export function readJsonDraft(shown: SettingValues, text: string): JsonDraft {
  const parsed = parse(text)
  if (!parsed.ok) return parsed
  const unknown = Object.keys(parsed.value).filter(key => !Object.hasOwn(shown, key))
  if (unknown.length > 0) return { ok: false, why: `${unknown.join(', ')}: not a setting that can be changed here.` }
  const lost = lostNulls(shown, parsed.value)
  if (lost.length > 0)
    return { ok: false, why: `${lost.join(', ')}: null removes a key, so it cannot be a value here. Leave the key out.` }
  const patch = mergePatchBetween(shown, parsed.value)
  const hidden = hiddenPaths(patch)
  if (hidden.length > 0)
    return { ok: false, why: `${hidden.join(', ')}: this value is hidden. Enter it again, or undo the change around it.` }
  return { ok: true, patch }
}

type Parsed = { readonly ok: true; readonly value: SettingValues } | { readonly ok: false; readonly why: string }

function parse(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ok: true, value: { ...value } }
      : { ok: false, why: 'The settings are an object: { … }.' }
  } catch (cause) {
    return { ok: false, why: `This is not valid JSON. ${cause instanceof Error ? cause.message : ''}`.trim() }
  }
}
