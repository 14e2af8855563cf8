// The list of sessions, or of search hits.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useActions, useStore } from '../store/use-store.ts'
import { ChatMenu } from './chat-menu.tsx'
import { sessionGroups } from './groups.ts'
import { stepRows } from './rows-by-key.ts'
import { type RowMenu, SidebarRow } from './session-row.tsx'

/** The conversations by day, or what a search found. */
export function SessionList({ onOpen }: { readonly onOpen: () => void }): React.ReactNode {
  const { retry } = useActions()
  const groups = useGroups()
  const session = useStore(state => state.session)
  const family = useStore(state => (state.route.page === 'chat' ? state.about?.family : undefined))
  const running = useStore(state => state.view.running.length > 0)
  const query = useStore(state => state.query.trim())
  const archived = useStore(state => state.archived)
  const listed = useStore(state => state.listed)
  const problem = useStore(state => state.listProblem)
  const [menu, setMenu] = useState<RowMenu | null>(null)
  const close = useCallback(() => setMenu(null), [])
  const rows = groups.reduce((sum, { items }) => sum + items.length, 0)

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links in it, which have them all already
    <div className="session-list" onKeyDown={stepRows}>
      {groups.map(({ heading, items }) => (
        <section key={heading} aria-label={heading}>
          <h2 className="group">{heading}</h2>
          <ul>
            {items.map(item => (
              <SidebarRow
                key={item.family}
                session={item}
                query={query}
                current={family === undefined ? false : item.family === family}
                running={running && item.family === family && session !== null}
                menuOpen={menu?.session.id === item.id}
                onOpen={onOpen}
                onMenu={setMenu}
              />
            ))}
          </ul>
        </section>
      ))}
      {listed && problem !== null && (
        <p className="list-note">
          {problem.title}.{' '}
          <button type="button" className="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {listed && problem === null && rows === 0 && <p className="list-note">{emptyWords(query, archived)}</p>}
      <p className="unseen" role="status">
        {query !== '' && listed && rows > 0 ? `${rows} found` : ''}
      </p>
      <More />
      {menu !== null && (
        <ChatMenu
          session={menu.session}
          opener={menu.opener}
          onClose={close}
          onRename={menu.rename}
          onLeave={() => focusBeside(menu.opener)}
        />
      )}
    </div>
  )
}

function useGroups(): ReturnType<typeof sessionGroups> {
  const sessions = useStore(state => state.sessions)
  const query = useStore(state => state.query)
  const archived = useStore(state => state.archived)
  const pins = useStore(state => state.pins)
  const pinned = useStore(state => state.pinned)
  const gone = useStore(state => state.gone)
  const project = useStore(state => state.project)
  return useMemo(
    () => sessionGroups({ sessions, query, archived, pins, pinned, gone, project }, new Date()),
    [sessions, query, archived, pins, pinned, gone, project],
  )
}

/** The rest of a long list loads when its end comes near; the button is for people who do not scroll. */
function More(): React.ReactNode {
  const { more } = useActions()
  const next = useStore(state => state.next)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (next === null || button.current === null) return
    const watcher = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) more().catch(reportError)
      },
      { root: button.current.closest('.sidebar-scroll'), rootMargin: '400px' },
    )
    watcher.observe(button.current)
    return () => watcher.disconnect()
  }, [next, more])
  if (next === null) return null
  return (
    <button ref={button} type="button" className="more" onClick={() => more().catch(reportError)}>
      Show more
    </button>
  )
}

function emptyWords(query: string, archived: boolean): string {
  if (query !== '') return `Nothing found for “${query}”.`
  return archived ? 'Nothing is archived.' : 'Your conversations will appear here.'
}

/** A row that leaves gives the focus to its neighbour. */
function focusBeside(opener: HTMLElement): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.row > [data-row]')]
  const at = rows.findIndex(row => row.parentElement?.contains(opener))
  const beside = rows[at + 1] ?? rows[at - 1] ?? document.getElementById('search')
  beside?.focus()
}
