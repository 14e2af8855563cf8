// Opens and closes a panel above its button.
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

export type Popover = {
  readonly button: RefObject<HTMLButtonElement | null>
  readonly panel: RefObject<HTMLDivElement | null>
  /** `'peeked'` goes away with the pointer, `'pinned'` stays until it is closed. */
  readonly state: 'closed' | 'peeked' | 'pinned'
  readonly pin: () => void
  readonly peek: () => void
  /** Gives the focus back where it was inside. */
  readonly close: () => void
  readonly closePeek: () => void
}

const GAP = 8

/** A panel above its button, in the browser's top layer. Escape and a press outside close it, and nothing else hears that Escape. */
export function usePopover(side: 'left' | 'right'): Popover {
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<Popover['state']>('closed')
  const isOpen = state !== 'closed'

  const close = useCallback(() => {
    if (panel.current?.contains(document.activeElement) === true) button.current?.focus()
    setState('closed')
  }, [])

  useEffect(() => {
    const [box, owner] = [panel.current, button.current]
    if (box === null || owner === null || !isOpen) return
    const place = (): void => {
      const { top, left, right } = owner.getBoundingClientRect()
      box.style.bottom = `${innerHeight - top + GAP}px`
      box.style.maxHeight = `${Math.max(160, top - 2 * GAP)}px`
      // Beside its button, but never beyond the edge of a narrow screen.
      const width = box.offsetWidth
      const wanted = side === 'left' ? left : right - width
      box.style.left = `${Math.max(GAP, Math.min(wanted, innerWidth - width - GAP))}px`
    }
    box.showPopover()
    place()
    const onKey = (event: KeyboardEvent): void => {
      // A dialog over it is closed first.
      if (event.key !== 'Escape' || document.querySelector('dialog:modal') !== null) return
      event.preventDefault()
      event.stopPropagation()
      close()
    }
    const onPress = (event: PointerEvent): void => {
      const target = event.target as Node
      if (!box.contains(target) && !owner.contains(target)) setState('closed')
    }
    addEventListener('keydown', onKey, true)
    addEventListener('pointerdown', onPress, true)
    addEventListener('resize', place)
    return () => {
      removeEventListener('keydown', onKey, true)
      removeEventListener('pointerdown', onPress, true)
      removeEventListener('resize', place)
      if (box.matches(':popover-open')) box.hidePopover()
    }
  }, [isOpen, side, close])

  return {
    ...{ button, panel, state, close },
    pin: useCallback(() => setState('pinned'), []),
    peek: useCallback(() => setState(now => (now === 'closed' ? 'peeked' : now)), []),
    closePeek: useCallback(() => setState(now => (now === 'peeked' ? 'closed' : now)), []),
  }
}
