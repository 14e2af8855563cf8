// A searchable list of models: the field keeps the focus, and arrow keys move through the list.
import { useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { PickerRow } from './model-option.tsx'
import type { PickerOption, PickerSection } from './sections.ts'

type ModelListProps = {
  readonly label: string
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly sections: readonly PickerSection[]
  /** The chosen model; empty is the default. */
  readonly value: string
  readonly onPick: (option: PickerOption) => void
  readonly onStar?: (name: string) => void
  /** Until the list was read. */
  readonly isLoading?: boolean
  /** The model that the keyboard is at; null for any other row. */
  readonly onActive?: (model: string | null) => void
}

const PAGE_ROWS = 6

export function ModelOptions(props: ModelListProps): React.ReactNode {
  const { label, query, onQuery, sections, value, onPick, onStar, isLoading = false, onActive } = props
  const list = useId()
  const field = useRef<HTMLInputElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const options = sections.flatMap(section => section.options)
  const isChosen = (option: PickerOption): boolean =>
    option.kind === 'default' ? value === '' : option.kind === 'model' ? option.model.name === value : option.kind === 'gone'
  // It begins at the chosen one; a search begins at its first hit.
  const first = query.trim() === '' ? options.findIndex(isChosen) : 0
  const active = Math.min(at ?? Math.max(first, 0), options.length - 1)
  const option = options[active]
  const model = option?.kind === 'model' ? option.model.name : null
  useEffect(() => onActive?.(model), [onActive, model])

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const { length } = options
    if (event.nativeEvent.isComposing || length === 0) return
    if (event.key === 'ArrowDown') setAt((active + 1) % length)
    else if (event.key === 'ArrowUp') setAt((active - 1 + length) % length)
    else if (event.key === 'PageDown') setAt(Math.min(active + PAGE_ROWS, length - 1))
    else if (event.key === 'PageUp') setAt(Math.max(active - PAGE_ROWS, 0))
    else if (event.key === 'Enter' && option !== undefined) onPick(option)
    else return
    event.preventDefault()
  }
  let index = -1
  return (
    <div className="picker-search">
      <label className="picker-field">
        <Icon name="search" />
        <input
          ref={field}
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={option === undefined ? undefined : `${list}-${active}`}
          placeholder="Search models"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={query}
          onChange={event => {
            onQuery(event.target.value)
            setAt(null)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div id={list} className="picker-list" role="listbox" aria-label={label}>
        {sections.map(({ title, options: own }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a list box
          <div key={title} role="group" aria-label={title === '' ? 'Default' : title} className="picker-group">
            {title !== '' && (
              <div className="picker-title" aria-hidden="true">
                {title}
              </div>
            )}
            {own.map(each => {
              index += 1
              const here = index
              return (
                <PickerRow
                  key={each.key}
                  id={`${list}-${here}`}
                  option={each}
                  isActive={here === active}
                  isChosen={isChosen(each)}
                  onPoint={() => setAt(here)}
                  onPick={() => onPick(each)}
                  onStar={onStar}
                />
              )
            })}
          </div>
        ))}
      </div>
      <p className={options.length === 0 ? 'picker-none' : 'unseen'} role="status">
        {options.length > 0 ? `${options.length} shown` : isLoading ? 'Reading the models …' : 'No matching models'}
      </p>
    </div>
  )
}
