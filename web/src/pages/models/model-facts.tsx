// The form that says what a model is: its window, its longest reply and its price.
import { useState } from 'react'
import { whyAt } from '../../form/complaints.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { SelectField } from '../../form/select-field.tsx'
import { TextField } from '../../form/text-field.tsx'
import type { ModelRow } from '../../wire/workspace-api.ts'
import { Read } from '../read.tsx'
import { type SettingsEditing, useSettings } from '../settings/use-settings.ts'
import { isUnchanged, type ModelFactsForm, modelFactsOf, modelFactsPatch } from './model-facts-form.ts'

type ModelFactsProps = { readonly models: readonly ModelRow[]; readonly onChanged: () => void }

/** One model at a time, chosen from the list. */
export function ModelFactsPart({ models, onChanged }: ModelFactsProps): React.ReactNode {
  const settings = useSettings(onChanged)
  const [chosen, setChosen] = useState('')
  const model = models.find(({ name }) => name === chosen)
  return (
    <section className="page-part" aria-labelledby="model-facts">
      <h2 id="model-facts">Windows and prices</h2>
      <p className="page-note">
        If a model’s window, longest reply or price is unknown or different, say so here. Saved in turnwise.json.
      </p>
      <SelectField
        label="Model"
        value={chosen}
        options={[{ value: '', label: 'Choose a model' }, ...models.map(({ name }) => ({ value: name, label: name }))]}
        onChange={setChosen}
      />
      {model !== undefined && (
        <Read from={settings.loaded} what="settings">
          {tree => (
            <FactsForm
              key={`${model.name} ${JSON.stringify(modelFactsOf(model))}`}
              model={model}
              editing={settings.editingOf(tree)}
            />
          )}
        </Read>
      )}
    </section>
  )
}

type FactsFormProps = { readonly model: ModelRow; readonly editing: SettingsEditing }

const FIELDS: readonly (readonly [keyof ModelFactsForm, string, string, string])[] = [
  ['window', 'Window', 'Tokens', 'window'],
  ['output', 'Longest reply', 'Tokens', 'output'],
  ['priceIn', 'Price of input', 'US dollars per million tokens', 'price.input'],
  ['priceOut', 'Price of output', 'US dollars per million tokens', 'price.output'],
]

function FactsForm({ model, editing }: FactsFormProps): React.ReactNode {
  const [form, setForm] = useState<ModelFactsForm>(modelFactsOf(model))
  const own = (editing.at('models')?.value ?? {}) as Readonly<Record<string, unknown>>
  // As the gateway writes a path: a name with other signs than these is in quotation marks.
  const at = `models.${/^[\w-]+$/.test(model.name) ? model.name : JSON.stringify(model.name)}`
  const paths = FIELDS.map(([, , , path]) => `${at}.${path}`)
  return (
    <form
      className="form model-facts"
      aria-label={`What ${model.name} is`}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        editing.change(modelFactsPatch(model, form)).catch(reportError)
      }}
    >
      {editing.problem !== null && <ProblemBox problem={editing.problem} fields={paths} />}
      <div className="model-facts-fields">
        {FIELDS.map(([name, label, hint, path]) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            value={form[name]}
            placeholder="Not known"
            error={whyAt(editing.complaints, `${at}.${path}`)}
            onChange={value => setForm(now => ({ ...now, [name]: value }))}
          />
        ))}
      </div>
      <div className="provider-actions">
        <button type="submit" className="button primary" disabled={editing.isSaving || isUnchanged(model, form)}>
          Save
        </button>
        {Object.hasOwn(own, model.name) && (
          <button
            type="button"
            className="button"
            onClick={() => editing.change({ models: { [model.name]: null } }).catch(reportError)}
          >
            Reset to default
          </button>
        )}
      </div>
      <p className="unseen" role="status">
        {editing.isSaved ? 'Saved' : ''}
      </p>
    </form>
  )
}
