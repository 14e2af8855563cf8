import { useEffect, useRef } from 'react'
import { NEW } from '../drafts.ts'
import { useActions, useStore } from '../use-store.ts'
import { Icon } from './icon.tsx'
import { Notices } from './notices.tsx'

/** A keyboard on glass has no Shift+Enter, so there Enter makes a line and the button sends. */
const TOUCH = '(pointer: coarse)'

/** Where a person writes. What is written here stays until the gateway has it. */
export function Composer(): React.ReactNode {
  const { write, send, stop } = useActions()
  const session = useStore(state => state.session)
  const draft = useStore(state => state.draft)
  const sending = useStore(state => state.sending.includes(state.session ?? NEW))
  const speaking = useStore(state => state.view.running.length)
  const running = speaking > 0
  const field = useRef<HTMLTextAreaElement>(null)
  useHeight(field, draft)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is a place to write in
  useEffect(() => {
    if (!matchMedia(TOUCH).matches) field.current?.focus({ preventScroll: true })
  }, [session])

  const submit = (): void => {
    send().catch(reportError)
    field.current?.focus()
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    // 229 is how Safari says that Enter only chose a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    if (matchMedia(TOUCH).matches) return
    event.preventDefault()
    submit()
  }

  return (
    <div className="composer">
      <Notices />
      <form
        className="composer-box"
        aria-label="Write a message"
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <textarea
          id="message"
          ref={field}
          aria-label="Message"
          placeholder={placeholderFor(speaking)}
          rows={1}
          value={draft}
          readOnly={sending}
          aria-busy={sending}
          onChange={event => write(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {running && (
          <button
            type="button"
            className="round-button stop"
            aria-label="Stop"
            title="Stop (Esc)"
            onClick={() => stop().catch(reportError)}
          >
            <span className="stop-square" aria-hidden="true" />
          </button>
        )}
        {(!running || draft.trim() !== '') && (
          <button
            type="submit"
            className="round-button send"
            aria-label="Send"
            title="Send (Enter)"
            disabled={sending || draft.trim() === ''}
          >
            <Icon name="send" />
          </button>
        )}
      </form>
      <p className="composer-hint">
        <kbd>Enter</kbd> sends · <kbd>Shift</kbd> <kbd>Enter</kbd> new line{running ? ' · Esc stops' : ''}
      </p>
    </div>
  )
}

const placeholderFor = (speaking: number): string =>
  speaking === 0 ? 'Write a message …' : `Add something while ${speaking === 1 ? 'it answers' : 'they answer'} …`

/** As tall as its text, where the browser does not do that by itself. */
function useHeight(field: React.RefObject<HTMLTextAreaElement | null>, draft: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    if (field.current === null || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, draft])
}
