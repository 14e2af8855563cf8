// The panel of the model picker, loaded when it is first opened.
import { useEffect, useLayoutEffect, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { useModal } from '../parts/use-modal.ts'
import { useNarrow } from '../parts/use-narrow.ts'
import { useWorkspaceChanges } from '../parts/use-workspace-lists.ts'
import { useActions, useModelChoices, useWorkspaceApi } from '../store/use-store.ts'
import { ModelOptions } from './model-list.tsx'
import { placePanel } from './place-panel.ts'
import { connectableProviders, type PickerOption, pickerSections } from './sections.ts'

export type PickerPanelProps = {
  readonly label: string
  readonly value: string
  readonly allowDefault: string | boolean
  /** What opened it. */
  readonly button: HTMLElement
  readonly onChange: (value: string) => void
  readonly onConnect: (provider: string | null) => void
  readonly onClose: () => void
}

/** Beside its button, or a sheet where the screen is narrow. Everything else waits until it is closed. */
export function PickerPanel(props: PickerPanelProps): React.ReactNode {
  const { label, value, allowDefault, button, onChange, onConnect, onClose } = props
  const dialog = useModal()
  const isNarrow = useNarrow()
  const { models: read, providers } = useWorkspaceApi()
  const { modelChoices } = useActions()
  const models = useLoaded('models', read)
  // Asked apart, because a provider that does not answer must not keep the models waiting.
  const connectable = useLoaded('providers', providers.list)
  useWorkspaceChanges(models.reload)
  const choices = useModelChoices()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState<string | null>(null)
  const usual = models.value?.default
  const sections = pickerSections({
    models: models.value?.items ?? [],
    choices,
    query,
    value: models.value === null ? '' : value,
    defaultLabel: typeof allowDefault === 'string' ? allowDefault : allowDefault ? defaultWords(usual) : null,
    connectable: connectable.value === null ? [] : connectableProviders(connectable.value),
  })
  const rows = sections.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel is as high as what it lists
  useLayoutEffect(() => {
    const box = dialog.current
    if (box === null) return
    const place = (): void => placePanel(box, button, isNarrow)
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [button, isNarrow, rows])
  useEffect(() => {
    // A phone's keyboard would cover the list; there the field waits until it is touched.
    if (matchMedia('(pointer: coarse)').matches) dialog.current?.focus()
  }, [dialog])

  /** Away first, so that the focus is back where it was before anything else opens. */
  const leave = (then?: () => void): void => {
    dialog.current?.close()
    onClose()
    then?.()
  }
  const pick = (option: PickerOption): void => {
    if (option.kind === 'connect') {
      leave(() => onConnect(option.provider))
      return
    }
    const name = option.kind === 'default' ? '' : option.kind === 'gone' ? option.name : option.model.name
    if (option.kind === 'model') modelChoices.use(name)
    leave(() => onChange(name))
  }
  const isFavorite = active !== null && choices.favorites.includes(active)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="picker"
      aria-label="Choose a model"
      tabIndex={-1}
      onClose={event => event.target === event.currentTarget && onClose()}
      onCancel={event => event.stopPropagation()}
      onClick={event => event.target === event.currentTarget && leave()}
    >
      <div className="picker-inner">
        <ModelOptions
          label={label}
          query={query}
          onQuery={setQuery}
          sections={sections}
          value={value}
          isLoading={models.value === null && models.problem === null}
          onPick={pick}
          onStar={modelChoices.star}
          onActive={setActive}
        />
        {models.problem !== null && (
          <p className="picker-none" role="alert">
            {models.problem.title}. {models.problem.detail}
          </p>
        )}
        <footer className="picker-foot">
          <button
            type="button"
            className="picker-favorite"
            aria-pressed={isFavorite}
            disabled={active === null}
            onClick={() => active !== null && modelChoices.star(active)}
          >
            <Icon name="star" /> {isFavorite ? 'Favorite' : 'Add to favorites'}
            {active !== null && <span className="unseen">: {active}</span>}
          </button>
          <button type="button" className="link" onClick={() => leave(() => onConnect(null))}>
            Connect a provider
          </button>
          <button type="button" className="picker-close quiet-button" aria-label="Close" onClick={() => leave()}>
            <Icon name="close" />
          </button>
        </footer>
      </div>
    </dialog>
  )
}

const defaultWords = (usual: string | undefined): string => (usual === undefined ? 'Default' : `Default (${usual})`)
