import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export type Stick = {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** True while the reader looks at something further up. */
  readonly away: boolean
  readonly toEnd: () => void
  /** Something else than the end is to be read now. */
  readonly leave: () => void
  /** Something was measured or added: the end moves back into sight for a reader who was there. */
  readonly settle: () => void
}

/** Nearer than this to the end counts as being there. */
const NEAR_PX = 60

/**
 * Keeps the end in sight while text grows, but only for a reader who is already there. `place` is what is being read; while it
 * is held, what grows leaves the reader where they are.
 */
export function useStick(place: string | null, isHeld: boolean): Stick {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const before = useRef(0)
  const held = useRef(isHeld)
  held.current = isHeld
  const [away, setAway] = useState(false)

  const showEnd = useCallback((box: HTMLElement) => {
    box.scrollTop = box.scrollHeight
    before.current = box.scrollTop
    // The list hears of it now and not with the next frame, which would show nothing where it has not drawn yet.
    queueMicrotask(() => box.dispatchEvent(new Event('scroll')))
  }, [])

  const settle = useCallback(() => {
    const box = scroller.current
    if (box === null || !atEnd.current || fromEnd(box) < 1) return
    if (held.current) {
      atEnd.current = fromEnd(box) < NEAR_PX
      return setAway(!atEnd.current)
    }
    showEnd(box)
  }, [showEnd])

  const toEnd = useCallback(() => {
    const box = scroller.current
    atEnd.current = true
    setAway(false)
    if (box !== null) showEnd(box)
  }, [showEnd])

  const leave = useCallback(() => {
    atEnd.current = false
  }, [])

  // Another conversation is read from its end; what stands where there is none yet, from its beginning.
  useLayoutEffect(() => {
    if (place !== null) return toEnd()
    leave()
    scroller.current?.scrollTo(0, 0)
  }, [place, toEnd, leave])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const onScroll = (): void => {
      // Only who goes up leaves the end: it also moves away from a reader who stays where they are.
      if (fromEnd(box) < NEAR_PX) atEnd.current = true
      else if (box.scrollTop < before.current - 1) atEnd.current = false
      before.current = box.scrollTop
      setAway(!atEnd.current)
    }
    const sizes = new ResizeObserver(settle)
    box.addEventListener('scroll', onScroll, { passive: true })
    sizes.observe(inner)
    sizes.observe(box)
    return () => {
      box.removeEventListener('scroll', onScroll)
      sizes.disconnect()
    }
  }, [settle])

  return { scroller, content, away, toEnd, leave, settle }
}

const fromEnd = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight
