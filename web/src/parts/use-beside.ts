// Whether the inspector fits beside the conversation.
import { useSyncExternalStore } from 'react'

/** The width from which there is room for both; `inspector.css` has the same. */
const WIDE = '(min-width: 68.75rem)'

/** Whether the inspector is beside the conversation, and not over it. */
export const useBeside = (): boolean =>
  useSyncExternalStore(
    watcher => {
      const media = matchMedia(WIDE)
      media.addEventListener('change', watcher)
      return () => media.removeEventListener('change', watcher)
    },
    () => matchMedia(WIDE).matches,
  )
