// One session in the list.
import { memo, useRef, useState } from 'react'
import type { SessionHit } from '../../../src/model/session.ts'
import { HighlightedText } from '../parts/found.tsx'
import { Icon } from '../parts/icon.tsx'
import { useActions } from '../store/use-store.ts'
import { sessionHash } from '../view/route.ts'
import { PRIVATE } from '../words/memory-words.ts'
import { sessionTitle } from '../words/words.ts'
import { RenameField } from './rename-field.tsx'

/** Which row has its menu open, and what opened it. */
export type RowMenu = { readonly session: SessionHit; readonly opener: HTMLElement; readonly rename: () => void }

type SessionRowProps = {
  readonly session: SessionHit
  readonly query: string
  readonly current: boolean
  /** Something is being written in it. */
  readonly running: boolean
  readonly menuOpen: boolean
  readonly onOpen: () => void
  readonly onMenu: (menu: RowMenu | null) => void
}

/** One conversation in the list, with what can be done to it. */
export const SidebarRow: React.NamedExoticComponent<SessionRowProps> = memo(function SessionRow(props: SessionRowProps) {
  const { session, query, current, running, menuOpen, onOpen, onMenu } = props
  const { archive } = useActions()
  const [renaming, setRenaming] = useState(false)
  const box = useRef<HTMLLIElement>(null)
  const title = sessionTitle(session)
  const onRenamed = (byKey: boolean): void => {
    setRenaming(false)
    if (byKey) requestAnimationFrame(() => box.current?.querySelector<HTMLElement>('[data-row]')?.focus())
  }
  if (renaming)
    return (
      <li ref={box} className="row" data-renaming="true">
        <RenameField session={session} onDone={onRenamed} />
      </li>
    )
  const openMenu = (opener: HTMLElement): void => onMenu({ session, opener, rename: () => setRenaming(true) })
  return (
    <li ref={box} className="row" data-current={current} data-menu={menuOpen}>
      <a
        href={sessionHash(session.id, query === '' ? null : session.seq)}
        aria-current={current ? 'page' : undefined}
        title={title}
        data-row
        onClick={onOpen}
        onKeyDown={event => {
          if (event.key === 'F2') setRenaming(true)
          else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) openMenu(event.currentTarget)
          else return
          event.preventDefault()
        }}
        // The mouse keeps the browser's own menu, where a link is opened in another tab.
        onContextMenu={event => {
          if ((event.nativeEvent as PointerEvent).pointerType === 'mouse') return
          event.preventDefault()
          if (!menuOpen) openMenu(event.currentTarget)
        }}
      >
        <span className="row-title">
          {running && <span className="row-running" aria-hidden="true" />}
          {query === '' ? title : <HighlightedText text={title} query={query} />}
          {session.private === true && (
            <span className="row-private" title={PRIVATE}>
              <Icon name="lock" />
              <span className="unseen">, private</span>
            </span>
          )}
          {running && <span className="unseen">, being answered</span>}
        </span>
        {session.snippet !== undefined && query !== '' && (
          <span className="row-snippet">
            <HighlightedText text={session.snippet} query={query} />
          </span>
        )}
      </a>
      <span className="row-actions">
        {session.archived && (
          <button
            type="button"
            className="small-button"
            aria-label={`Restore “${title}”`}
            title="Restore"
            onClick={() => archive(session, false).catch(reportError)}
          >
            <Icon name="restore" />
          </button>
        )}
        <button
          type="button"
          className="small-button"
          aria-label={`Options for “${title}”`}
          title="Options"
          aria-haspopup="menu"
          aria-expanded={menuOpen}
          onClick={event => (menuOpen ? onMenu(null) : openMenu(event.currentTarget))}
        >
          <Icon name="more" />
        </button>
      </span>
    </li>
  )
})
