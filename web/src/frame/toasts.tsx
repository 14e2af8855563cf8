// Short messages about what was just done, with an undo button.
import { Icon } from '../parts/icon.tsx'
import { keyHint } from '../parts/platform.ts'
import { useActions, useStore } from '../store/use-store.ts'

/** What was just done, with an undo button. A toast takes no focus, and it stays while the person points at it. */
export function Toasts(): React.ReactNode {
  const { undo } = useActions()
  const toasts = useStore(state => state.toasts)
  return (
    <div
      className="toasts"
      role="status"
      onPointerEnter={() => undo.hold(true)}
      onPointerLeave={() => undo.hold(false)}
      onFocus={() => undo.hold(true)}
      onBlur={() => undo.hold(false)}
    >
      {toasts.map(({ id, text, canUndo }) => (
        <div key={id} className="toast">
          <span className="toast-text">{text}</span>
          {canUndo && (
            <button
              type="button"
              className="link"
              title={`Undo (${keyHint('undo')})`}
              onClick={() => {
                undo.hold(false)
                undo.undo(id)
              }}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            className="small-button"
            aria-label="Dismiss"
            onClick={() => {
              undo.hold(false)
              undo.dismiss(id)
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  )
}
