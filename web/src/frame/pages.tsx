// Loads and shows the pages beside the conversations.
import { useEffect, useState } from 'react'
import type { ShelfPage as ShelfPages } from '../pages/shelf.tsx'

type ShelfType = typeof ShelfPages

/** Once they were read they are here at once. */
let known: ShelfType | null = null

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
export function Pages({ route }: React.ComponentProps<ShelfType>): React.ReactNode {
  const [Shelf, setShelf] = useState<ShelfType | null>(() => known)
  const [isMissing, setMissing] = useState(false)

  useEffect(() => {
    if (known !== null) return
    import('../pages/shelf.tsx').then(
      read => {
        known = read.ShelfPage
        setShelf(() => read.ShelfPage)
      },
      () => setMissing(true),
    )
  }, [])

  const isShown = Shelf !== null
  useEffect(() => {
    if (!isShown || !hasMoved) return
    // What led here, such as the palette, goes away only after this; the keyboard then goes on from the beginning of the page.
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.querySelector<HTMLElement>('.shelf')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [isShown])

  if (Shelf !== null) return <Shelf route={route} />
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
