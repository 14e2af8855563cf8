// Chooses how the replies of a session are sampled and how long they may be.
import type { ReplySettings, SamplingPatch } from '../../../../src/model/sampling.ts'
import { samplingForm, settingsFromForm } from '../../form/sampling-form.ts'
import { effortOptions } from '../../words/sampling-words.ts'

type TuneSamplingProps = {
  readonly settings: Pick<ReplySettings, 'sampling' | 'maxTokens'>
  readonly isCouncil: boolean
  readonly onChange: (changes: { readonly sampling?: SamplingPatch; readonly maxTokens?: number | null }) => void
}

const FIELDS = [
  { key: 'temperature', label: 'Temperature' },
  { key: 'topP', label: 'Top P' },
  { key: 'seed', label: 'Seed' },
  { key: 'maxTokens', label: 'Maximum reply length in tokens' },
] as const

/** Sampling of this conversation. An empty field leaves it to the agent. */
export function TuneSampling({ settings, isCouncil, onChange }: TuneSamplingProps): React.ReactNode {
  const form = samplingForm(settings)
  const standard = isCouncil ? 'Advisor’s default' : 'Agent’s default'
  const write = (key: (typeof FIELDS)[number]['key'] | 'stop', text: string): void => {
    if (text === form[key]) return
    const { sampling = {}, maxTokens = null } = settingsFromForm({ ...form, [key]: text })
    onChange(key === 'maxTokens' ? { maxTokens } : { sampling: { [key]: sampling[key] ?? null } })
  }
  return (
    <details className="tune-more">
      <summary>Advanced</summary>
      <label className="tune-field">
        Thinking effort
        <select
          value={form.effort}
          onChange={({ target: { value } }) => onChange({ sampling: { effort: value === '' ? null : (value as never) } })}
        >
          {effortOptions(standard).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {FIELDS.map(({ key, label }) => (
        <label className="tune-field" key={`${key} ${form[key]}`}>
          {label}
          <input
            defaultValue={form[key]}
            placeholder={standard}
            inputMode="decimal"
            autoComplete="off"
            onBlur={event => write(key, event.target.value)}
            onKeyDown={event => event.key === 'Enter' && write(key, event.currentTarget.value)}
          />
        </label>
      ))}
      <label className="tune-field" key={`stop ${form.stop}`}>
        Stop sequences, one per line
        <textarea rows={2} defaultValue={form.stop} placeholder={standard} onBlur={event => write('stop', event.target.value)} />
      </label>
    </details>
  )
}
