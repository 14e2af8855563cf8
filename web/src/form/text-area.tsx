// A labeled text area that grows with its text.
import { useLayoutEffect, useRef } from 'react'
import { type FieldWords, FormField } from './field.tsx'

/** As in form.css. */
const LINE = 1.55

type TextAreaProps = FieldWords & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  /** How high it is when there is little in it. */
  readonly rows?: number
  readonly isRequired?: boolean
}

/** A text area that is as high as its text. */
export function TextArea({ value, onChange, placeholder, rows = 3, isRequired, ...words }: TextAreaProps): React.ReactNode {
  const area = useRef<HTMLTextAreaElement>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows from the text, where style sheets alone cannot do it
  useLayoutEffect(() => {
    const box = area.current
    if (box === null || CSS.supports('field-sizing', 'content')) return
    box.style.height = 'auto'
    box.style.height = `${box.scrollHeight + 2}px`
  }, [value])

  return (
    <FormField {...words}>
      {bound => (
        <textarea
          {...bound}
          ref={area}
          className="form-control form-text"
          value={value}
          placeholder={placeholder}
          rows={rows}
          aria-required={isRequired}
          // Style sheets that fit it to its text do not look at its rows.
          style={{ minHeight: `${rows * LINE + 1.1}em` }}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </FormField>
  )
}
