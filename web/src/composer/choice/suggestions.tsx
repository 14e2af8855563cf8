// The list of suggestions above the text field.
import { useEffect, useRef } from 'react'
import type { SuggestionList } from './suggest.ts'

export const optionId = (index: number): string => `suggestion-${index}`

type SuggestionsProps = {
  readonly suggested: SuggestionList
  readonly chosen: number
  readonly onPick: (index: number) => void
}

/** A small list above the field; the focus stays in the text, and the field says which one is meant. */
export function SuggestionMenu({ suggested: { title, items }, chosen, onPick }: SuggestionsProps): React.ReactNode {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    <div className="suggestions" id="suggestions" role="listbox" aria-label={title} ref={list}>
      {items.map(({ key, label, hint, color }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard in the field
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
        <div
          key={key}
          id={optionId(index)}
          role="option"
          aria-selected={index === chosen}
          className="suggestion"
          onPointerDown={event => event.preventDefault()}
          onClick={() => onPick(index)}
        >
          {color !== undefined && <span className="voice-dot" style={{ backgroundColor: color }} aria-hidden="true" />}
          <span className="suggestion-label">{label}</span>
          {hint !== '' && <span className="suggestion-hint">{hint}</span>}
        </div>
      ))}
    </div>
  )
}
