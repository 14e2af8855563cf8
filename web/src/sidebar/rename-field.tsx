// The field in which a session gets another title.
import { useRef, useState } from 'react'
import type { Session } from '../../../src/model/session.ts'
import { useActions } from '../store/use-store.ts'

type RenameFieldProps = {
  readonly session: Session
  /** `byKey` if the field had the focus until now, so that another element must take it. */
  readonly onDone: (byKey: boolean) => void
}

/** Where a conversation gets another title. Enter and leaving the field take it, Escape does not. */
export function RenameField({ session, onDone }: RenameFieldProps): React.ReactNode {
  const { rename } = useActions()
  const before = session.title ?? session.preview ?? ''
  const [title, setTitle] = useState(before)
  const settled = useRef(false)
  /** Enter leaves the field as well: only the first of the two counts. */
  const settle = (byKey: boolean): void => {
    settled.current = true
    onDone(byKey)
  }
  const commit = (byKey: boolean): void => {
    if (settled.current) return
    settle(byKey)
    const wanted = title.trim()
    if (wanted !== before) rename(session, wanted).catch(reportError)
  }
  return (
    <input
      className="rename"
      aria-label="New title"
      value={title}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the field replaces the title, and the person asked to rename it
      autoFocus
      onFocus={event => event.target.select()}
      onChange={event => setTitle(event.target.value)}
      onBlur={() => commit(false)}
      onKeyDown={event => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') commit(true)
        if (event.key !== 'Escape') return
        event.preventDefault()
        settle(true)
      }}
    />
  )
}
