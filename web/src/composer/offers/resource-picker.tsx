// A searchable list of the resources of all connected servers.
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { placePanel } from '../../model-picker/place-panel.ts'
import { Icon } from '../../parts/icon.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useModal } from '../../parts/use-modal.ts'
import { useNarrow } from '../../parts/use-narrow.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { unansweredWords } from '../../words/mcp-words.ts'
import { resourcesFor, resourcesOf, type ServerResource } from './offered.ts'

type ResourcePickerProps = {
  /** What opened it. */
  readonly button: HTMLElement
  readonly servers: readonly string[]
  readonly onPick: (resource: ServerResource) => void
  readonly onClose: () => void
}

const PAGE_ROWS = 6
/** More are found by searching. */
const MOST_SHOWN = 200

/** Beside its button, or a sheet where the screen is narrow. The field keeps the focus, and arrow keys move through the list. */
export function ResourcePicker({ button, servers, onPick, onClose }: ResourcePickerProps): React.ReactNode {
  const dialog = useModal()
  const isNarrow = useNarrow()
  const { mcp } = useWorkspaceApi()
  const { value } = useLoaded(`resources ${servers.join(' ')}`, async () => ({
    ok: true as const,
    value: await resourcesOf(mcp, servers),
  }))
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const found = resourcesFor(value?.items ?? [], query)
  const shown = found.slice(0, MOST_SHOWN)
  const active = Math.max(0, Math.min(at, shown.length - 1))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel is as high as what it lists
  useLayoutEffect(() => {
    const box = dialog.current
    if (box === null) return
    const place = (): void => placePanel(box, button, isNarrow)
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [button, isNarrow, shown.length])
  useEffect(() => {
    // A phone's keyboard would cover the list; there the field waits until it is touched.
    if (matchMedia('(pointer: coarse)').matches) dialog.current?.focus()
  }, [dialog])

  const pick = (resource: ServerResource): void => {
    dialog.current?.close()
    onClose()
    onPick(resource)
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const { length } = shown
    const chosen = shown[active]
    if (event.nativeEvent.isComposing || chosen === undefined) return
    if (event.key === 'ArrowDown') setAt((active + 1) % length)
    else if (event.key === 'ArrowUp') setAt((active - 1 + length) % length)
    else if (event.key === 'PageDown') setAt(Math.min(active + PAGE_ROWS, length - 1))
    else if (event.key === 'PageUp') setAt(Math.max(active - PAGE_ROWS, 0))
    else if (event.key === 'Enter') pick(chosen)
    else return
    event.preventDefault()
  }
  const groups = servers.flatMap(server => {
    const rows = shown.flatMap((resource, index) => (resource.server === server ? [{ resource, index }] : []))
    return rows.length === 0 ? [] : [{ server, rows }]
  })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="picker"
      aria-label="Attach from a connected server"
      tabIndex={-1}
      onClose={event => event.target === event.currentTarget && onClose()}
      onCancel={event => event.stopPropagation()}
      onClick={event => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div className="picker-inner">
        <div className="picker-search">
          <label className="picker-field">
            <Icon name="search" />
            <input
              role="combobox"
              aria-label="Resources"
              aria-expanded="true"
              aria-controls={list}
              aria-autocomplete="list"
              aria-activedescendant={shown.length === 0 ? undefined : `${list}-${active}`}
              placeholder="Search resources"
              autoComplete="off"
              spellCheck={false}
              maxLength={200}
              value={query}
              onChange={event => {
                setQuery(event.target.value)
                setAt(0)
              }}
              onKeyDown={onKeyDown}
            />
          </label>
          <div id={list} className="picker-list" role="listbox" aria-label="Resources">
            {groups.map(({ server, rows }) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be in a list box
              <div key={server} role="group" aria-label={server} className="picker-group">
                <div className="picker-title" aria-hidden="true">
                  {server}
                </div>
                {rows.map(({ resource, index }) => (
                  <ResourceRow
                    key={resource.uri}
                    id={`${list}-${index}`}
                    resource={resource}
                    isActive={index === active}
                    onPoint={() => setAt(index)}
                    onPick={() => pick(resource)}
                  />
                ))}
              </div>
            ))}
          </div>
          <p className={shown.length === 0 ? 'picker-none' : 'unseen'} role="status">
            {value === null ? 'Reading the resources …' : shown.length === 0 ? 'No matching resources' : `${shown.length} shown`}
          </p>
        </div>
        {found.length > shown.length && <p className="picker-none">Search to find the other {found.length - shown.length}.</p>}
        {value !== null && value.failed.length > 0 && (
          <p className="picker-none" role="alert">
            {unansweredWords(value.failed)}
          </p>
        )}
        <footer className="picker-foot resource-foot">
          <button type="button" className="picker-close quiet-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </footer>
      </div>
    </dialog>
  )
}

type ResourceRowProps = {
  readonly id: string
  readonly resource: ServerResource
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onPick: () => void
}

function ResourceRow({ id, resource, isActive, onPoint, onPick }: ResourceRowProps): React.ReactNode {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isActive) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  const { name, uri, mediaType, description } = resource
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field hears the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus
    <div
      ref={row}
      id={id}
      role="option"
      className="picker-row resource-row"
      aria-selected={isActive}
      data-active={isActive}
      onPointerMove={onPoint}
      onClick={onPick}
    >
      <Icon name="file" />
      <span className="picker-words">
        <span className="picker-name">{name}</span>
        {description !== undefined && <span className="picker-facts">{description}</span>}
        <span className="picker-facts">
          <span className="resource-uri">{uri}</span>
          {mediaType !== undefined && <span className="picker-chip">{mediaType}</span>}
        </span>
      </span>
    </div>
  )
}
