// Settings as switches, selects and numbers, each saved as soon as it is changed.
import { useEffect, useState } from 'react'
import type { Option } from '../../form/select-field.tsx'
import { ModelPickerButton } from '../../model-picker/model-picker.tsx'
import { type NumberUnit, numberText, readNumber } from './number-text.ts'
import { type SettingProps, SettingRow } from './setting-row.tsx'

/** One of a few values. */
export function SelectSetting({ options, ...props }: SettingProps & { readonly options: readonly Option[] }): React.ReactNode {
  return (
    <SettingRow {...props}>
      {({ value, isFixed, set, ...bound }) => (
        <select
          {...bound}
          className="form-control"
          value={String(value)}
          disabled={isFixed}
          onChange={event => set(event.target.value)}
        >
          {!options.some(option => option.value === String(value)) && <option value={String(value)}>{String(value)}</option>}
          {options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </SettingRow>
  )
}

/** A model, by the picker that every page has. */
export function DefaultModelSetting(props: SettingProps): React.ReactNode {
  return (
    <SettingRow {...props}>
      {({ value, isFixed, set, ...bound }) => (
        <ModelPickerButton
          label={props.label}
          value={String(value)}
          isDisabled={isFixed}
          bound={{ id: bound.id, 'aria-describedby': bound['aria-describedby'] }}
          onChange={set}
        />
      )}
    </SettingRow>
  )
}

/** On or off. */
export function SwitchSetting({
  on,
  off,
  ...props
}: SettingProps & { readonly on: string; readonly off: string }): React.ReactNode {
  return (
    <SettingRow {...props}>
      {({ value, isFixed, set, ...bound }) => (
        <span className="form-switch setting-switch">
          <input
            {...bound}
            type="checkbox"
            role="switch"
            checked={value === true}
            aria-checked={value === true}
            disabled={isFixed}
            onChange={event => set(event.target.checked)}
          />
          <span aria-hidden="true">{value === true ? on : off}</span>
        </span>
      )}
    </SettingRow>
  )
}

type NumberSettingProps = SettingProps & {
  readonly unit?: NumberUnit
  /** What an empty field means, as a placeholder. Without it, an empty field goes back to the default. */
  readonly empty?: string
  /** Words behind the number, as in "minutes". */
  readonly after?: string
}

/** A number, saved when the person leaves the field or presses Enter. */
export function NumberSetting({ unit = 'plain', empty, after, ...props }: NumberSettingProps): React.ReactNode {
  return (
    <SettingRow {...props}>
      {({ value, isFixed, set, ...bound }) => (
        <span className="setting-number">
          <NumberInput
            bound={bound}
            text={numberText(value, unit)}
            placeholder={empty}
            isFixed={isFixed}
            onCommit={text => set(readNumber(text, unit))}
          />
          {after !== undefined && <span className="setting-after">{after}</span>}
        </span>
      )}
    </SettingRow>
  )
}

type NumberInputProps = {
  readonly bound: React.ComponentProps<'input'>
  readonly text: string
  readonly placeholder?: string | undefined
  readonly isFixed: boolean
  readonly onCommit: (text: string) => void
}

function NumberInput({ bound, text, placeholder, isFixed, onCommit }: NumberInputProps): React.ReactNode {
  const [draft, setDraft] = useState(text)
  useEffect(() => setDraft(text), [text])
  const commit = (): void => {
    if (draft.trim() !== text) onCommit(draft)
  }
  return (
    <input
      {...bound}
      className="form-control"
      inputMode="decimal"
      autoComplete="off"
      value={draft}
      placeholder={placeholder}
      readOnly={isFixed}
      onChange={event => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={event => {
        if (event.key === 'Enter') commit()
        if (event.key === 'Escape') setDraft(text)
      }}
    />
  )
}
