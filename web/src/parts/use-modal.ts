// Opens a modal dialog for as long as its component is drawn.
import { type RefObject, useEffect, useRef } from 'react'

/** A dialog that is modal for as long as it is drawn. Close it by its own `close()`, so that the browser gives the focus back. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }, [])
  return dialog
}
