// The form for one policy: its drawing with sliders, its switches, and what it would send of a real chat.
import { whyRefused } from '../../../../src/context/bounds.ts'
import type { PolicySetting } from '../../../../src/model/settings/config.ts'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { complaintsOf, whyAt } from '../../form/complaints.ts'
import { SaveBar } from '../../form/save-bar.tsx'
import { TextField } from '../../form/text-field.tsx'
import { useEdit } from '../../form/use-edit.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import type { ApiResult } from '../../wire/problem.ts'
import { settingAt } from '../../wire/settings-api.ts'
import { policyWords } from '../../words/policy-words.ts'
import { isPreset, type PolicyForm, policyFormOf, policyFrom, policyPatch, policySettingOf } from './policy-form.ts'
import { DRAWN, pictureOf } from './policy-picture.ts'
import { PolicyStrip, StripLegend } from './policy-strip.tsx'
import { PolicySwitches } from './policy-switches.tsx'
import { PolicyWhatIf } from './policy-what-if.tsx'
import { WindowFields } from './window-fields.tsx'

type PolicyEditorProps = {
  readonly policy: Policy
  readonly policies: readonly Policy[]
  /** As turnwise.json has them. */
  readonly settings: Readonly<Record<string, PolicySetting>>
  readonly usual: string
}

/** What a policy sends, drawn while it is edited. */
export function PolicyEditor({ policy, policies, settings, usual }: PolicyEditorProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { learnNames, workspaceChanged } = useActions()
  const from = policyFormOf(policy, settings[policy.name])
  const editing = useEdit<PolicyForm>({
    place: `policies ${policy.name}`,
    from,
    isNew: false,
    read: async () => formIn(await workspaceApi.policies(), await workspaceApi.settings.read(), policy.name),
    write: async form => {
      const patch = policyPatch(form, { name: policy.name, settings, usual }, policies)
      const done = await workspaceApi.settings.change(patch)
      return done.ok ? formIn(await workspaceApi.policies(), done, form.name) : done
    },
    onSaved: ({ name }) => {
      workspaceChanged()
      learnNames().catch(reportError)
      if (name !== policy.name) location.hash = hashOf({ page: 'policies', key: name })
    },
  })
  const { draft, change, isChanged, save, problem } = editing
  const complaints = complaintsOf(problem)
  const wrong = whyRefused(policyFrom(draft))
  const taken = draft.name !== policy.name && policies.some(({ name }) => name === draft.name)
  return (
    <form
      className="form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (isChanged && wrong === undefined && !taken) save().catch(reportError)
      }}
    >
      <TextField
        label="Name"
        value={draft.name}
        isCode
        maxLength={64}
        error={taken ? 'There is a policy with this name.' : whyAt(complaints, `policies.${draft.name}`)}
        hint={
          draft.name === policy.name
            ? `Saved under policies in turnwise.json. It began as ${isPreset(draft.extends) ? 'the preset ' : ''}“${draft.extends}”.`
            : 'Chats and agents that use it by the old name have to be given the new one.'
        }
        onChange={name => change({ name })}
      />
      <section className="policy-window" aria-label="Window">
        <StripLegend messages={DRAWN} />
        <PolicyStrip fates={pictureOf(draft.window)} />
        <WindowFields draft={draft} change={change} />
        <p className="policy-sentence" role="status">
          {policyWords(policyFrom(draft))}
        </p>
        {wrong !== undefined && (
          <p className="form-error" role="alert">
            {wrong}
          </p>
        )}
      </section>
      <PolicyWhatIf setting={wrong === undefined ? policySettingOf(draft, policies) : null} />
      <PolicySwitches draft={draft} change={change} />
      <SaveBar editing={editing} fields={[`policies.${draft.name}`]} thing="policy" isNew={false} />
    </form>
  )
}

/** The policy of a name, as it is listed and as the settings have it. */
function formIn(
  listed: ApiResult<{ readonly items: readonly Policy[] }>,
  settings: Awaited<ReturnType<ReturnType<typeof useWorkspaceApi>['settings']['read']>>,
  name: string,
): ApiResult<PolicyForm> {
  if (!listed.ok) return listed
  if (!settings.ok) return settings
  const found = listed.value.items.find(policy => policy.name === name)
  if (found === undefined) return { ok: false, problem: { status: 404, title: 'This policy is not here', detail: '' } }
  const all = settingAt(settings.value, 'policies')?.value as Readonly<Record<string, PolicySetting>> | undefined
  return { ok: true, value: policyFormOf(found, all?.[name]) }
}
