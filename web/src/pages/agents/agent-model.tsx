// Chooses the model and policy of an agent.
import { providerTitle } from '../../../../src/model/connectable-providers.ts'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { type Complaint, whyAt } from '../../form/complaints.ts'
import { SelectField } from '../../form/select-field.tsx'
import { Switch } from '../../form/switch.tsx'
import { ModelPicker } from '../../model-picker/model-picker.tsx'
import { useFrame } from '../../parts/frame.ts'
import { hashOf } from '../../view/route.ts'
import type { ListedModels } from '../../wire/workspace-api.ts'
import { nameOfProvider } from '../../words/model-words.ts'
import { windowWords } from '../../words/policy-words.ts'
import type { AgentForm } from './agent-form.ts'
import { AgentSampling } from './agent-sampling.tsx'

type AgentModelProps = {
  readonly draft: AgentForm
  readonly change: (changes: Partial<AgentForm>) => void
  readonly models: ListedModels
  readonly policies: readonly Policy[]
  readonly complaints: readonly Complaint[]
}

/** Whom an agent asks, and how it looks at a conversation. */
export function AgentModel({ draft, change, models, policies, complaints }: AgentModelProps): React.ReactNode {
  const { connect } = useFrame()
  const { items, default: usual } = models
  const chosen = items.find(({ name }) => name === (draft.model === '' ? usual : draft.model))
  const policy = policies.find(({ name }) => name === draft.policy)
  return (
    <>
      <h3 className="form-part">Model and context</h3>
      <div className="form-pair">
        <ModelPicker
          label="Model"
          value={draft.model}
          allowDefault={`Default (${usual})`}
          error={whyAt(complaints, 'model')}
          hint={
            chosen === undefined || chosen.ready ? undefined : (
              <>
                It cannot be used yet.{' '}
                <button type="button" className="link" onClick={() => connect(nameOfProvider(chosen))}>
                  Connect {providerTitle(nameOfProvider(chosen))}
                </button>
              </>
            )
          }
          onChange={model => change({ model })}
        />
        <SelectField
          label="Policy"
          value={draft.policy}
          options={[{ value: '', label: 'Default' }, ...policies.map(({ name }) => ({ value: name, label: name }))]}
          error={whyAt(complaints, 'policy')}
          hint={
            <>
              {policy === undefined ? 'What of a long conversation it sees.' : windowWords(policy.window)}{' '}
              <a className="link" href={hashOf({ page: 'policies', key: null })}>
                Policies
              </a>
            </>
          }
          onChange={name => change({ policy: name })}
        />
        <SelectField
          label="Thinking"
          value={draft.thinking}
          options={[
            { value: '', label: 'Off, unless the conversation has it' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          hint="Whether it thinks before it answers, where its model can."
          onChange={value => change({ thinking: value === 'on' || value === 'off' ? value : '' })}
        />
        <SelectField
          label="Protocol"
          value={draft.protocol}
          options={[
            { value: 'native', label: 'The provider’s own' },
            { value: 'text', label: 'As text' },
          ]}
          hint="As text: for models that have no tools of their own."
          onChange={value => change({ protocol: value === 'text' ? value : 'native' })}
        />
      </div>
      <Switch
        label="Without the base guidance"
        hint="Leaves out what base_guidance in agents.json says to all agents."
        isOn={draft.isWithoutGuidance}
        onChange={isWithoutGuidance => change({ isWithoutGuidance })}
      />
      <AgentSampling draft={draft} change={change} complaints={complaints} />
    </>
  )
}
