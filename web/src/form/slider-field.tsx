// A labeled slider with its number beside it.
import { useId } from 'react'
import { formatCount } from '../words/words.ts'

type SliderFieldProps = {
  readonly label: string
  readonly hint?: string
  /** Null is automatic. */
  readonly value: number | null
  /** The values that the slider goes through, from small to large. Others can be typed. */
  readonly stops: readonly number[]
  /** What the number counts, as in "messages". */
  readonly unit: string
  /** What automatic means, where it can be chosen; the number is what it begins with when it is not. */
  readonly automatic?: { readonly words: string; readonly otherwise: number }
  readonly least?: number
  readonly onChange: (value: number | null) => void
}

/** A number by a slider, or typed; where it may be automatic, a box says so. */
export function SliderField(props: SliderFieldProps): React.ReactNode {
  const { label, hint, value, stops, unit, automatic, least = 0, onChange } = props
  const id = useId()
  const shown = value ?? automatic?.otherwise ?? stops[0] ?? 0
  return (
    <fieldset className="slider-field" data-off={value === null}>
      <legend className="form-label">{label}</legend>
      {automatic !== undefined && (
        <label className="slider-auto">
          <input
            type="checkbox"
            checked={value === null}
            onChange={event => onChange(event.target.checked ? null : automatic.otherwise)}
          />
          {automatic.words}
        </label>
      )}
      {value !== null && (
        <div className="slider-row">
          <input
            type="range"
            aria-label={label}
            aria-valuetext={`${formatCount(shown)} ${unit}`}
            aria-describedby={hint === undefined ? undefined : id}
            min={0}
            max={stops.length - 1}
            value={nearestStop(stops, shown)}
            onChange={event => onChange(stops[Number(event.target.value)] ?? shown)}
          />
          <input
            className="form-control slider-number"
            type="number"
            aria-label={`${label}, ${unit}`}
            min={least}
            step={1}
            value={shown}
            onChange={event => {
              const typed = event.target.valueAsNumber
              if (Number.isInteger(typed) && typed >= least) onChange(typed)
            }}
          />
          <span className="slider-unit">{unit}</span>
        </div>
      )}
      {hint !== undefined && (
        <p className="form-hint" id={id}>
          {hint}
        </p>
      )}
    </fieldset>
  )
}

/** The place of the stop that is nearest to a value. */
function nearestStop(stops: readonly number[], value: number): number {
  let best = 0
  for (const [index, stop] of stops.entries()) if (Math.abs(stop - value) < Math.abs((stops[best] ?? 0) - value)) best = index
  return best
}
