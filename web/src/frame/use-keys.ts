// Runs the page's keyboard shortcuts.
import { useEffect } from 'react'
import { actionOf } from '../parts/keys.ts'
import { APPLE } from '../parts/platform.ts'
import type { ShortcutActions } from './use-actions.ts'

/** Runs the page's shortcuts. An open dialog has the keys to itself, and so has a component that handled a press. */
export function useKeys(actions: ShortcutActions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // 229 is how Safari says that a word is being chosen.
      if (event.defaultPrevented || event.keyCode === 229) return
      if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return
      const action = actionOf(event, { apple: APPLE, inField: isField(event.target) })
      if (action === null) return
      // Escape belongs to others as well: what it may stop here, it stops beside that.
      if (action !== 'stop') event.preventDefault()
      actions[action]()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [actions])
}

const NO_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'range', 'file', 'color'])

function isField(target: EventTarget | null): boolean {
  // A dialog that was just closed keeps the focus for a moment, but the person no longer writes there.
  if (target instanceof Element && target.closest('dialog:not([open])') !== null) return false
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type)
  return target instanceof HTMLElement && (target.matches('textarea, select') || target.isContentEditable)
}
