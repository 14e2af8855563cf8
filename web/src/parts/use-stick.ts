import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export type Stick = {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** True while the reader looks at something further up. */
  readonly away: boolean
  readonly toEnd: () => void
}

/** Nearer than this to the end counts as being there. */
const NEAR_PX = 60

/** Keeps the end in sight while text grows, but only for a reader who is already there. `place` is what is being read. */
export function useStick(place: string | null): Stick {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [away, setAway] = useState(false)

  const toEnd = useCallback(() => {
    atEnd.current = true
    setAway(false)
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is read from its end
  useLayoutEffect(toEnd, [place, toEnd])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const onScroll = (): void => {
      atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
      setAway(!atEnd.current)
    }
    const sizes = new ResizeObserver(() => {
      if (atEnd.current) box.scrollTop = box.scrollHeight
    })
    box.addEventListener('scroll', onScroll, { passive: true })
    sizes.observe(inner)
    sizes.observe(box)
    return () => {
      box.removeEventListener('scroll', onScroll)
      sizes.disconnect()
    }
  }, [])

  return { scroller, content, away, toEnd }
}
