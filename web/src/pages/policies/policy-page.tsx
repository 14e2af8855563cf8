// The page of one policy.
import type { PolicySetting } from '../../../../src/model/settings/config.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { settingAt } from '../../wire/settings-api.ts'
import { together } from '../../wire/together.ts'
import { BackLink } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { isPreset } from './policy-form.ts'

/** One policy of one's own. */
export function PolicyPage({ name }: { readonly name: string }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded(`policy ${name}`, () =>
    together({ policies: workspaceApi.policies(), settings: workspaceApi.settings.read() }),
  )
  return (
    <>
      <BackLink href={hashOf({ page: 'policies', key: null })}>All policies</BackLink>
      <Read from={loaded} what="policy">
        {({ policies, settings }) => {
          const policy = policies.items.find(each => each.name === name)
          if (policy === undefined || isPreset(name))
            return <p className="empty">There is no policy of your own with this name.</p>
          return (
            <PolicyEditor
              policy={policy}
              policies={policies.items}
              settings={settingsIn(settingAt(settings, 'policies')?.value)}
              usual={String(settingAt(settings, 'policy')?.value ?? '')}
            />
          )
        }}
      </Read>
    </>
  )
}

const settingsIn = (value: unknown): Readonly<Record<string, PolicySetting>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, PolicySetting>) : {}
