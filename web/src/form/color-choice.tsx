// Chooses one of the named colors, or another one.
import { useId } from 'react'
import { COLORS, colorName } from './colors.ts'

type ColorChoiceProps = {
  readonly label: string
  /** Empty is none. */
  readonly value: string
  readonly onChange: (color: string) => void
  readonly error?: string | undefined
  /** What others have already, by color: a name each. */
  readonly taken?: Readonly<Record<string, string>>
  /** Whether none may be chosen. */
  readonly mayBeNone?: boolean
}

/** A color of the house, or one's own. Every swatch has a name; the chosen one is marked by a ring and named in words. */
export function ColorChoice({ label, value, onChange, error, taken = {}, mayBeNone = false }: ColorChoiceProps): React.ReactNode {
  const id = useId()
  const shown = mayBeNone ? [{ name: 'None', hex: '' }, ...COLORS] : COLORS
  return (
    <fieldset className="form-field form-colors" data-wrong={error !== undefined}>
      <legend className="form-label">
        {label}
        <span className="form-aside">{colorName(value)}</span>
      </legend>
      <div className="swatches">
        {shown.map(({ name, hex }) => (
          <label key={name} className="swatch" title={taken[hex] === undefined ? name : `${name}, as ${taken[hex]} has it`}>
            <input
              type="radio"
              name={`${id}-color`}
              value={hex}
              checked={value.toLowerCase() === hex}
              aria-label={taken[hex] === undefined ? name : `${name}, as ${taken[hex]} has it`}
              onChange={() => onChange(hex)}
            />
            <span
              className="swatch-dot"
              data-none={hex === ''}
              data-taken={taken[hex] !== undefined}
              style={hex === '' ? undefined : { backgroundColor: hex }}
            />
          </label>
        ))}
        <input
          className="form-control swatch-hex"
          data-code="true"
          aria-label={`${label} as a hex value`}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          value={value}
          placeholder="#1a71b6"
          maxLength={20}
          spellCheck={false}
          autoComplete="off"
          onChange={event => onChange(event.target.value.trim())}
        />
      </div>
      {error !== undefined && (
        <p className="form-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
