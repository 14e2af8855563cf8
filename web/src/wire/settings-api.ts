// Reads and changes the settings of the workspace.
import type { AskGateway } from './ask.ts'
import type { ApiResult } from './problem.ts'

/** One setting: what counts now, where it comes from, and whether the page may change it. */
export type ListedSetting<Value = unknown> = {
  readonly value: Value
  readonly source: 'default' | 'file' | 'environment'
  readonly editable: boolean
  /** Why it cannot be changed here. */
  readonly why?: string
}

/** The keys of turnwise.json, each down to its leaves. */
export type ListedSettings = { readonly [key: string]: ListedSetting | ListedSettings }

/** Plain values in the form of the tree; null goes back to the default. */
export type SettingPatch = { readonly [key: string]: unknown }

export type SettingsApi = {
  readonly read: () => Promise<ApiResult<ListedSettings>>
  /** Changes what is named; it counts from the next turn on. A value that is not valid has status 422. */
  readonly change: (patch: SettingPatch) => Promise<ApiResult<ListedSettings>>
}

export function createSettingsApi(ask: AskGateway): SettingsApi {
  return {
    read: () => ask('GET', 'api/settings'),
    change: patch => ask('PATCH', 'api/settings', patch),
  }
}

const isLeaf = (node: ListedSetting | ListedSettings | undefined): node is ListedSetting =>
  node !== undefined && 'source' in node && 'editable' in node && typeof node.source === 'string'

/** The leaf at a path such as `limits.steps`; null if there is none. */
export function settingAt(tree: ListedSettings, path: string): ListedSetting | null {
  let node: ListedSetting | ListedSettings | undefined = tree
  for (const key of path.split('.')) {
    if (node === undefined || isLeaf(node)) return null
    node = node[key]
  }
  return isLeaf(node) ? node : null
}
