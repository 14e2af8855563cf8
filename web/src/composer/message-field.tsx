// The text field, with suggestions after an at sign or a slash.
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Council } from '../../../src/model/settings/council.ts'
import { isSending, TOUCH } from '../parts/enter.ts'
import type { CommandChoices } from '../store/commands.ts'
import { LONGEST_PASTE, pastedFile, pastesFiles } from '../store/message/attachments.ts'
import { useActions, useSetting, useStore } from '../store/use-store.ts'
import { suggestedAt } from './choice/suggest.ts'
import { optionId, SuggestionMenu } from './choice/suggestions.tsx'
import type { ServerPrompt } from './offers/offered.ts'
import { useServerPrompts } from './offers/use-prompts.ts'

type MessageFieldProps = {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly council: Council | undefined
  readonly choices: CommandChoices
  readonly busy: boolean
  readonly placeholder: string
  readonly onSend: () => void
  readonly onQueue: () => void
  readonly onFiles: (files: Iterable<File>) => void
  readonly onPrompt: (prompt: ServerPrompt) => void
}

/** The text itself. `@` and `/` suggest what can follow; a list of words from a keyboard of its own is left alone. */
export function MessageField({
  field,
  council,
  choices,
  busy,
  placeholder,
  onSend,
  onQueue,
  onFiles,
  onPrompt,
}: MessageFieldProps): React.ReactNode {
  const { get, write, editLast, attach, announce } = useActions()
  const draft = useStore(state => state.draft)
  const sendKey = useSetting('send')
  const [caret, setCaret] = useState(0)
  const [chosen, setChosen] = useState(0)
  /** The text for which the person closed the suggestions. */
  const [closed, setClosed] = useState<string | null>(null)
  const wanted = useRef<number | null>(null)
  useHeight(field, draft)
  const prompts = useServerPrompts(draft.startsWith('/'))

  const suggested = useMemo(
    () => (closed === draft ? null : suggestedAt(draft, caret, { state: get(), council, choices, prompts })),
    [draft, caret, closed, council, choices, prompts, get],
  )
  const at = Math.min(chosen, (suggested?.items.length ?? 1) - 1)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret is set once the text is there
  useLayoutEffect(() => {
    if (wanted.current === null) return
    field.current?.setSelectionRange(wanted.current, wanted.current)
    wanted.current = null
  }, [draft])

  const look = (): void => setCaret(field.current?.selectionStart ?? 0)
  const pick = (index: number): void => {
    const item = suggested?.items[index]
    if (suggested === null || item === undefined) return
    if (item.prompt !== undefined) {
      setClosed(draft)
      onPrompt(item.prompt)
      return
    }
    const end = suggested.from + item.text.length
    wanted.current = end
    setCaret(end)
    setChosen(0)
    write(draft.slice(0, suggested.from) + item.text + draft.slice(suggested.to).replace(/^ /, ''))
  }

  /** True where the list took the key. */
  const inList = (event: React.KeyboardEvent): boolean => {
    if (suggested === null) return false
    const { length } = suggested.items
    if (event.key === 'ArrowDown') setChosen((at + 1) % length)
    else if (event.key === 'ArrowUp') setChosen((at + length - 1) % length)
    else if (event.key === 'Escape') setClosed(draft)
    else if ((event.key === 'Enter' && !event.shiftKey) || (event.key === 'Tab' && !event.shiftKey)) {
      const item = suggested.items[at]
      const isCommand = draft.startsWith('/') && item?.prompt === undefined
      pick(at)
      // A command that is whole is given with the same Enter.
      if (event.key === 'Enter' && isCommand && item?.text.endsWith(' ') === false) onSend()
    } else return false
    return true
  }

  const onKeyDown = (event: React.KeyboardEvent): void => {
    // 229 is how Safari says that a key only chose a word.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (inList(event)) {
      event.preventDefault()
      return
    }
    if (event.key === 'ArrowUp' && draft === '' && get().files.length === 0 && isPlain(event)) {
      event.preventDefault()
      editLast()
      return
    }
    const isQueued = event.key === 'Enter' && event.altKey
    if (!isQueued && !isSending(event.nativeEvent, sendKey, matchMedia(TOUCH).matches)) return
    event.preventDefault()
    if (isQueued) onQueue()
    else onSend()
  }

  const onPaste = (event: React.ClipboardEvent): void => {
    const { files, types } = event.clipboardData
    const text = event.clipboardData.getData('text/plain')
    const names = Array.from(files, file => file.name)
    if (pastesFiles(names, text, types.includes('text/html'))) {
      event.preventDefault()
      onFiles(Array.from(files))
      return
    }
    if (text.length <= LONGEST_PASTE) return
    // Where there is no room for a file, it goes into the text as any other paste.
    if (attach(pastedFile(text)) !== null) return
    event.preventDefault()
    announce('The long text is attached as a file')
  }

  return (
    <>
      {suggested !== null && <SuggestionMenu suggested={suggested} chosen={at} onPick={pick} />}
      <textarea
        id="message"
        ref={field}
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={suggested === null ? undefined : 'suggestions'}
        aria-activedescendant={suggested === null ? undefined : optionId(at)}
        placeholder={placeholder}
        rows={1}
        value={draft}
        readOnly={busy}
        aria-busy={busy}
        enterKeyHint={sendKey === 'modified' ? 'enter' : undefined}
        onChange={event => {
          write(event.target.value)
          setChosen(0)
          look()
        }}
        onSelect={look}
        onBlur={() => setClosed(draft)}
        onFocus={() => setClosed(null)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
    </>
  )
}

const isPlain = ({ shiftKey, altKey, ctrlKey, metaKey }: React.KeyboardEvent): boolean =>
  !shiftKey && !altKey && !ctrlKey && !metaKey

/** As tall as its text, where the browser does not do that by itself. */
function useHeight(field: RefObject<HTMLTextAreaElement | null>, draft: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    if (field.current === null || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, draft])
}
