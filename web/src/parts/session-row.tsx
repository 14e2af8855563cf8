import { memo, useRef, useState } from 'react'
import type { SessionHit } from '../../../src/model/session.ts'
import { sessionHash } from '../route.ts'
import { useActions } from '../use-store.ts'
import { titleOf } from '../words.ts'
import { Found } from './found.tsx'
import { Icon } from './icon.tsx'

type SessionRowProps = {
  readonly session: SessionHit
  readonly query: string
  readonly current: boolean
  readonly onOpen: () => void
  readonly onRemove: (session: SessionHit) => void
}

/** One conversation in the list, with what can be done to it. */
export const SessionRow: React.NamedExoticComponent<SessionRowProps> = memo(function SessionRow(props: SessionRowProps) {
  const { session, query, current, onOpen, onRemove } = props
  const [renaming, setRenaming] = useState(false)
  const title = titleOf(session)
  if (renaming) return <RenameRow session={session} onDone={() => setRenaming(false)} />
  return (
    <li className="row" data-current={current}>
      <a href={sessionHash(session.id)} aria-current={current ? 'page' : undefined} onClick={onOpen} title={title}>
        <span className="row-title">{query === '' ? title : <Found text={title} query={query} />}</span>
        {session.snippet !== undefined && query !== '' && (
          <span className="row-snippet">
            <Found text={session.snippet} query={query} />
          </span>
        )}
      </a>
      <span className="row-actions">
        <button
          type="button"
          className="small-button"
          aria-label={`Rename “${title}”`}
          title="Rename"
          onClick={() => setRenaming(true)}
        >
          <Icon name="pen" />
        </button>
        <button
          type="button"
          className="small-button"
          aria-label={`Delete “${title}”`}
          title="Delete"
          onClick={() => onRemove(session)}
        >
          <Icon name="bin" />
        </button>
      </span>
    </li>
  )
})

function RenameRow({ session, onDone }: { readonly session: SessionHit; readonly onDone: () => void }): React.ReactNode {
  const { rename } = useActions()
  const [title, setTitle] = useState(session.title ?? session.preview ?? '')
  const settled = useRef(false)
  /** Leaving the field counts as done, and so does Enter, which also leaves it: only the first of them does. */
  const settle = (): void => {
    settled.current = true
    onDone()
  }
  const commit = (): void => {
    if (settled.current) return
    settle()
    const wanted = title.trim()
    if (wanted !== (session.title ?? session.preview ?? '')) rename(session.id, wanted).catch(reportError)
  }
  return (
    <li className="row" data-renaming="true">
      <input
        className="rename"
        aria-label="New title"
        value={title}
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the field stands where the pressed button was, and renaming is what was asked for
        autoFocus
        onFocus={event => event.target.select()}
        onChange={event => setTitle(event.target.value)}
        onBlur={commit}
        onKeyDown={event => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') commit()
          if (event.key !== 'Escape') return
          event.preventDefault()
          settle()
        }}
      />
    </li>
  )
}
