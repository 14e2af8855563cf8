// One row of the model picker.
import { useEffect, useRef } from 'react'
import { Icon } from '../parts/icon.tsx'
import type { ModelRow } from '../wire/workspace-api.ts'
import { shortCount } from '../words/amounts.ts'
import { modelPriceWords, seesWords } from '../words/model-words.ts'
import type { PickerOption } from './sections.ts'

type PickerRowProps = {
  readonly id: string
  readonly option: PickerOption
  /** The keyboard is here. */
  readonly isActive: boolean
  readonly isChosen: boolean
  readonly onPoint: () => void
  readonly onPick: () => void
  /** Absent where models are not starred. */
  readonly onStar?: ((name: string) => void) | undefined
}

/** A model, the default, or a provider to connect. The search field has the focus and names the active row. */
export function PickerRow({ id, option, isActive, isChosen, onPoint, onPick, onStar }: PickerRowProps): React.ReactNode {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field hears the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus
    <div
      ref={row}
      id={id}
      role="option"
      className="picker-row"
      aria-selected={isChosen}
      data-active={isActive}
      onPointerMove={onPoint}
      onClick={onPick}
    >
      <span className="picker-check">{isChosen && <Icon name="check" />}</span>
      <span className="picker-words">{wordsOf(option)}</span>
      {option.kind === 'connect' && <Icon name="chevron" />}
      {option.kind === 'model' && onStar !== undefined && (
        // For the pointer only; by keyboard, the button below the list does the same.
        <span
          className="picker-star"
          data-on={option.isFavorite}
          aria-hidden="true"
          title={option.isFavorite ? 'Remove from favorites' : 'Add to favorites'}
          onClick={event => {
            event.stopPropagation()
            onStar(option.model.name)
          }}
        >
          <Icon name="star" />
        </span>
      )}
    </div>
  )
}

function wordsOf(option: PickerOption): React.ReactNode {
  switch (option.kind) {
    case 'default':
      return <span className="picker-name">{option.label}</span>
    case 'gone':
      return (
        <>
          <ShownModelName name={option.name} />
          <span className="picker-facts">Not available now</span>
        </>
      )
    case 'connect':
      return (
        <>
          <span className="picker-name">Connect {option.title} …</span>
          {option.models.length > 0 && <span className="picker-facts">{teaser(option.models)}</span>}
        </>
      )
    case 'model':
      return (
        <>
          <ShownModelName name={option.model.name} />
          <ModelFacts model={option.model} />
        </>
      )
  }
}

/** The provider is said in grey, because the model is what people look for. */
export function ShownModelName({ name }: { readonly name: string }): React.ReactNode {
  const cut = name.startsWith('compatible/') ? name.indexOf('/', 'compatible/'.length) : name.indexOf('/')
  return (
    <span className="picker-name">
      {cut > 0 && <span className="picker-provider">{name.slice(0, cut + 1).replace(/^compatible\//, '')}</span>}
      {name.slice(cut + 1)}
    </span>
  )
}

/** Window, price, and what it can see and do. */
function ModelFacts({ model }: { readonly model: ModelRow }): React.ReactNode {
  return (
    <span className="picker-facts">
      {model.window > 0 && <span>{shortCount(model.window)} window</span>}
      {model.price !== null && <span>{priceWords(model)}</span>}
      {seesWords(model).map(word => (
        <span key={word} className="picker-chip">
          {word}
        </span>
      ))}
    </span>
  )
}

function priceWords(model: ModelRow): string {
  const words = modelPriceWords(model)
  return words === 'free' ? words : `${words} per million`
}

function teaser(models: readonly string[]): string {
  const short = models.slice(0, 2).map(name => name.split('/').at(-1))
  const more = models.length - short.length
  return more > 0 ? `${short.join(', ')} and ${more} more` : short.join(', ')
}
