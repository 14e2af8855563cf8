// The field in which a person edits a message; sending it starts a new version.
import { useEffect, useRef, useState } from 'react'
import { isSending, TOUCH } from '../parts/enter.ts'
import { useActions, useSetting } from '../store/use-store.ts'
import type { MessageEntry } from '../view/view.ts'

/** A message opened to be said in other words. What is sent begins a version of its own; the original stays. */
export function Reword({ entry }: { readonly entry: MessageEntry }): React.ReactNode {
  const { edit, reword } = useActions()
  const by = useSetting('send')
  const [text, setText] = useState(entry.text)
  const [sending, setSending] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
    field.current?.setSelectionRange(entry.text.length, entry.text.length)
  }, [entry.text])

  const isEmpty = text.trim() === '' && entry.files === undefined
  const send = (): void => {
    if (isEmpty || sending) return
    setSending(true)
    reword(entry, text.trimEnd())
      .catch(reportError)
      .finally(() => setSending(false))
  }
  const giveUp = (): void => {
    field.current?.closest<HTMLElement>('.scroller')?.focus({ preventScroll: true })
    edit(null)
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      // It gives up the rewording, and stops nothing.
      event.preventDefault()
      giveUp()
    } else if (isSending(event.nativeEvent, by, matchMedia(TOUCH).matches)) {
      event.preventDefault()
      send()
    }
  }
  return (
    <form
      className="reword"
      aria-label="Edit the message"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        aria-label="The message in other words"
        value={text}
        rows={1}
        readOnly={sending}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <p className="reword-foot">
        <span>This begins another version; the original stays.</span>
        <button type="button" className="chip-button" onClick={giveUp}>
          Cancel
        </button>
        <button type="submit" className="chip-button primary" disabled={isEmpty || sending}>
          Send
        </button>
      </p>
    </form>
  )
}
