// Chooses a model: a button that opens a searchable list.
import { useId, useRef, useState } from 'react'
import { type FieldWords, FormField } from '../form/field.tsx'
import { lazily, useLazily } from '../markdown/use-lazily.ts'
import { useFrame } from '../parts/frame.ts'
import { Icon } from '../parts/icon.tsx'

const panel = lazily(() => import('./picker-panel.tsx'))

type ModelPickerButtonProps = {
  readonly label: string
  /** A full name; empty is the default. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Whether no choice is a choice, and how that is called; `true` is “Default”. */
  readonly allowDefault?: boolean | string
  readonly isDisabled?: boolean
  /** Whether it has the focus when it appears. */
  readonly isFocused?: boolean
  readonly bound?: { readonly id: string; readonly 'aria-describedby'?: string | undefined }
}

type ModelPickerProps = FieldWords & Omit<ModelPickerButtonProps, 'bound'>

/** A labeled field of a form. */
export function ModelPicker({ hint, error, aside, ...button }: ModelPickerProps): React.ReactNode {
  return (
    <FormField label={button.label} {...given({ hint, error, aside })}>
      {({ id, 'aria-describedby': described }) => <ModelPickerButton {...button} bound={{ id, 'aria-describedby': described }} />}
    </FormField>
  )
}

/** The button alone, where its label is drawn by its place. */
export function ModelPickerButton(props: ModelPickerButtonProps): React.ReactNode {
  const { label, value, onChange, allowDefault = false, isDisabled = false, isFocused = false, bound } = props
  const { connect } = useFrame()
  const own = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const loaded = useLazily(panel, isOpen)
  const shown =
    value === '' ? (typeof allowDefault === 'string' ? allowDefault : allowDefault ? 'Default' : 'Choose a model') : value
  return (
    <>
      <button
        type="button"
        ref={button}
        id={own}
        {...bound}
        className="form-control picker-button"
        aria-label={`${label}: ${shown}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={isDisabled}
        // biome-ignore lint/a11y/noAutofocus: what it is part of was opened to choose
        autoFocus={isFocused}
        onPointerEnter={panel.want}
        onClick={() => setOpen(true)}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setOpen(true)
        }}
      >
        <span className="picker-shown">{shown}</span>
        <Icon name="chevron" />
      </button>
      {isOpen && loaded !== null && button.current !== null && (
        <loaded.PickerPanel
          label={label}
          value={value}
          allowDefault={allowDefault}
          button={button.current}
          onChange={onChange}
          onConnect={connect}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** Without what is not given. */
const given = (words: Omit<FieldWords, 'label'>): Omit<FieldWords, 'label'> =>
  Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined))
