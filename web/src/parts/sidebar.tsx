import { useEffect, useRef } from 'react'
import type { Keep } from '../keep.ts'
import { sessionHash } from '../route.ts'
import { useActions, useStore } from '../use-store.ts'
import { Icon } from './icon.tsx'
import { SessionList } from './session-list.tsx'
import { ThemeChoice } from './theme-choice.tsx'

type SidebarProps = { readonly keep: Keep; readonly narrow: boolean; readonly open: boolean; readonly onClose: () => void }

/** Every conversation: a new one, a search, the list. On a narrow screen it is a drawer. */
export function Sidebar({ keep, narrow, open, onClose }: SidebarProps): React.ReactNode {
  const { search } = useActions()
  const query = useStore(state => state.query)
  const session = useStore(state => state.session)
  const close = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useSearchKey(field)

  // Opening takes the focus along; closing gives it back to whoever opened.
  useEffect(() => {
    if (!open) return
    const opener = document.activeElement
    close.current?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [open])

  return (
    <nav className="sidebar" aria-label="Conversations" inert={narrow && !open} data-open={open}>
      <div className="sidebar-head">
        <span className="wordmark">
          <Icon name="mark" />
          Turnwise
        </span>
        {narrow && (
          <button ref={close} type="button" className="quiet-button" aria-label="Close the list" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <a className="new-chat" href={sessionHash(null)} aria-current={session === null ? 'page' : undefined} onClick={onClose}>
        <Icon name="plus" />
        New conversation
      </a>
      <label className="search">
        <Icon name="search" />
        <span className="unseen">Search conversations</span>
        <input
          ref={field}
          type="search"
          value={query}
          maxLength={200}
          placeholder="Search"
          autoComplete="off"
          spellCheck={false}
          onChange={event => search(event.target.value)}
          onKeyDown={event => {
            if (event.key !== 'Escape' || query === '') return
            event.preventDefault()
            search('')
          }}
        />
      </label>
      <SessionList onOpen={onClose} />
      <footer className="sidebar-foot">
        <ThemeChoice keep={keep} />
      </footer>
    </nav>
  )
}

/** Ctrl+K or ⌘K goes to the search, as everywhere else. */
function useSearchKey(field: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [field])
}
