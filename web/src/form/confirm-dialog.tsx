// Asks before something that cannot be undone.
import { useId } from 'react'
import { useModal } from '../parts/use-modal.ts'

type ConfirmDialogProps = {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose }: ConfirmDialogProps): React.ReactNode {
  const dialog = useModal()
  const heading = useId()
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      <p>{text}</p>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger"
          onClick={() => {
            dialog.current?.close()
            onConfirm()
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  )
}
