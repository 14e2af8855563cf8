// A box that scrolls sideways when its content is wider than the page.
import { useLayoutEffect, useRef, useState } from 'react'

type ScrollBoxProps = { readonly label: string; readonly className: string; readonly children: React.ReactNode }

/** A box for wide content. The keyboard can reach it only while it scrolls: a tab stop that does nothing is a nuisance. */
export function ScrollBox({ label, className, children }: ScrollBoxProps): React.ReactNode {
  const ref = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useLayoutEffect(() => {
    const box = ref.current
    if (box === null) return
    const measure = (): void => setScrolls(box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight)
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    for (const child of box.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  const reachable = scrolls ? ({ role: 'region', 'aria-label': label, tabIndex: 0 } as const) : {}
  return (
    <div ref={ref} className={`scroll-box ${className}`} {...reachable}>
      {children}
    </div>
  )
}
