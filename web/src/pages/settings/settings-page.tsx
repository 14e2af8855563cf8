// The page with the settings of the workspace, as fields or as JSON.
import { useState } from 'react'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { ChoiceField } from '../choice.tsx'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { JsonView } from './json-view.tsx'
import { GeneralPart, LimitsPart, MemoryPart, MorePart, RecoveryPart, SHOWN_PATHS } from './setting-parts.tsx'
import { UnchangeablePart } from './unchangeable-part.tsx'
import { useSettings } from './use-settings.ts'

type View = 'fields' | 'json'

const VIEWS = [
  ['fields', 'Fields'],
  ['json', 'JSON'],
] as const

/** What counts for the whole workspace. */
export function SettingsPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const policies = useLoaded('policies', workspaceApi.policies)
  const { loaded, editingOf } = useSettings()
  const [view, setView] = useState<View>('fields')
  return (
    <>
      <PageHead intro="Saved in turnwise.json. Changes apply with the next message, without a restart.">
        <ChoiceField label="View" options={VIEWS} value={view} onChange={setView} />
      </PageHead>
      <Read from={loaded} what="settings">
        {tree => {
          const editing = editingOf(tree)
          if (view === 'json') return <JsonView editing={editing} />
          return (
            <>
              <p className="unseen" role="status">
                {editing.isSaving ? 'Saving …' : editing.isSaved ? 'Saved' : ''}
              </p>
              {editing.problem !== null && <ProblemBox problem={editing.problem} fields={SHOWN_PATHS} />}
              <GeneralPart editing={editing} policies={policies.value?.items ?? []} />
              <LimitsPart editing={editing} />
              <RecoveryPart editing={editing} />
              <MemoryPart editing={editing} />
              <MorePart />
              <UnchangeablePart editing={editing} />
            </>
          )
        }}
      </Read>
    </>
  )
}
