// The inspector: what was sent, why, and what else could have been.
import { useCallback, useEffect, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { point } from '../parts/pointing.ts'
import { type Look, sessionHash } from '../view/route.ts'
import type { TabName } from './tabs.tsx'
import { PresenceView } from './views/presence-view.tsx'
import { RequestView } from './views/request-view.tsx'

type InspectorProps = { readonly session: string; readonly look: Look }

/** What was sent, and why, and what else could have been: beside the conversation, or over it where there is no room. */
export function InspectorPanel({ session, look }: InspectorProps): React.ReactNode {
  const box = useRef<HTMLElement>(null)
  const [tab, setTab] = useState<TabName>('items')
  const close = useCallback(() => {
    location.hash = sessionHash(session)
  }, [session])
  useFocusBack(box)
  useEffect(() => () => point(null), [])
  return (
    <aside
      className="inspector"
      aria-label="Inspector"
      ref={box}
      tabIndex={-1}
      onKeyDown={event => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // It closes this, and stops nothing.
        event.preventDefault()
        close()
      }}
    >
      <button
        type="button"
        className="quiet-button inspector-close"
        aria-label="Close the inspector"
        title="Close (Esc)"
        onClick={close}
      >
        <Icon name="close" />
      </button>
      {'message' in look ? (
        <PresenceView session={session} seq={look.message} />
      ) : (
        <RequestView session={session} turn={look.turn} step={look.step} tab={tab} onTab={setTab} />
      )}
    </aside>
  )
}

/** It takes the focus when it opens, and gives it back to where it was. */
function useFocusBack(box: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const before = document.activeElement
    box.current?.focus({ preventScroll: true })
    return () => {
      // An element that got the focus meanwhile keeps it.
      if (document.activeElement !== null && document.activeElement !== document.body) return
      const scroller = document.querySelector<HTMLElement>('.scroller')
      const target = before instanceof HTMLElement && before.isConnected && before !== document.body ? before : scroller
      // Until the frame is drawn, what lay below may still be out of reach.
      requestAnimationFrame(() => target?.focus({ preventScroll: true }))
    }
  }, [box])
}
