// Whether the window has room for one column only.
import { useSyncExternalStore } from 'react'

/** The width below which the list becomes a drawer; `layout.css` has the same. */
const NARROW = '(max-width: 47.99rem)'

/** Whether there is room for one column only. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    watcher => {
      const media = matchMedia(NARROW)
      media.addEventListener('change', watcher)
      return () => media.removeEventListener('change', watcher)
    },
    () => matchMedia(NARROW).matches,
  )
