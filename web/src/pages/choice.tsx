// A choice of a few values, side by side.
import { useId } from 'react'

type ChoiceProps<Value> = {
  readonly label: string
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** One of a few, side by side. */
export function ChoiceField<Value extends string | number | null>({
  label,
  options,
  value,
  onChange,
}: ChoiceProps<Value>): React.ReactNode {
  const name = useId()
  return (
    <fieldset className="choice">
      <legend className="unseen">{label}</legend>
      {options.map(([each, words]) => (
        <label key={words}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}
