// The fields of one advisor.
import { ColorChoice } from '../../form/color-choice.tsx'
import { whyAt } from '../../form/complaints.ts'
import { SelectField } from '../../form/select-field.tsx'
import { Switch } from '../../form/switch.tsx'
import { TextArea } from '../../form/text-area.tsx'
import { TextField } from '../../form/text-field.tsx'
import { ModelPicker } from '../../model-picker/model-picker.tsx'
import { roughWords } from '../../words/rough-tokens.ts'
import { EquipmentFields } from '../equipment/equipment-fields.tsx'
import type { AdvisorRowProps } from './advisor-row.tsx'

/** Who an advisor is, what it is asked with, and what it is given. */
export function AdvisorFields(props: AdvisorRowProps): React.ReactNode {
  const { advisor, index, others, complaints, models, policies, lists, onChange } = props
  const error = (field: string): string | undefined => whyAt(complaints, `advisors.${index}.${field}`)
  return (
    <>
      <div className="form-pair">
        <TextField label="Name" value={advisor.name} maxLength={80} error={error('name')} onChange={name => onChange({ name })} />
        <TextField
          label="Group"
          value={advisor.group}
          maxLength={80}
          error={error('group')}
          hint="A word to sort them by; @ and the group calls everybody in it."
          onChange={group => onChange({ group })}
        />
      </div>
      <TextArea
        label="Who it is"
        rows={4}
        value={advisor.description}
        aside={roughWords(advisor.description)}
        error={error('description')}
        hint={`The model reads it after “You are ${advisor.name.trim() === '' ? '…' : advisor.name}.”`}
        onChange={description => onChange({ description })}
      />
      <ColorChoice
        label="Colour"
        value={advisor.color}
        taken={Object.fromEntries(others.map(({ color, name }) => [color.toLowerCase(), name]))}
        error={error('color')}
        onChange={color => onChange({ color })}
      />
      <div className="form-pair">
        <ModelPicker
          label="Model"
          value={advisor.model}
          allowDefault={`Default (${models.default})`}
          error={error('model')}
          hint="A model that is chosen for a conversation counts for everybody in it."
          onChange={model => onChange({ model })}
        />
        <SelectField
          label="Policy"
          value={advisor.policy}
          options={[
            { value: '', label: 'That of the conversation' },
            ...policies.map(({ name }) => ({ value: name, label: name })),
          ]}
          error={error('policy')}
          hint="With every policy, an advisor sees only its own past."
          onChange={policy => onChange({ policy })}
        />
        <SelectField
          label="Thinking"
          value={advisor.thinking}
          options={[
            { value: '', label: 'Off, unless the conversation has it' },
            { value: 'on', label: 'On' },
            { value: 'off', label: 'Off' },
          ]}
          onChange={value => onChange({ thinking: value === 'on' || value === 'off' ? value : '' })}
        />
      </div>
      <Switch
        label="Answers every message"
        hint="Off: it is hidden, and answers only when it is named."
        isOn={advisor.active}
        onChange={active => onChange({ active })}
      />
      <Switch
        label="Has what the house has"
        hint="AGENTS.md, skills and tools, as agents have them."
        isOn={advisor.house}
        onChange={house => onChange({ house })}
      />
      <EquipmentFields
        value={advisor}
        lists={lists}
        hasAll={advisor.house}
        complaints={complaints}
        path={`advisors.${index}.`}
        onChange={onChange}
      />
      {advisor.id !== '' && (
        <p className="form-hint">
          Its past belongs to the id <code>{advisor.id}</code>, so its name may change.
        </p>
      )}
    </>
  )
}
