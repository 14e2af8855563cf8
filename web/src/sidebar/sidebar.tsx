// The sidebar: new chat, search, the list, other pages.
import { useCallback, useEffect, useRef } from 'react'
import { useFrame } from '../parts/frame.ts'
import { Icon } from '../parts/icon.tsx'
import { keyHint } from '../parts/platform.ts'
import { useStore } from '../store/use-store.ts'
import { sessionHash } from '../view/route.ts'
import { PageLinks } from './page-links.tsx'
import { ProjectList } from './project-list.tsx'
import { SearchField } from './search-field.tsx'
import { SessionList } from './session-list.tsx'
import { ThemeChoice } from './theme-choice.tsx'

/** Every conversation: a new one, a search, the list; below them the other pages. On a narrow screen it is a drawer. */
export function Sidebar(): React.ReactNode {
  const { narrow, sidebar, showSidebar, show } = useFrame()
  const isNew = useStore(state => state.route.page === 'chat' && state.session === null)
  const isSearching = useStore(state => state.query.trim() !== '')
  const close = useRef<HTMLButtonElement>(null)
  const drawer = narrow && sidebar

  // Opening the drawer moves the focus into it; closing gives the focus back to the element that had it.
  useEffect(() => {
    if (!drawer) return
    const opener = document.activeElement
    close.current?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [drawer])

  /** On a narrow screen, going somewhere closes the drawer. */
  const onOpen = useCallback(() => {
    if (narrow) showSidebar(false)
  }, [narrow, showSidebar])

  return (
    <nav className="sidebar" aria-label="Conversations" inert={!sidebar} data-open={sidebar}>
      <div className="sidebar-head">
        <span className="wordmark">
          <Icon name="mark" />
          Turnwise
        </span>
        <button
          type="button"
          className="quiet-button side-button"
          aria-label="Find anything, do anything"
          title={`Find anything, do anything (${keyHint('palette')})`}
          onClick={() => show('palette')}
        >
          <Icon name="command" />
        </button>
        <button
          ref={close}
          type="button"
          className="quiet-button side-button"
          aria-label={narrow ? 'Close the list' : 'Hide the sidebar'}
          title={narrow ? 'Close the list' : `Hide the sidebar (${keyHint('toggle-sidebar')})`}
          onClick={() => showSidebar(false)}
        >
          <Icon name={narrow ? 'close' : 'sidebar'} />
        </button>
      </div>
      <a className="new-chat" href={sessionHash(null)} aria-current={isNew ? 'page' : undefined} onClick={onOpen}>
        <Icon name="plus" />
        New conversation
      </a>
      <SearchField />
      <div className="sidebar-scroll">
        {!isSearching && <ProjectList onOpen={onOpen} />}
        <SessionList onOpen={onOpen} />
      </div>
      <PageLinks onOpen={onOpen} />
      <footer className="sidebar-foot">
        <ThemeChoice />
        <button
          type="button"
          className="quiet-button side-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => show('shortcuts')}
        >
          <Icon name="keyboard" />
        </button>
        <button
          type="button"
          className="quiet-button side-button"
          aria-label="Preferences"
          title="Preferences"
          onClick={() => show('preferences')}
        >
          <Icon name="sliders" />
        </button>
      </footer>
    </nav>
  )
}
