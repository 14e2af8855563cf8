// A modal dialog with a title and a close button.
import { useId } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { useModal } from '../../parts/use-modal.ts'

type DialogProps = {
  readonly title: string
  readonly className?: string
  readonly onClose: () => void
  readonly children: React.ReactNode
}

/** Something to read or to set, over the page; Escape, the cross and a click beside it close it. */
export function Dialog({ title, className = '', onClose, children }: DialogProps): React.ReactNode {
  const dialog = useModal()
  const heading = useId()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={event => {
        if (event.target === event.currentTarget) event.currentTarget.close()
      }}
    >
      <div className="dialog-inner">
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="quiet-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
