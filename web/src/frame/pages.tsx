// Loads and shows the pages beside the conversations.
import { useEffect, useState } from 'react'
import type { WorkspacePage as WorkspacePages } from '../pages/workspace-page.tsx'

type WorkspacePageType = typeof WorkspacePages

/** Once they were read they are here at once. */
let known: WorkspacePageType | null = null

/** Whether the person came here from another place in the page. */
let hasMoved = false
addEventListener(
  'hashchange',
  () => {
    hasMoved = true
  },
  { once: true },
)

/**
 * The pages beside the conversations, loaded when the person goes there. That may fail: the gateway may be gone, or a newer one
 * may serve pages under other names. Then this says so, and everything else stays.
 */
export function Pages({ route }: React.ComponentProps<WorkspacePageType>): React.ReactNode {
  const [LoadedPage, setLoadedPage] = useState<WorkspacePageType | null>(() => known)
  const [isMissing, setMissing] = useState(false)

  useEffect(() => {
    if (known !== null) return
    import('../pages/workspace-page.tsx').then(
      read => {
        known = read.WorkspacePage
        setLoadedPage(() => read.WorkspacePage)
      },
      () => setMissing(true),
    )
  }, [])

  const isShown = LoadedPage !== null
  useEffect(() => {
    if (!isShown || !hasMoved) return
    // What led here, such as the palette, goes away only after this; the keyboard then goes on from the beginning of the page.
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('.workspace-page')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [isShown])

  if (LoadedPage !== null) return <LoadedPage route={route} />
  // Browsers remember that a module could not be read; only a new page asks again.
  return isMissing ? (
    <section className="missing" role="alert">
      <h2>This page could not be read</h2>
      <p>The gateway does not answer, or it was renewed since you came. Reload when it runs; what you were writing is kept.</p>
      <p className="missing-actions">
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    </section>
  ) : null
}
