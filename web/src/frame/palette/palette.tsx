// The palette: chats, messages, pages and actions by a few letters.
import { useEffect, useId, useRef, useState } from 'react'
import { piecesAt } from '../../parts/found.ts'
import { HighlightedPieces, HighlightedText } from '../../parts/found.tsx'
import { useFrame } from '../../parts/frame.ts'
import { Icon } from '../../parts/icon.tsx'
import { keysOf } from '../../parts/keys.ts'
import { APPLE } from '../../parts/platform.ts'
import { useModal } from '../../parts/use-modal.ts'
import type { LocalStore } from '../../wire/local-storage.ts'
import { Keys } from '../dialogs/shortcuts.tsx'
import type { ShortcutActions } from '../use-actions.ts'
import { type Ranked, rank, recentOf, remember } from './rank.ts'
import { useEntries, useMessages } from './use-entries.ts'

type PaletteProps = { readonly localStore: LocalStore; readonly actions: ShortcutActions; readonly onClose: () => void }

/** Conversations, messages, pages and actions by a few letters, and by the keyboard alone. */
export function Palette({ localStore, actions, onClose }: PaletteProps): React.ReactNode {
  const { narrow, showSidebar } = useFrame()
  const dialog = useModal()
  const list = useId()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const messages = useMessages(query)
  const ranked = rank(useEntries(actions), query, recentOf(localStore))
  const shown: readonly Ranked[] = [...ranked, ...messages.map(entry => ({ ...entry, at: [] }))]
  const chosen = Math.min(at, shown.length - 1)

  /** What it does may open something else, so the palette is away first. */
  const choose = (entry: Ranked | undefined): void => {
    if (entry === undefined) return
    if (entry.kind !== 'Message') remember(localStore, entry.key)
    dialog.current?.close()
    onClose()
    if (narrow) showSidebar(false)
    entry.run()
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || shown.length === 0) return
    const { length } = shown
    if (event.key === 'ArrowDown') setAt((chosen + 1) % length)
    else if (event.key === 'ArrowUp') setAt((chosen - 1 + length) % length)
    else if (event.key === 'PageDown') setAt(Math.min(chosen + 8, length - 1))
    else if (event.key === 'PageUp') setAt(Math.max(chosen - 8, 0))
    else if (event.key === 'Enter') choose(shown[chosen])
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label="Find anything, do anything"
      onClose={onClose}
      onClick={event => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
    >
      <label className="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Find anything, do anything"
          aria-expanded="true"
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={shown.length === 0 ? undefined : `${list}-${chosen}`}
          placeholder="A conversation, a page, something to do …"
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
        <button type="button" className="small-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </label>
      <div id={list} className="palette-list" role="listbox" aria-label="What was found">
        {shown.map((entry, index) => (
          <Option
            key={entry.key}
            id={`${list}-${index}`}
            entry={entry}
            query={query}
            chosen={index === chosen}
            onPoint={() => setAt(index)}
            onChoose={() => choose(entry)}
          />
        ))}
      </div>
      <p className={shown.length === 0 ? 'palette-none' : 'unseen'} role="status">
        {shown.length === 0 ? `Nothing found for “${query.trim()}”.` : `${shown.length} found`}
      </p>
    </dialog>
  )
}

type OptionProps = {
  readonly id: string
  readonly entry: Ranked
  readonly query: string
  readonly chosen: boolean
  readonly onPoint: () => void
  readonly onChoose: () => void
}

function Option({ id, entry, query, chosen, onPoint, onChoose }: OptionProps): React.ReactNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen) box.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const keys = entry.action === undefined ? [] : keysOf(entry.action, APPLE)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option it means
    <div ref={box} id={id} role="option" aria-selected={chosen} className="option" onPointerMove={onPoint} onClick={onChoose}>
      <span className="option-words">
        <HighlightedPieces pieces={piecesAt(entry.words, entry.at)} />
        {entry.detail !== undefined && (
          <span className="row-snippet">
            <HighlightedText text={entry.detail} query={query} />
          </span>
        )}
      </span>
      {keys.length > 0 ? <Keys keys={keys} /> : <span className="option-kind">{entry.kind}</span>}
    </div>
  )
}
