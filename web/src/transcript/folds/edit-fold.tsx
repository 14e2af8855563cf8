// The field in which a person edits a summary.
import { useEffect, useRef, useState } from 'react'
import { useActions } from '../../store/use-store.ts'
import type { ShownFold } from '../../view/folds.ts'
import { roughWords } from '../../words/rough-tokens.ts'

type EditFoldProps = { readonly fold: ShownFold; readonly onDone: () => void }

/** A summary opened to be put in other words. The next message is sent with the new text. */
export function EditFold({ fold, onDone }: EditFoldProps): React.ReactNode {
  const { editFold } = useActions()
  const [text, setText] = useState(fold.text)
  const [isSaving, setSaving] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
  }, [])

  const isEmpty = text.trim() === ''
  const save = async (): Promise<void> => {
    if (isEmpty || isSaving) return
    if (text.trim() === fold.text.trim()) return onDone()
    setSaving(true)
    const isSaved = await editFold(fold.seq, text.trim())
    setSaving(false)
    if (isSaved) onDone()
  }
  return (
    <form
      className="reword fold-edit"
      aria-label="Edit the summary"
      onSubmit={event => {
        event.preventDefault()
        save().catch(reportError)
      }}
    >
      <textarea
        ref={field}
        aria-label="Text of the summary"
        value={text}
        rows={6}
        readOnly={isSaving}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
          // It gives up the edit, and stops nothing.
          event.preventDefault()
          onDone()
        }}
      />
      <p className="reword-foot">
        <span>{roughWords(text)}; it applies to the next message</span>
        <button type="button" className="chip-button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="chip-button primary" disabled={isEmpty || isSaving}>
          Save
        </button>
      </p>
    </form>
  )
}
