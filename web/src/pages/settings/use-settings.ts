// Reads the settings of the workspace and changes them.
import { useCallback, useState } from 'react'
import { type Complaint, complaintsOf } from '../../form/complaints.ts'
import { type LoadedValue, useLoaded } from '../../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { type ListedSetting, type ListedSettings, type SettingPatch, settingAt } from '../../wire/settings-api.ts'

/** The settings, and what became of the last change. */
export type SettingsEditing = {
  readonly tree: ListedSettings
  /** The leaf at a path; null where the gateway has none. */
  readonly at: (path: string) => ListedSetting | null
  /** Resolves to whether the change was taken. */
  readonly change: (patch: SettingPatch) => Promise<boolean>
  readonly isSaving: boolean
  readonly isSaved: boolean
  /** Why the last change was refused. */
  readonly problem: ApiProblem | null
  readonly complaints: readonly Complaint[]
}

export type SettingsOf = {
  readonly loaded: LoadedValue<ListedSettings>
  readonly editingOf: (tree: ListedSettings) => SettingsEditing
}

/** The settings as they are now: as they were read, or as the last change left them. */
export function useSettings(onChanged?: () => void): SettingsOf {
  const { settings } = useWorkspaceApi()
  const { workspaceChanged, learnNames } = useActions()
  const first = useLoaded('settings', settings.read)
  const [changed, setChanged] = useState<{ readonly of: ListedSettings | null; readonly tree: ListedSettings } | null>(null)
  const [isSaving, setSaving] = useState(false)
  const [outcome, setOutcome] = useState<ApiProblem | 'saved' | null>(null)
  const read = first.value
  const change = useCallback(
    async (patch: SettingPatch): Promise<boolean> => {
      setSaving(true)
      const done = await settings.change(patch)
      setSaving(false)
      setOutcome(done.ok ? 'saved' : done.problem)
      if (!done.ok) return false
      setChanged({ of: read, tree: done.value })
      workspaceChanged()
      learnNames().catch(reportError)
      onChanged?.()
      return true
    },
    [settings, read, workspaceChanged, learnNames, onChanged],
  )
  const problem = outcome === 'saved' ? null : outcome
  return {
    // What was read anew counts over an earlier change.
    loaded: { ...first, value: changed !== null && changed.of === read ? changed.tree : read },
    editingOf: tree => ({
      tree,
      at: path => settingAt(tree, path),
      change,
      isSaving,
      isSaved: outcome === 'saved',
      problem,
      complaints: complaintsOf(problem),
    }),
  }
}
