// The page of one council.
import { useState } from 'react'
import type { Council } from '../../../../src/model/settings/council.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { together } from '../../wire/together.ts'
import { BackLink } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { CouncilEditor, formFrom } from './council-editor.tsx'
import { councilForm, NEW_COUNCIL } from './council-form.ts'

/** One council; null is a new one. */
export function CouncilPage({ council }: { readonly council: string | null }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { learnNames } = useActions()
  /** As it became by an import, which writes at once; the form begins anew with it. */
  const [imported, setImported] = useState<{ readonly times: number; readonly council: Council } | null>(null)
  const loaded = useLoaded(`council ${council}`, () =>
    together({
      form:
        council === null ? Promise.resolve({ ok: true as const, value: NEW_COUNCIL }) : formFrom(workspaceApi.council(council)),
      councils: workspaceApi.councils(),
      models: workspaceApi.models(),
      policies: workspaceApi.policies(),
    }),
  )
  return (
    <>
      <BackLink href={hashOf({ page: 'councils', key: null })}>All councils</BackLink>
      <Read from={loaded} what="council">
        {({ form, councils, models, policies }) => (
          <CouncilEditor
            key={imported?.times ?? 0}
            from={imported === null ? form : councilForm(imported.council)}
            isNew={council === null}
            taken={councils.items.map(({ key }) => key)}
            models={models}
            policies={policies.items}
            onImported={value => {
              setImported({ times: (imported?.times ?? 0) + 1, council: value })
              learnNames().catch(reportError)
            }}
          />
        )}
      </Read>
    </>
  )
}
