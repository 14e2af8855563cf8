// A label, a control, and the hint or error that belongs to it.
import { useId } from 'react'

/** What a control gets from its field: its id, and the ids of its hint and its error. */
export type Bound = { readonly id: string; readonly 'aria-describedby': string | undefined; readonly 'aria-invalid': boolean }

/** What every field may say of itself. */
export type FieldWords = {
  readonly label: string
  readonly hint?: React.ReactNode
  /** What is wrong with it, as `whyAt` finds it. */
  readonly error?: string | undefined
  /** A few words at the end of the label's line, such as a count. */
  readonly aside?: React.ReactNode
}

/** A label, a control, and its hint or error; a screen reader speaks all of them with the control. */
export function FormField({
  label,
  hint,
  error,
  aside,
  children,
}: FieldWords & { readonly children: (bound: Bound) => React.ReactNode }): React.ReactNode {
  const id = useId()
  const described = [hint === undefined ? [] : `${id}-hint`, error === undefined ? [] : `${id}-error`].flat().join(' ')
  return (
    <div className="form-field" data-wrong={error !== undefined}>
      <div className="form-label">
        <label htmlFor={id}>{label}</label>
        {aside !== undefined && <span className="form-aside">{aside}</span>}
      </div>
      {children({ id, 'aria-describedby': described === '' ? undefined : described, 'aria-invalid': error !== undefined })}
      {error !== undefined && (
        <p className="form-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p className="form-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
