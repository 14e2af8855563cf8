// The field for a message to one advisor.
import { useEffect, useRef, useState } from 'react'
import { isSending, TOUCH } from '../parts/enter.ts'
import { Icon } from '../parts/icon.tsx'
import { leaveFocus } from '../parts/leave-focus.ts'
import { useActions, useSetting } from '../store/use-store.ts'

type WordFieldProps = { readonly voice: string; readonly name: string; readonly onClose: () => void }

/** Where a person writes to one advisor alone. What is written stays until it is said, also when the field is closed. */
export function WordField({ voice, name, onClose }: WordFieldProps): React.ReactNode {
  const { wordTo, writeTo, tell } = useActions()
  const [text, setText] = useState(() => wordTo(voice))
  const by = useSetting('send')
  const [sending, setSending] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  /** One goes on where one stopped. */
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])

  const write = (next: string): void => {
    setText(next)
    writeTo(voice, next)
  }
  const send = async (): Promise<void> => {
    if (text.trim() === '' || sending) return
    setSending(true)
    const isSaid = await tell(voice)
    setSending(false)
    if (!isSaid) return
    setText('')
    if (field.current !== null) leaveFocus(field.current)
    onClose()
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      // Else it would stop everybody who speaks.
      event.preventDefault()
      leaveFocus(event.currentTarget as HTMLElement)
      onClose()
      return
    }
    if (!isSending(event.nativeEvent, by, matchMedia(TOUCH).matches)) return
    event.preventDefault()
    send().catch(reportError)
  }
  return (
    <form
      className="word-field"
      aria-label={`Write to ${name} only`}
      onSubmit={event => {
        event.preventDefault()
        send().catch(reportError)
      }}
    >
      <textarea
        ref={field}
        aria-label={`Message to ${name} only`}
        placeholder="The others do not hear this …"
        rows={1}
        value={text}
        readOnly={sending}
        onChange={event => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="small-button" aria-label={`Send to ${name} only`} disabled={sending || text.trim() === ''}>
        <Icon name="send" />
      </button>
    </form>
  )
}
