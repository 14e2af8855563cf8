// A labeled select.
import { type FieldWords, FormField } from './field.tsx'

export type Option = { readonly value: string; readonly label: string; readonly isDisabled?: boolean }

type SelectFieldProps = FieldWords & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly Option[]
  /** Further options under headings. */
  readonly groups?: readonly { readonly label: string; readonly options: readonly Option[] }[]
}

/** One of several options. An unknown value, as an old file may have it, is shown as it is and not lost. */
export function SelectField({ value, onChange, options, groups = [], ...words }: SelectFieldProps): React.ReactNode {
  const isKnown = [...options, ...groups.flatMap(group => group.options)].some(option => option.value === value)
  return (
    <FormField {...words}>
      {bound => (
        <select {...bound} className="form-control" value={value} onChange={event => onChange(event.target.value)}>
          {!isKnown && <option value={value}>{value} (not there now)</option>}
          {options.map(optionOf)}
          {groups.map(group => (
            <optgroup key={group.label} label={group.label}>
              {group.options.map(optionOf)}
            </optgroup>
          ))}
        </select>
      )}
    </FormField>
  )
}

const optionOf = ({ value, label, isDisabled }: Option): React.ReactNode => (
  <option key={value} value={value} disabled={isDisabled}>
    {label}
  </option>
)
