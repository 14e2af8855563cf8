// A labeled line of text.
import { type FieldWords, FormField } from './field.tsx'

type TextFieldProps = FieldWords & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly maxLength?: number
  readonly readOnly?: boolean
  /** Spelling is of no interest in keys and addresses. */
  readonly isCode?: boolean
}

/** One line of text. */
export function TextField({
  value,
  onChange,
  placeholder,
  maxLength,
  readOnly,
  isCode,
  ...words
}: TextFieldProps): React.ReactNode {
  return (
    <FormField {...words}>
      {bound => (
        <input
          {...bound}
          className="form-control"
          data-code={isCode === true}
          value={value}
          placeholder={placeholder}
          maxLength={maxLength}
          readOnly={readOnly}
          autoComplete="off"
          spellCheck={isCode !== true}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </FormField>
  )
}
