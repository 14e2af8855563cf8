// The state of the frame: sidebar, dialogs, rename and find.
import { useCallback, useMemo, useState } from 'react'
import type { AppFrame, OpenConnect, Overlay } from '../parts/frame.ts'
import { useNarrow } from '../parts/use-narrow.ts'
import type { LocalStore } from '../wire/local-storage.ts'

export type FrameState = {
  readonly frame: AppFrame
  readonly overlay: Overlay | null
  /** The provider that is being connected; null if none is. */
  readonly connecting: OpenConnect | null
  readonly onConnected: () => void
  /** This one was closed; another may be open by now, and stays. */
  readonly onClosed: (overlay: Overlay) => void
}

/** Makes the frame. Whether a wide page shows its sidebar is kept; a drawer is always closed at first. */
export function useFrameState(localStore: LocalStore): FrameState {
  const narrow = useNarrow()
  const [wide, setWide] = useState(() => localStore.read('sidebar') !== 'hidden')
  const [drawer, setDrawer] = useState(false)
  const [overlay, show] = useState<Overlay | null>(null)
  const [connecting, setConnecting] = useState<OpenConnect | null>(null)
  const connect = useCallback(
    (provider: string | null, step?: 'key') => setConnecting({ provider, isForKey: step === 'key' }),
    [],
  )
  const [renaming, rename] = useState(false)
  const [finding, find] = useState(false)
  const showSidebar = useCallback(
    (shown: boolean): void => {
      if (!narrow) localStore.write('sidebar', shown ? null : 'hidden')
      if (narrow) setDrawer(shown)
      else setWide(shown)
    },
    [narrow, localStore],
  )
  const sidebar = narrow ? drawer : wide
  const frame = useMemo(
    () => ({ narrow, sidebar, showSidebar, show, connect, renaming, rename, finding, find }),
    [narrow, sidebar, showSidebar, connect, renaming, finding],
  )
  const onClosed = (closed: Overlay): void => show(open => (open === closed ? null : open))
  return { frame, overlay, connecting, onConnected: () => setConnecting(null), onClosed }
}
